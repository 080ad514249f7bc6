// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A unit test wants a sanitizer's hook for each allocation (sanitizer/allocator_interface.h); this
 * provides it in builds without one. glibc also exports its allocator under these __libc names.
 */
#include <stddef.h>

typedef void (*malloc_hook)(const volatile void *, size_t);
typedef void (*free_hook)(const volatile void *);

int __sanitizer_install_malloc_and_free_hooks(malloc_hook on_malloc, free_hook on_free);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static malloc_hook hook;

int __sanitizer_install_malloc_and_free_hooks(malloc_hook on_malloc, free_hook on_free)
{
	(void)on_free;
	hook = on_malloc;
	return 1;
}

static void *told(void *memory, size_t size)
{
	if (hook)
		hook(memory, size);
	return memory;
}

void *malloc(size_t size)
{
	return told(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
	return told(__libc_calloc(count, size), count * size);
}

void *realloc(void *old, size_t size)
{
	return told(__libc_realloc(old, size), size);
}
