/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linked into the program with sanitizers, which the tests start thousands of times. At each start
 * or end, GCC's runtime does five things that take half of the processor time of `--version`. This
 * file does them more cheaply, by replacing functions of the runtime of GCC 12 (-Wl,--wrap); other
 * releases are linked without it (tests.mk). tests/cli/sanitizers.bats proves that errors are
 * reported as before.
 */
#include <elf.h>
#include <link.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * 1. The runtime registers each of 25,000 global variables, most of them strings, so that it can
 * name one in a report (asan_globals.cpp). Here the redzones are poisoned at start, as in the
 * runtime, but the variables are registered only when an error is reported. They need not be
 * unregistered at exit.
 */

/* gcc/asan.cc: asan_global_struct(). */
struct asan_global {
	uintptr_t begin, size, size_with_redzone;
	const char *name, *module;
	uintptr_t has_dynamic_init;
	void *location, *odr_indicator;
};

#define REPORT "_ZN6__asan18ReportGenericErrorEmmmmbmjb"

void __asan_get_shadow_mapping(uintptr_t *scale, uintptr_t *offset);
void __real___asan_register_globals(struct asan_global *globals, uintptr_t count);
void __wrap___asan_register_globals(struct asan_global *globals, uintptr_t count);
void __wrap___asan_unregister_globals(struct asan_global *globals, uintptr_t count);
void real_report(uintptr_t pc, uintptr_t bp, uintptr_t sp, uintptr_t address, bool is_write,
		 uintptr_t size, uint32_t experiment, bool fatal) __asm__("__real_" REPORT)
	__attribute__((weak));
void report(uintptr_t pc, uintptr_t bp, uintptr_t sp, uintptr_t address, bool is_write,
	    uintptr_t size, uint32_t experiment, bool fatal) __asm__("__wrap_" REPORT);

/* The linker puts the descriptions of most object files one after another. */
static struct {
	struct asan_global *globals;
	uintptr_t count;
} runs[1024];
static size_t run_count;

static void poison(const struct asan_global *global)
{
	enum { GLOBAL_REDZONE = 0xf9 };
	uintptr_t scale, offset, unit;
	unsigned char *shadow, *end;

	__asan_get_shadow_mapping(&scale, &offset);
	unit = (uintptr_t)1 << scale;
	shadow = (unsigned char *)(((global->begin + global->size) >> scale) + offset);
	end = (unsigned char *)(((global->begin + global->size_with_redzone) >> scale) + offset);
	if (global->size % unit)
		*shadow++ = (unsigned char)(global->size % unit);
	while (shadow < end)
		*shadow++ = GLOBAL_REDZONE;
}

void __wrap___asan_register_globals(struct asan_global *globals, uintptr_t count)
{
	for (uintptr_t i = 0; i < count; i++)
		poison(&globals[i]);
	if (run_count && runs[run_count - 1].globals + runs[run_count - 1].count == globals) {
		runs[run_count - 1].count += count;
		return;
	}
	if (run_count == sizeof(runs) / sizeof(runs[0]))
		__builtin_trap();
	runs[run_count].globals = globals;
	runs[run_count++].count = count;
}

void __wrap___asan_unregister_globals(struct asan_global *globals, uintptr_t count)
{
	(void)globals;
	(void)count;
}

void report(uintptr_t pc, uintptr_t bp, uintptr_t sp, uintptr_t address, bool is_write,
	    uintptr_t size, uint32_t experiment, bool fatal)
{
	while (run_count) {
		run_count--;
		__real___asan_register_globals(runs[run_count].globals, runs[run_count].count);
	}
	real_report(pc, bp, sp, address, is_write, size, experiment, fatal);
}

/*
 * 2. The runtime's own allocator touches half a megabyte of tables and more than a megabyte of free
 * lists, 480 pages, for the two kilobytes that the runtime needs (sanitizer_allocator.cpp; these
 * are the names of its C++ functions). An arena replaces it, and `blank` replaces the tables, in
 * which each free() first looks for its block. Memory that the runtime gives to others during its
 * start must be in the real tables: it requests such memory with an alignment, or with calloc(),
 * and from then on the real allocator is used.
 */
