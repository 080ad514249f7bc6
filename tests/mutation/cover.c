// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records which basic blocks of the shared library that contains this file are executed. With
 * -fsanitize-coverage=trace-pc the compiler calls __sanitizer_cov_trace_pc() at the beginning of
 * each (gcc(1)). The file COVER/TEST has one byte for each four bytes of the library's text: 1 if a
 * block's call returned there. TEST is the test that SCENE names, or the one that bats is running.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE (4U << 20)

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
void __sanitizer_cov_trace_pc(void);

static unsigned char *bytes;

__attribute__((constructor)) static void begin(void)
{
	const char *folder = getenv("COVER"), *scene = getenv("SCENE"),
		   *file = getenv("BATS_TEST_FILENAME");
	const char *number = getenv("BATS_TEST_NUMBER");
	char path[4096];
	void *map;
	int fd;

	if (!folder || (!scene && !file))
		return;
	if (scene)
		snprintf(path, sizeof(path), "%s/%s", folder, scene);
	else
		snprintf(path, sizeof(path), "%s/%s.%s", folder,
			 strrchr(file, '/') ? strrchr(file, '/') + 1 : file, number ? number : "0");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	fchmod(fd, 0666);
	map = ftruncate(fd, SIZE) ? MAP_FAILED
				  : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map != MAP_FAILED)
		bytes = map;
}

void __sanitizer_cov_trace_pc(void)
{
	uintptr_t offset = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;

	if (bytes && offset / 4 < SIZE)
		bytes[offset / 4] = 1;
}
