/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory as a dma-buf, which a driver can register: from the system heap, or from pages that this
 * process maps. The caller closes the descriptors. Functions return 0 or -errno, and name what
 * failed in *ret_call, a constant string.
 */
#pragma once

#include <stddef.h>

/* Allocates `bytes`, a multiple of the page size, of zeroed memory from the system heap. */
int dmabuf_of_heap(size_t bytes, int *ret_dmabuf, const char **ret_call);
/*
 * Like dmabuf_of_heap(), but with a file in memory, *ret_pages, which the processor maps. The
 * caller closes *ret_pages if it is not negative, even after a failure.
 */
int dmabuf_of_pages(size_t bytes, int *ret_pages, int *ret_dmabuf, const char **ret_call);
/*
 * Bracket accesses by the processor. No effect where caches are coherent, as on x86
 * (DMA_BUF_IOCTL_SYNC, linux/dma-buf.h).
 */
void dmabuf_begin(int dmabuf);
void dmabuf_end(int dmabuf);
