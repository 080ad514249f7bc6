/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads a shared library when it is first needed, and fills a struct of typed function pointers.
 * Each function is named once. Its type comes from the library's own header; the version is the one
 * that its symbol has had since the oldest supported release:
 *
 *	#define VERBS_FUNCTIONS(MUST, MAY) \
 *		MUST(ibv_open_device, "IBVERBS_1.1") \
 *		MAY(_ibv_query_gid_table, "IBVERBS_1.11")
 *	struct verbs_functions { VERBS_FUNCTIONS(LIBRARY_MEMBER, LIBRARY_MEMBER) };
 *	static const struct library_symbol symbols[] = {
 *		VERBS_FUNCTIONS(LIBRARY_MUST, LIBRARY_MAY)
 *	};
 *
 * with LIBRARY_RECORD defined as the struct. A loaded library stays in the process for good,
 * because others (the providers of libibverbs) may have put pointers into it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The libraries that are loaded when they are first needed; each user has a LIBRARY_NOTE for it. */
#define LIBIBVERBS    "libibverbs.so.1"
#define LIBRDMACM     "librdmacm.so.1"
#define LIBUMAD	      "libibumad.so.3"
#define LIBGNUTLS     "libgnutls.so.30"
#define LIBMICROHTTPD "libmicrohttpd.so.12"
#define LIBARCHIVE    "libarchive.so.13"
/*
 * Accelerator vendors ship these for their hosts; HIP's number changes with each release of ROCm.
 */
#define LIBCUDA	 "libcuda.so.1"
#define LIBHIP	 "libamdhip64.so.7"
#define LIBHIP_6 "libamdhip64.so.6"
#define LIBHIP_5 "libamdhip64.so.5"
#define LIBHSA	 "libhsa-runtime64.so.1"

struct library_symbol {
	const char *name, *version; /* version NULL: the library has none */
	size_t offset;		    /* of the pointer in the caller's struct */
	bool optional;		    /* if it is missing, the pointer is NULL */
};

#define LIBRARY_MEMBER(name, version) __typeof__(&name) name;
#define LIBRARY_MUST(name, version)   {#name, version, offsetof(LIBRARY_RECORD, name), false},
#define LIBRARY_MAY(name, version)    {#name, version, offsetof(LIBRARY_RECORD, name), true},

/*
 * An ELF note that informs packagers' tools about a library that is loaded at run time
 * (https://uapi-group.org/specifications/specs/elf_dlopen_metadata/). To be used once for each
 * library.
 */
#define LIBRARY_NOTE(soname, feature, description) \
	LIBRARY_NOTE_OF(LIBRARY_NOTE_TEXT(soname, feature, description, "recommended"), __LINE__)
/*
 * The same for a library that only hosts with its hardware have. Several sonames are written
 * "a\",\"b".
 */
#define LIBRARY_NOTE_SUGGESTED(soname, feature, description) \
	LIBRARY_NOTE_OF(LIBRARY_NOTE_TEXT(soname, feature, description, "suggested"), __LINE__)
#define LIBRARY_NOTE_TEXT(soname, feature, description, priority)      \
	"[{\"feature\":\"" feature "\",\"description\":\"" description \
	"\",\"priority\":\"" priority "\",\"soname\":[\"" soname "\"]}]"
#define LIBRARY_NOTE_OF(json, line) LIBRARY_NOTE_NAMED(json, line)
#define LIBRARY_NOTE_NAMED(json, line)                                                          \
	__attribute__((used, section(".note.dlopen"))) _Alignas(uint32_t) static const struct { \
		uint32_t owner_size, content_size, type;                                        \
		char owner[4];                                                                  \
		_Alignas(uint32_t) char content[sizeof(json)];                                  \
	} library_note_##line = {4, sizeof(json), 0x407c0c0a, "FDO", json}

/*
 * Loads the library of that soname or path and fills the struct at `functions`. Returns 0,
 * -ELIBACC if it cannot be loaded, -ELIBBAD if a function that is not optional is missing;
 * `functions` is untouched then.
 */
int library_open(const char *name, const struct library_symbol *symbols, size_t count,
		 void *functions);
/*
 * Returns the next step after library_open() has failed with that error: `install` only if there is
 * no such library, or else the loader's reason, cleaned. -ELIBBAD loads nothing. The caller frees
 * it.
 */
char *library_hint(const char *name, int error, const char *install);
/*
 * Loads the library and returns its version: the last word of what its function `call` returns,
 * which takes nothing or one pointer that may be NULL; or, if `call` is NULL, the version in the
 * name of its file, which is all that the libraries of rdma-core have (libibverbs.so.1.14.44.0).
 * Returns NULL if there is no such library, or no version of it. The caller frees it.
 */
char *library_version(const char *name, const char *call);
/*
 * Returns the path from which the library of that soname was loaded, or NULL. The caller frees it.
 */
char *library_path(const char *name);
