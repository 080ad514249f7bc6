/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linked to the program with sanitizers, which the tests start thousands of times: two things that
 * GCC's runtime does at each start or end take a third of the processor time of `--version`.
 */
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * 1. Each object file registers its own global variables, with a stack trace kept for each call.
 * The linker lays their descriptions one after the other, mostly, so that a few calls do for all
 * (-Wl,--wrap). What an object file registered need not be taken back at exit.
 */

/* gcc/asan.cc: asan_global_struct(). */
struct asan_global {
	uintptr_t begin, size, size_with_redzone;
	const char *name, *module;
	uintptr_t has_dynamic_init;
	void *location, *odr_indicator;
};

void __real___asan_register_globals(struct asan_global *globals, uintptr_t count);
void __wrap___asan_register_globals(struct asan_global *globals, uintptr_t count);
void __wrap___asan_unregister_globals(struct asan_global *globals, uintptr_t count);

static struct asan_global *pending;
static uintptr_t pending_count;

static void register_pending(void)
{
	if (pending_count)
		__real___asan_register_globals(pending, pending_count);
	pending_count = 0;
}

void __wrap___asan_register_globals(struct asan_global *globals, uintptr_t count)
{
	if (pending + pending_count != globals) {
		register_pending();
		pending = globals;
	}
	pending_count += count;
}

void __wrap___asan_unregister_globals(struct asan_global *globals, uintptr_t count)
{
	(void)globals;
	(void)count;
}

/* After the constructors of the object files, whose priority is 99 (MAX_RESERVED_INIT_PRIORITY -
 * 1). */
__attribute__((constructor(101))) static void register_rest(void)
{
	register_pending();
}

/*
 * 2. The leak sanitizer looks for pointers in all data that the program headers call writable.
 * The data of the program are 7 MB of the sanitizers' own, because none of its own variables is
 * writable, but for the two above (tests/lint/globals); those of libraries count as before. What
 * looks like a leak because of this is reported as one: nothing can be hidden.
 */
__attribute__((constructor)) static void leave_own_data_out(void)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	ElfW(Phdr) *headers = (ElfW(Phdr) *)getauxval(AT_PHDR);
	const size_t count = getauxval(AT_PHNUM);
	void *begin = (void *)((uintptr_t)headers & ~(page - 1));
	const size_t length = (uintptr_t)(headers + count) - (uintptr_t)begin;

	if (mprotect(begin, length, PROT_READ | PROT_WRITE))
		return;
	for (size_t i = 0; i < count; i++)
		if (headers[i].p_type == PT_LOAD)
			headers[i].p_flags &= ~(ElfW(Word))PF_W;
	mprotect(begin, length, PROT_READ);
}
