/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/memory/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/dmabuf.h"

static int fail(const char *call, const char **ret_call)
{
	*ret_call = call;
	return -errno;
}

/* Maps the dma-buf by this descriptor, or closes it. */
static int map(struct memory *memory, int fd, const char **ret_call)
{
	void *bytes = mmap(NULL, memory->length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int rc = bytes == MAP_FAILED ? fail("mmap of a dma-buf", ret_call) : 0;

	if (rc) {
		close(memory->dmabuf);
		return rc;
	}
	memory->bytes = bytes;
	memory->is_dmabuf = true;
	return 0;
}

static void unmap(struct memory_source *source, struct memory *memory)
{
	(void)source;
	munmap(memory->bytes, memory->length);
	if (memory->is_dmabuf)
		close(memory->dmabuf);
}

static int heap_take(struct memory_source *source, size_t bytes, struct memory *memory,
		     const char **ret_call)
{
	int rc = dmabuf_of_heap(bytes, &memory->dmabuf, ret_call);

	(void)source;
	return rc ? rc : map(memory, memory->dmabuf, ret_call);
}

static int udmabuf_take(struct memory_source *source, size_t bytes, struct memory *memory,
			const char **ret_call)
{
	_cleanup_(closep) int pages = -1;
	int rc = dmabuf_of_pages(bytes, &pages, &memory->dmabuf, ret_call);

	(void)source;
	return rc ? rc : map(memory, pages, ret_call);
}

static const struct memory_ops system_heap = {.take = heap_take, .give = unmap};
static const struct memory_ops udmabuf = {.take = udmabuf_take, .give = unmap};

static const struct memory_ops *const exporters[MEMORY_EXPORTERS] = {
	[EXPORTER_SYSTEM] = &system_heap,
	[EXPORTER_UDMABUF] = &udmabuf,
	[EXPORTER_CUDA] = &memory_cuda,
	[EXPORTER_HIP] = &memory_hip,
};

/* MAP_HUGETLB takes pages of the default size: "Hugepagesize:    2048 kB", proc_meminfo(5). */
static uint64_t hugepage_bytes(void)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Hugepagesize: %llu kB", &kib) == 1)
			break;
	return kib << 10;
}

static const struct memory_ops *ops_of(const struct memory_source *source)
{
	if (source->choice.kind != MEMORY_DMABUF)
		return NULL;
	return (source->exporters ? source->exporters : exporters)[source->choice.exporter];
}

int memory_source_open(struct memory_source *source, const struct message_memory *order,
		       const char **ret_call)
{
	struct memory_source chosen = *source;
	const struct memory_ops *ops;
	int rc = 0;

	chosen.choice = *order;
	chosen.page_bytes = order->kind == MEMORY_HUGE ? hugepage_bytes() : 0;
	if (order->kind == MEMORY_HUGE && !chosen.page_bytes) {
		errno = EOPNOTSUPP;
		return fail("the kernel has no hugepages", ret_call);
	}
	ops = ops_of(&chosen);
	/*
	 * libmlx5 takes short messages, and the results of reads and atomics, from their
	 * completions, and copies them to the buffer with memcpy() (copy_to_scat(),
	 * providers/mlx5/qp.c), unless this variable was 0 when the queue pair was created
	 * (use_scatter_to_cqe(), providers/mlx5/verbs.c). In a loopback test the other side is a
	 * thread, which waits for its orders meanwhile.
	 */
	if (ops && ops->hidden)
		setenv("MLX5_SCATTER_TO_CQE", "0", 1);
	if (ops && ops->open)
		rc = ops->open(&chosen, ret_call);
	if (!rc)
		*source = chosen;
	return rc;
}

uint64_t memory_bytes(const struct memory_source *source, uint64_t bytes)
{
	const uint64_t page = source->page_bytes ? source->page_bytes
						 : (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* Hugepages are populated now: if there were too few, the process would die later (SIGBUS). */
static int take_pages(const struct memory_source *source, struct memory *memory,
		      const char **ret_call)
{
	const bool huge = source->choice.kind == MEMORY_HUGE;
	void *bytes = mmap(NULL, memory->length, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | (huge ? MAP_HUGETLB | MAP_POPULATE : 0),
			   -1, 0);

	if (bytes == MAP_FAILED)
		return fail(huge ? "mmap with MAP_HUGETLB" : "mmap", ret_call);
	memory->bytes = bytes;
	return 0;
}

/* An accelerator's memory still holds its previous contents. */
static int clear(struct memory_source *source, const struct memory *memory, const char **ret_call)
{
	_cleanup_(freep) char *zeros = mem_alloc_zero(memory->length, 1);
	int rc = memory->ops->copy(source, memory->bytes, zeros, memory->length, true);

	if (rc)
		*ret_call = "a copy to the accelerator";
	return rc;
}

int memory_take(struct memory_source *source, size_t bytes, struct memory *ret_memory,
		const char **ret_call)
{
	struct memory memory = {
		.length = memory_bytes(source, bytes),
		.ops = ops_of(source),
	};
	int rc = memory.ops ? memory.ops->take(source, memory.length, &memory, ret_call)
			    : take_pages(source, &memory, ret_call);

	if (rc)
		return rc;
	if (memory_is_hidden(&memory))
		rc = clear(source, &memory, ret_call);
	if (rc)
		memory_free(source, &memory);
	else
		*ret_memory = memory;
	return rc;
}

void memory_free(struct memory_source *source, struct memory *memory)
{
	if (memory->ops)
		memory->ops->give(source, memory);
	else
		munmap(memory->bytes, memory->length);
}

void memory_begin(const struct memory *memory)
{
	if (memory->is_dmabuf && !memory_is_hidden(memory))
		dmabuf_begin(memory->dmabuf);
}

void memory_end(const struct memory *memory)
{
	if (memory->is_dmabuf && !memory_is_hidden(memory))
		dmabuf_end(memory->dmabuf);
}
