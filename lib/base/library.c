/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/* Precedes the version in a file name. */
#define LIBRARY_SUFFIX ".so."

/*
 * Local, because no other library needs its symbols, except a provider, which names the library as
 * a dependency.
 */
static void *load(const char *name, int how)
{
	return dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE | how);
}

/*
 * libibverbs has two versions of most functions: dlsym(3) finds the newest, which may need later
 * headers.
 */
static void *find_symbol(void *handle, const struct library_symbol *symbol)
{
#ifdef __GLIBC__
	if (!symbol->version)
		return dlsym(handle, symbol->name);
	return dlvsym(handle, symbol->name, symbol->version);
#else
	return dlsym(handle, symbol->name); /* musl ignores versions */
#endif
}

int library_open(const char *name, const struct library_symbol *symbols, size_t count,
		 void *functions)
{
	void *handle = load(name, 0);
	int rc = 0;

	if (!handle)
		return -ELIBACC;
	for (size_t i = 0; i < count; i++)
		if (!symbols[i].optional && !find_symbol(handle, &symbols[i]))
			rc = -ELIBBAD;
	for (size_t i = 0; i < count && !rc; i++) {
		void *address = find_symbol(handle, &symbols[i]);

		memcpy((char *)functions + symbols[i].offset, &address, sizeof(address));
	}
	dlclose(handle); /* RTLD_NODELETE: only the count goes down */
	return rc;
}

char *library_hint(const char *name, int error, const char *install)
{
	_cleanup_(freep) char *begin = mem_format("%s: ", name);
	const char *why;
	void *handle;

	if (error == -ELIBBAD)
		return mem_string("it is there, but lacks a function: it may be too old");
	handle = load(name, 0);
	why = handle ? NULL : dlerror();
	if (handle)
		dlclose(handle);
	/* If another library is missing, the one that needs it, the reason names only the other. */
	if (!why || (strstr(why, begin) && text_ends_with(why, strerror(ENOENT))))
		return mem_string(install);
	return text_clean(why, strlen(why));
}

char *library_path(const char *name)
{
	void *handle = load(name, RTLD_NOLOAD);
	struct link_map *map = NULL;
	char *path = NULL;

	if (!handle)
		return NULL;
	if (!dlinfo(handle, RTLD_DI_LINKMAP, &map) && map->l_name && map->l_name[0])
		path = mem_string(map->l_name);
	dlclose(handle);
	return path;
}

/* A library's own function that returns its version. */
struct version_call {
	const char *(*version)(const char *least);
};

static char *version_by_call(const char *name, const char *call)
{
	const struct library_symbol symbol = {call, NULL, offsetof(struct version_call, version),
					      false};
	struct version_call calls;
	const char *text, *last;

	if (library_open(name, &symbol, 1, &calls))
		return NULL;
	text = calls.version(NULL);
	last = text ? strrchr(text, ' ') : NULL;
	return mem_string_or_null(last ? last + 1 : text);
}

static char *version_by_file(const char *name)
{
	_cleanup_(freep) char *path = NULL, *file = NULL;
	const char *suffix;

	if (library_open(name, NULL, 0, NULL))
		return NULL;
	path = library_path(name);
	file = path ? realpath(path, NULL) : NULL;
	suffix = file ? strstr(file, LIBRARY_SUFFIX) : NULL;
	return suffix ? mem_string(suffix + strlen(LIBRARY_SUFFIX)) : NULL;
}

char *library_version(const char *name, const char *call)
{
	return call ? version_by_call(name, call) : version_by_file(name);
}
