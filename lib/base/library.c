/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "base/mem.h"

/*
 * Local, because a library has no use for the program's symbols, and a provider that needs those of
 * the library names it as a dependency.
 */
static void *load(const char *name, int how)
{
	return dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE | how);
}

/* libibverbs has two of most functions: dlsym(3) takes the newest, which may be of later headers.
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
