/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/verbs/providers.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/library.h"
#include "base/text.h"
#include "kernel/sysfs.h"
#include "kernel/verbs/loader_config.h"

#define SUFFIX "-rdmav"

/* rdma-core 44's library is 131 KiB. */
enum { LIBRARY_MOST = 4 << 20, NAMES_MOST = 1024 };

/* Parses lines "driver NAME"; others are ignored with a warning (read_config_file()). */
void providers_parse(const char *text, struct strings *names)
{
	for (const char *line = text; *line;) {
		const char *word = line + strspn(line, " \t"), *name;
		size_t length = strcspn(word, " \t\n"), name_length;

		name = word + length + strspn(word + length, " \t");
		name_length = strcspn(name, " \t\n");
		if (length == strlen("driver") && !strncmp(word, "driver", length) && name_length &&
		    names->count < NAMES_MOST) {
			_cleanup_(freep) char *clean = text_clean(name, name_length);

			strings_add(names, clean);
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
}

/* The library contains its format string "lib%s-rdmav34.so": VERBS_PROVIDER_SUFFIX. */
char *providers_find_abi(const void *bytes, size_t length)
{
	const char *at = bytes, *end = at + length;

	while ((at = memmem(at, (size_t)(end - at), SUFFIX, strlen(SUFFIX)))) {
		const char *digits = at + strlen(SUFFIX), *stop = digits;

		while (stop < end && isdigit((unsigned char)*stop))
			stop++;
		if (stop > digits && end - stop >= 3 && !memcmp(stop, ".so", 3))
			return text_clean(digits, (size_t)(stop - digits));
		at = digits;
	}
	return NULL;
}

static char *read_abi(const struct root *root, const char *path)
{
	_cleanup_(closep) int fd = root_open_path(root, path, 0);
	_cleanup_(freep) char *bytes = NULL;
	size_t length;

	if (fd < 0 || file_read_some(fd, LIBRARY_MOST, &bytes, &length))
		return NULL;
	return providers_find_abi(bytes, length);
}

static bool has_library(const struct root *root, const char *directory)
{
	_cleanup_(freep) char *path = mem_format("%s/" LIBIBVERBS, directory);
	_cleanup_(closep) int fd = root_open_path(root, path, 0);

	return fd >= 0;
}

/* Looks in Debian's directories for an architecture: usr/lib/x86_64-linux-gnu. */
static char *find_triplet(const struct root *root)
{
	_cleanup_(strings_free) struct strings names = {.known = false};

	sysfs_list(root, &names, "usr/lib");
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *path = mem_format("usr/lib/%s", names.items[i]);

		if (strstr(names.items[i], "-linux-") && has_library(root, path))
			return mem_string(path);
	}
	return NULL;
}

/* Searches the loader's directories in their usual order. */
static char *find_directory(const struct root *root)
{
	static const char *const directories[] = {"usr/local/lib", "usr/local/lib64", "usr/lib64",
						  "lib64"};
	static const char *const last[] = {"usr/lib", "lib"};
	char *triplet;

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		if (has_library(root, directories[i]))
			return mem_string(directories[i]);
	triplet = find_triplet(root);
	for (size_t i = 0; i < ARRAY_SIZE(last) && !triplet; i++)
		if (has_library(root, last[i]))
			triplet = mem_string(last[i]);
	return triplet;
}

static void list_libraries(const struct root *root, const char *directory,
			   struct strings *libraries)
{
	_cleanup_(strings_free) struct strings names = {.known = false};

	sysfs_list_all(root, &names, "%s", directory);
	for (size_t i = 0; i < names.count; i++)
		if (strstr(names.items[i], SUFFIX) && libraries->count < NAMES_MOST)
			strings_add(libraries, names.items[i]);
}

static void read_config(const struct root *root, struct providers *providers)
{
	_cleanup_(strings_free) struct strings files = {.known = false};

	providers->rc = sysfs_list(root, &files, PROVIDERS_CONFIG);
	for (size_t i = 0; i < files.count && i < NAMES_MOST; i++) {
		_cleanup_(freep) char *text = NULL;
		int rc = sysfs_read_long(root, &text, PROVIDERS_CONFIG "/%s", files.items[i]);

		/* libibverbs reads regular files only. */
		if (!rc)
			providers_parse(text, &providers->names);
		else if (rc != -EISDIR && rc != -ENXIO)
			providers->rc = rc;
	}
}

void providers_read(const struct root *root, struct providers *providers)
{
	_cleanup_(freep) char *inner = NULL, *library = NULL;

	read_config(root, providers);
	providers->directory = find_directory(root);
	if (!providers->directory)
		return;
	library = mem_format("%s/" LIBIBVERBS, providers->directory);
	providers->abi = read_abi(root, library);
	inner = mem_format("%s/libibverbs", providers->directory);
	list_libraries(root, inner, &providers->libraries);
}

void providers_clear(struct providers *providers)
{
	free(providers->directory);
	free(providers->abi);
	strings_free(&providers->libraries);
	strings_free(&providers->names);
	*providers = (struct providers){.rc = 0};
}

/* Whether an entry of the configuration, a name or a path, names this provider. */
static bool is_entry_of(const char *entry, const char *name)
{
	const char *slash = strrchr(entry, '/');

	if (!slash)
		return !strcmp(entry, name);
	return !strncmp(slash + 1, "lib", 3) && !strcmp(slash + 1 + 3, name);
}

/* Matches lib<name>-rdmav<ABI>.so, with any ABI if `abi` is NULL. */
static bool is_library_of(const char *file, const char *name, const char *abi)
{
	_cleanup_(freep) char *begin = mem_format("lib%s" SUFFIX "%s", name, abi ? abi : "");
	const char *rest = file + strlen(begin);

	if (strncmp(file, begin, strlen(begin)))
		return false;
	return !strcmp(abi ? rest : rest + strspn(rest, "0123456789"), ".so");
}

static char *find_among(const struct strings *libraries, const char *name, const char *abi)
{
	for (size_t i = 0; i < libraries->count; i++) {
		const char *file = libraries->items[i];

		if (is_library_of(file, name, abi))
			return text_clean(file, strlen(file));
	}
	return NULL;
}

/*
 * The loader's own directory comes second, as in load_driver(), dynamic_driver.c. It is listed only
 * if need be: with thousands of other libraries in it, that takes long on a network file system.
 */
static char *find_library(const struct root *root, const struct providers *providers,
			  const char *name, const char *abi)
{
	char *found = find_among(&providers->libraries, name, abi);

	if (!found && providers->directory) {
		_cleanup_(strings_free) struct strings others = {.known = false};

		list_libraries(root, providers->directory, &others);
		found = find_among(&others, name, abi);
	}
	return found;
}

/*
 * Vendors' sources of a single provider install it below /usr/local, next to a libibverbs of the
 * distribution. load_driver() finds it if the loader searches there.
 */
static enum provider_state find_local(const struct root *root, const struct providers *providers,
				      const char *name, char **ret_library)
{
	static const char *const directories[] = {"/usr/local/lib", "/usr/local/lib64"};
	enum provider_state state = PROVIDER_NO_LIBRARY;

	/* One of the two may be a link to the other. */
	for (size_t i = 0; providers->directory && i < ARRAY_SIZE(directories); i++) {
		_cleanup_(strings_free) struct strings libraries = {.known = false};
		_cleanup_(freep) char *file = NULL;
		int named;

		list_libraries(root, directories[i] + 1, &libraries);
		file = find_among(&libraries, name, providers->abi);
		if (!file)
			continue;
		named = loader_config_names(root, directories[i]);
		if (named <= 0 && *ret_library)
			continue;
		free(*ret_library);
		*ret_library = mem_format("%s/%s", directories[i], file);
		if (named > 0)
			return PROVIDER_THERE;
		state = named ? PROVIDER_LOCAL : PROVIDER_NOT_SEARCHED;
	}
	if (*ret_library)
		return state;
	*ret_library = find_library(root, providers, name, NULL);
	return *ret_library ? PROVIDER_OTHER_ABI : PROVIDER_NO_LIBRARY;
}

enum provider_state providers_find(const struct root *root, const struct providers *providers,
				   const char *name, char **ret_library)
{
	const char *entry = NULL;

	for (size_t i = 0; i < providers->names.count && !entry; i++)
		if (is_entry_of(providers->names.items[i], name))
			entry = providers->names.items[i];
	*ret_library = NULL;
	if (entry && entry[0] == '/')
		return PROVIDER_ELSEWHERE;
	*ret_library = find_library(root, providers, name, providers->abi);
	if (!entry)
		return PROVIDER_NOT_CONFIGURED;
	if (*ret_library)
		return PROVIDER_THERE;
	return find_local(root, providers, name, ret_library);
}
