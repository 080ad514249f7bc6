/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "base/mem.h"

/*
 * Local, because the name space of the program is none of a library's business: a provider that
 * needs the library's symbols names it as a dependency of its own.
 */
static void *load(const char *name, int how)
{
	return dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE | how);
}

int library_open(const char *name, const struct library_symbol *symbols, size_t count,
		 void *functions)
{
	void *handle = load(name, 0);
	int rc = 0;

	if (!handle)
		return -ELIBACC;
	for (size_t i = 0; i < count; i++)
		if (!symbols[i].optional && !dlsym(handle, symbols[i].name))
			rc = -ELIBBAD;
	for (size_t i = 0; i < count && !rc; i++) {
		void *address = dlsym(handle, symbols[i].name);

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
