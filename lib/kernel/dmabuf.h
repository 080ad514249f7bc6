/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory as a dma-buf, which a driver can register: of the system heap, or of pages of one's own.
 * The caller closes the descriptors. Functions return 0 or -errno, and name what failed in
 * *ret_call, a constant string.
 */
#pragma once

#include <stddef.h>

/* `bytes` are whole pages, which are zero. */
int dmabuf_of_heap(size_t bytes, int *ret_dmabuf, const char **ret_call);
/* The same of a file in memory, which is what the processor maps; *ret_pages is closed by the
 * caller also when it fails, if it is not negative. */
int dmabuf_of_pages(size_t bytes, int *ret_pages, int *ret_dmabuf, const char **ret_call);
/*
 * Around what the processor reads and writes: nothing where the caches are coherent, as on x86
 * (DMA_BUF_IOCTL_SYNC, linux/dma-buf.h).
 */
void dmabuf_begin(int dmabuf);
void dmabuf_end(int dmabuf);