#define CACHE	"PNS_30SizeClassAllocator32LocalCacheINS_20SizeClassAllocator32INS_4AP32EEEEE"
#define ALLOC	"_ZN11__sanitizer13InternalAllocEm" CACHE "m"
#define CALLOC	"_ZN11__sanitizer14InternalCallocEmm" CACHE
#define REALLOC "_ZN11__sanitizer15InternalReallocEPvm" CACHE
#define FREE	"_ZN11__sanitizer12InternalFreeEPv" CACHE
#define TABLES	"_ZN11__sanitizer18internal_allocatorEv"

/* The size of a block precedes its data. */
struct block {
	alignas(16) size_t size;
	alignas(16) unsigned char data[];
};

static alignas(16) unsigned char arena[64 << 10];
static size_t arena_used;
static bool arena_left;
static unsigned char blank[1 << 20];

void *real_alloc(size_t size, void *cache, size_t alignment) __asm__("__real_" ALLOC)
	__attribute__((weak));
void *real_calloc(size_t count, size_t size, void *cache) __asm__("__real_" CALLOC)
	__attribute__((weak));
void *real_realloc(void *data, size_t size, void *cache) __asm__("__real_" REALLOC)
	__attribute__((weak));
void real_free(void *data, void *cache) __asm__("__real_" FREE) __attribute__((weak));
void *real_tables(void) __asm__("__real_" TABLES) __attribute__((weak));
void *arena_alloc(size_t size, void *cache, size_t alignment) __asm__("__wrap_" ALLOC);
void *arena_calloc(size_t count, size_t size, void *cache) __asm__("__wrap_" CALLOC);
void *arena_realloc(void *data, size_t size, void *cache) __asm__("__wrap_" REALLOC);
void arena_free(void *data, void *cache) __asm__("__wrap_" FREE);
void *arena_tables(void) __asm__("__wrap_" TABLES);

static bool in_arena(const void *data)
{
	return (uintptr_t)data - (uintptr_t)arena < sizeof(arena);
}

void *arena_alloc(size_t size, void *cache, size_t alignment)
{
	size_t begin, end;
	struct block *block;

	if (!arena_left && !alignment && size < sizeof(arena)) {
		end = sizeof(*block) +
		      (size + sizeof(*block) - 1) / sizeof(*block) * sizeof(*block);
		begin = __atomic_fetch_add(&arena_used, end, __ATOMIC_RELAXED);
		if (begin + end <= sizeof(arena)) {
			block = (struct block *)(arena + begin);
			block->size = size;
			return block->data;
		}
	}
	arena_left = true;
	return real_alloc(size, cache, alignment);
}

void *arena_calloc(size_t count, size_t size, void *cache)
{
	arena_left = true;
	return real_calloc(count, size, cache);
}

void *arena_realloc(void *data, size_t size, void *cache)
{
	const struct block *old = (struct block *)((unsigned char *)data - sizeof(*old));
	void *moved;

	if (data && !in_arena(data))
		return real_realloc(data, size, cache);
	moved = arena_alloc(size, cache, 0);
	if (data)
		__builtin_memcpy(moved, data, old->size < size ? old->size : size);
	return moved;
}

void arena_free(void *data, void *cache)
{
	if (data && !in_arena(data))
		real_free(data, cache);
}

void *arena_tables(void)
{
	return arena_left ? real_tables() : blank;
}

/*
 * 3. The runtime looks up each function for which it has an interceptor. For a missing function the
 * loader writes a message, twice, for which it calls malloc(), and the arena would be abandoned
 * before the program begins. glibc has had none of these functions since 2.34.
 */
void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);

/* This runs before strncmp() has been found. */
static bool is_missing(const char *name)
{
	static const char *const missing[] = {
		"__cxa_throw",
		"__isoc99_fprintf",
		"__isoc99_printf",
		"__isoc99_snprintf",
		"__isoc99_sprintf",
		"__isoc99_vfprintf",
		"__isoc99_vprintf",
		"__isoc99_vsnprintf",
		"__isoc99_vsprintf",
		"__pthread_mutex_lock",
		"__pthread_mutex_unlock",
		"crypt",
		"pthread_mutexattr_getrobust_np",
		"swift_demangle",
		"xdr",
	};
	size_t k;

	for (size_t i = 0; __GLIBC_PREREQ(2, 34) && i < sizeof(missing) / sizeof(missing[0]); i++) {
		for (k = 0; missing[i][k] && name[k] == missing[i][k]; k++)
			;
		if (!missing[i][k])
			return true;
	}
	return false;
}

