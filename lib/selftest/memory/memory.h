/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the bytes of a buffer come from: ordinary pages, hugepages, or a dma-buf that the kernel or
 * an accelerator's library creates. The libraries are loaded when first needed, and have no headers
 * here. Functions return 0 or -errno, and name the call that failed in *ret_call, a constant
 * string.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "selftest/wire/message.h"

struct memory_source;

struct memory {
	uint8_t *bytes; /* page aligned; accelerator: the address there */
	size_t length;	/* whole pages */
	bool is_dmabuf;
	int dmabuf;	 /* its descriptor */
	uint64_t offset; /* of the bytes in it */
	const struct memory_ops *ops;
	int (*release)(void *address); /* accelerator: frees it in its own library */
};

/* An exporter of dma-bufs. */
struct memory_ops {
	bool hidden; /* the processor can reach the bytes only through copy() */
	/* Prepares the source; NULL if there is nothing to prepare. */
	int (*open)(struct memory_source *source, const char **ret_call);
	int (*take)(struct memory_source *source, size_t bytes, struct memory *memory,
		    const char **ret_call);
	void (*give)(struct memory_source *source, struct memory *memory);
	/* Copies into hidden memory, or out of it. */
	int (*copy)(struct memory_source *source, void *to, const void *from, size_t bytes,
		    bool in);
};

/* The functions of an accelerator's library, as far as they are needed. */
struct accelerator_calls {
	int (*init)(unsigned int flags);
	int (*device)(int *ret_device, int number);
	int (*retain)(void **ret_context, int device);
	int (*use_context)(void *context);
	int (*use_device)(int number);
	int (*allocate)(void **ret_address, size_t bytes);
	int (*free)(void *address);
	int (*copy_in)(void *to, const void *from, size_t bytes);
	int (*copy_out)(void *to, const void *from, size_t bytes);
	int (*copy)(void *to, const void *from, size_t bytes, int kind);
	int (*handle)(int *ret_fd, void *address, size_t bytes, int type, unsigned long long flags);
	int (*export)(const void *address, size_t bytes, int *ret_fd, uint64_t *ret_offset);
};

/* All zeros: ordinary pages. */
struct memory_source {
	struct message_memory choice;
	uint64_t page_bytes; /* 0: the processor's */
	struct accelerator_calls calls;
	/* By enum memory_exporter; NULL for the real ones. */
	const struct memory_ops *const *exporters;
};

/* Chooses the kind of memory for later calls of memory_take(). */
int memory_source_open(struct memory_source *source, const struct message_memory *order,
		       const char **ret_call);
/* Returns how much memory `bytes` take up, in whole pages. */
uint64_t memory_bytes(const struct memory_source *source, uint64_t bytes);
/* Allocates memory, which is zero. */
int memory_take(struct memory_source *source, size_t bytes, struct memory *ret_memory,
		const char **ret_call);
void memory_free(struct memory_source *source, struct memory *memory);

static inline bool memory_is_hidden(const struct memory *memory)
{
	return memory->ops && memory->ops->hidden;
}

/* Enclose the processor's accesses to memory that a device may have in its caches. */
void memory_begin(const struct memory *memory);
void memory_end(const struct memory *memory);

/* accelerator.c */
extern const struct memory_ops memory_cuda, memory_hip;
