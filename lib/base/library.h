/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared libraries that are loaded at run time, because only some commands need them. The caller
 * lists the functions it calls once, as an X-macro, and gets a struct of pointers whose types come
 * from the library's own header:
 *
 *	#define VERBS_FUNCTIONS(MUST, MAY) MUST(ibv_open_device) MAY(ibv_import_device)
 *	struct verbs_functions { VERBS_FUNCTIONS(LIBRARY_MEMBER, LIBRARY_MEMBER) };
 *	static const struct library_symbol symbols[] = {
 *		VERBS_FUNCTIONS(LIBRARY_MUST, LIBRARY_MAY)
 *	};
 *
 * with LIBRARY_RECORD defined as the struct. A loaded library stays in the process for good:
 * others (the providers of libibverbs) may have put pointers into it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct library_symbol {
	const char *name;
	size_t offset; /* of the pointer in the caller's struct */
	bool optional; /* may be missing: the pointer is NULL then */
};

#define LIBRARY_MEMBER(name) __typeof__(&name) name;
#define LIBRARY_MUST(name)   {#name, offsetof(LIBRARY_RECORD, name), false},
#define LIBRARY_MAY(name)    {#name, offsetof(LIBRARY_RECORD, name), true},

/*
 * Loads the library of that soname or path and fills the struct at `functions`. Returns 0,
 * -ELIBACC if it cannot be loaded, -ELIBBAD if a function that is not optional is missing;
 * `functions` is untouched then.
 */
int library_open(const char *name, const struct library_symbol *symbols, size_t count,
		 void *functions);
/* The path that the loaded library of that soname came from, or NULL. The caller frees it. */
char *library_path(const char *name);
