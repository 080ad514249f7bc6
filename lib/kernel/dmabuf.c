/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/dmabuf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"

#define HEAP	"/dev/dma_heap/system"
#define UDMABUF "/dev/udmabuf"

/* Always returns -errno. */
static int fail(const char *call, const char **ret_call)
{
	*ret_call = call;
	return -errno;
}

/* Opened for reading, because a server may write to no files except those of its devices. */
int dmabuf_of_heap(size_t bytes, int *ret_dmabuf, const char **ret_call)
{
	struct dma_heap_allocation_data data = {.len = bytes, .fd_flags = O_RDWR | O_CLOEXEC};
	_cleanup_(closep) int heap = open(HEAP, O_RDONLY | O_CLOEXEC);

	if (heap < 0)
		return fail(HEAP, ret_call);
	if (ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data))
		return fail("DMA_HEAP_IOCTL_ALLOC", ret_call);
	*ret_dmabuf = (int)data.fd;
	return 0;
}

int dmabuf_of_pages(size_t bytes, int *ret_pages, int *ret_dmabuf, const char **ret_call)
{
	struct udmabuf_create create = {.flags = UDMABUF_FLAGS_CLOEXEC, .size = bytes};
	_cleanup_(closep) int maker = open(UDMABUF, O_RDONLY | O_CLOEXEC);
	int dmabuf;

	if (maker < 0)
		return fail(UDMABUF, ret_call);
	*ret_pages = memfd_create("rdmactl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/*
	 * The kernel demands pages that cannot be removed: udmabuf_create() in
	 * drivers/dma-buf/udmabuf.c.
	 */
	if (*ret_pages < 0 || ftruncate(*ret_pages, (off_t)bytes) ||
	    fcntl(*ret_pages, F_ADD_SEALS, F_SEAL_SHRINK))
		return fail("memfd_create", ret_call);
	create.memfd = (uint32_t)*ret_pages;
	dmabuf = ioctl(maker, UDMABUF_CREATE, &create);
	if (dmabuf < 0)
		return fail("UDMABUF_CREATE", ret_call);
	*ret_dmabuf = dmabuf;
	return 0;
}

static void synchronize(int dmabuf, uint64_t step)
{
	struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_RW | step};

	ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync);
}

void dmabuf_begin(int dmabuf)
{
	synchronize(dmabuf, DMA_BUF_SYNC_START);
}

void dmabuf_end(int dmabuf)
{
	synchronize(dmabuf, DMA_BUF_SYNC_END);
}