void *__wrap_dlsym(void *handle, const char *name)
{
	return is_missing(name) ? NULL : __real_dlsym(handle, name);
}

/*
 * 4. Each new stack trace that the runtime keeps for a block of memory takes a page of a table of
 * 4 MB, although a report shows only one or two of them. Here they are stored one after another
 * (sanitizer_stackdepot.h). The leak sanitizer does not report a block without a trace, so the
 * program ends if there is no room.
 */
#define PUT_TRACE "_ZN11__sanitizer13StackDepotPutENS_10StackTraceE"
#define GET_TRACE "_ZN11__sanitizer13StackDepotGetEj"

struct trace {
	const uintptr_t *frames;
	uint32_t count, tag;
};

struct kept_trace {
	uint32_t next, count;
	uintptr_t frames[];
};

uint32_t put_trace(struct trace trace) __asm__("__wrap_" PUT_TRACE);
struct trace get_trace(uint32_t id) __asm__("__wrap_" GET_TRACE);

/* The identifier of a trace is its index in `store`; 0 is none. */
static uint64_t store[1 << 20];
static uint32_t store_used = 1;
static uint32_t chains[1 << 11];

static uint32_t find_trace(uint32_t id, const struct trace *trace)
{
	for (; id; id = ((struct kept_trace *)&store[id])->next) {
		const struct kept_trace *kept = (struct kept_trace *)&store[id];
		uint32_t i = 0;

		while (kept->count == trace->count && i < kept->count &&
		       kept->frames[i] == trace->frames[i])
			i++;
		if (kept->count == trace->count && i == kept->count)
			break;
	}
	return id;
}

/*
 * No code is in the blocks that the runtime's malloc() gives (asan_allocator.h: kAllocatorSpace,
 * kAllocatorSize, on x86-64). A function of the C library that was compiled without frame pointers,
 * such as vasprintf(), makes the runtime read the address of its text as the next frame: a trace
 * for each text, of which a command may have 100,000.
 */
static bool is_data(uintptr_t frame)
{
	return frame >> 42 == 0x600000000000 >> 42;
}

static void give_up(void)
{
	static const char text[] = "sanitized.c: there is no room for more stack traces\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	__builtin_trap();
}

uint32_t put_trace(struct trace trace)
{
	uint64_t hash = 0;
	uint32_t *chain, first, id;
	struct kept_trace *kept;

	while (trace.count && is_data(trace.frames[trace.count - 1]))
		trace.count--;
	for (uint32_t i = 0; i < trace.count; i++)
		hash = (hash ^ trace.frames[i]) * 0x9e3779b97f4a7c15;
	chain = &chains[hash >> 53];
	first = __atomic_load_n(chain, __ATOMIC_ACQUIRE);
	id = find_trace(first, &trace);
	if (id)
		return id;
	if (__atomic_load_n(&store_used, __ATOMIC_RELAXED) > sizeof(store) / sizeof(store[0]) / 2)
		give_up();
	id = __atomic_fetch_add(&store_used, 1 + trace.count, __ATOMIC_RELAXED);
	kept = (struct kept_trace *)&store[id];
	kept->count = trace.count;
	for (uint32_t i = 0; i < trace.count; i++)
		kept->frames[i] = trace.frames[i];
	do
		kept->next = first;
	while (!__atomic_compare_exchange_n(chain, &first, id, true, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE));
	return id;
}

struct trace get_trace(uint32_t id)
{
	const struct kept_trace *kept = (struct kept_trace *)&store[id];

	return id ? (struct trace){kept->frames, kept->count, 0} : (struct trace){0};
}

/*
 * 5. The leak sanitizer looks for pointers in all data that the program headers call writable. In
 * the program, that is 16 MB of the sanitizers and of this file, because the program has no
 * writable variables (tests/lint/globals); data of libraries is searched as before. Searching less
 * can only report more leaks, so that none is hidden.
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
