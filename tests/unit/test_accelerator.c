/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of accelerators, from made-up libraries: which library gets back what it gave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/library.h"
#include "selftest/memory/memory.h"

static size_t cuda_holds, hip_holds;

static int succeed(void)
{
	return 0;
}

static int cuda_take(void **ret_address, size_t bytes)
{
	cuda_holds++;
	return !(*ret_address = malloc(bytes));
}

static int cuda_give(void *address)
{
	cuda_holds--;
	free(address);
	return 0;
}

static int cuda_handle(int *ret_fd, void *address, size_t bytes, int type, unsigned long long flags)
{
	(void)address, (void)bytes, (void)type, (void)flags;
	*ret_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0;
}

static int hip_take(void **ret_address, size_t bytes)
{
	hip_holds++;
	return !(*ret_address = malloc(bytes));
}

static int hip_give(void *address)
{
	hip_holds--;
	free(address);
	return 0;
}

static int hip_export(const void *address, size_t bytes, int *ret_fd, uint64_t *ret_offset)
{
	*ret_offset = 0;
	(void)address;
	return cuda_handle(ret_fd, NULL, bytes, 0, 0);
}

/* Replaces that of base/library.c. */
int library_open(const char *name, const struct library_symbol *symbols, size_t count,
		 void *functions)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} known[] = {
		{"cuMemAlloc_v2", (void (*)(void))cuda_take},
		{"cuMemFree_v2", (void (*)(void))cuda_give},
		{"cuMemGetHandleForAddressRange", (void (*)(void))cuda_handle},
		{"hipMalloc", (void (*)(void))hip_take},
		{"hipFree", (void (*)(void))hip_give},
		{"hsa_amd_portable_export_dmabuf", (void (*)(void))hip_export},
	};

	(void)name;
	for (size_t i = 0; i < count; i++) {
		void (*function)(void) = (void (*)(void))succeed;

		for (size_t j = 0; j < sizeof(known) / sizeof(known[0]); j++)
			if (!strcmp(known[j].name, symbols[i].name))
				function = known[j].function;
		memcpy((char *)functions + symbols[i].offset, &function, sizeof(function));
	}
	return 0;
}

/* Memory goes back to the library that gave it, even if the other one is the source by then. */
static void two_libraries(void **state)
{
	static const struct message_memory cuda = {.kind = MEMORY_DMABUF,
						   .exporter = EXPORTER_CUDA};
	static const struct message_memory hip = {.kind = MEMORY_DMABUF, .exporter = EXPORTER_HIP};
	struct memory_source source = {.choice.kind = MEMORY_PAGES};
	struct memory first, second;
	const char *call = NULL;

	(void)state;
	assert_int_equal(memory_source_open(&source, &cuda, &call), 0);
	assert_int_equal(memory_take(&source, 4096, &first, &call), 0);
	assert_int_equal(memory_source_open(&source, &hip, &call), 0);
	assert_int_equal(memory_take(&source, 4096, &second, &call), 0);
	assert_int_equal(cuda_holds, 1);
	assert_int_equal(hip_holds, 1);
	memory_free(&source, &first);
	assert_int_equal(cuda_holds, 0);
	assert_int_equal(hip_holds, 1);
	memory_free(&source, &second);
	assert_int_equal(hip_holds, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
