/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/collect.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/pci/pci.h"
#include "kernel/procfs.h"
#include "kernel/recording.h"
#include "kernel/sysfs.h"
#include "kernel/verbs/providers.h"
#include "snapshot/archive.h"

/* A distribution's modules.dep has 1 MiB, a table of GIDs' counters a page. */
enum { MOST_OF_FILE = 8 << 20 };

void collect_take(struct collection *collection, enum content_kind kind, const char *path,
		  char *bytes, size_t length)
{
	_cleanup_(freep) char *place = mem_format(SNAPSHOT_ROOT "/%s", path);

	contents_take(collection->contents, kind, place, bytes, length);
}

void collect_note(struct collection *collection, const char *path, const char *why)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	problem_add_text(collection->problems, clean, NULL, "file", why, NULL);
}

void collect_error(struct collection *collection, const char *path, int error)
{
	const char *target = sysfs_saved_error(error);
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	collect_take(collection, CONTENT_LINK, path, mem_string(target), strlen(target));
	collection->unreadable++;
	/* Other errors are the kernel's answer: a port that is down has no speed. */
	if (error == -EACCES || error == -EPERM)
		problem_add(collection->problems, NULL, clean, "file", error,
			    "run it as root for a snapshot of all that root can read");
}

/* Reads up to `most` bytes; a longer file is truncated, with a note. */
static int read_all(struct collection *collection, const struct root *root, const char *path,
		    size_t most, char **ret_bytes, size_t *ret_length)
{
	_cleanup_(closep) int fd = sysfs_open(root, path, 0);
	int rc = fd < 0 ? fd : file_read_some(fd, most, ret_bytes, ret_length);

	if (!rc && *ret_length >= most)
		collect_note(collection, path, "only the beginning was taken");
	return rc;
}

/* Whether a word in the name of a setting says that its value is secret. P_Keys are not secret. */
static bool names_secret(const char *name, size_t length)
{
	static const char *const words[] = {"key", "passw", "passphrase", "secret", "token", "psk"};
	_cleanup_(freep) char *lower = mem_format("%.*s", (int)length, name);
	char *pkey;

	for (char *at = lower; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	while ((pkey = strstr(lower, "pkey")) || (pkey = strstr(lower, "p_key")))
		memset(pkey, '-', strlen("pkey"));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(lower, words[i]))
			return true;
	return false;
}

/* Whether the character begins or ends a quotation; *quote is the quote that is open, if any. */
static bool turns(char c, char *quote)
{
	const bool ends = *quote && c == *quote, begins = !*quote && (c == '"' || c == '\'');

	if (ends || begins)
		*quote = begins ? c : '\0';
	return ends || begins;
}

/* A line that ends with a backslash goes on in the next one: modprobe.d(5). */
static bool is_joint(const char *text)
{
	return text[0] == '\\' && text[1] == '\n';
}

/*
 * Hides the word or the quotation after the name of a secret. Returns its end. Zeros may be before
 * or in it.
 */
static char *hide_value(char *at, const char *end, char quote)
{
	for (; at < end && (strchr(" \t=:\"'", *at) || is_joint(at)); at += is_joint(at) ? 2 : 1)
		turns(*at, &quote);
	for (; at < end && *at != '\n' && (quote || (*at != ' ' && *at != '\t')); at++)
		if (is_joint(at))
			at++;
		else if (*at && !turns(*at, &quote))
			*at = 'x';
	return at;
}

/* Hides the value in NAME=VALUE, NAME: VALUE, and NAME VALUE if the name is a separate word. */
void collect_hide_secrets(char *text, size_t length)
{
	const char *const end = text + length;
	char *at = text;

	while (at < end) {
		const size_t word = strcspn(at, " \t\n=:\"'");
		char quote = '\0';

		if (at > text)
			turns(at[-1], &quote);
		at = word && names_secret(at, word) ? hide_value(at + word, end, quote)
						    : at + word + 1;
	}
}

/* Keeps the lines that `wanted` wants. */
static size_t filter_lines(char *text, bool (*wanted)(const char *line))
{
	char *out = text;

	for (char *line = text, *end; *line; line = end) {
		char last;

		end = line + strcspn(line, "\n");
		end += *end == '\n';
		last = *end;
		*end = '\0';
		if (wanted(line)) {
			memmove(out, line, (size_t)(end - line));
			out += end - line;
		}
		*end = last;
	}
	*out = '\0';
	return (size_t)(out - text);
}

static bool is_memory_limit(const char *line)
{
	line += strspn(line, " \t");
	return !strncmp(line, "LimitMEMLOCK", strlen("LimitMEMLOCK")) ||
	       !strncmp(line, "DefaultLimitMEMLOCK", strlen("DefaultLimitMEMLOCK"));
}

/* The list default_ulimits, which may have several lines. */
static bool is_crio_limit(const char *line)
{
	line += strspn(line, " \t");
	return !strncmp(line, "default_ulimits", strlen("default_ulimits")) || *line == ']' ||
	       (strchr("\"'", *line) && strstr(line, "memlock="));
}

/* When the host booted; needed with it: the total of all processors in /proc/stat. */
static bool is_boot_time(const char *line)
{
	return !strncmp(line, "cpu ", strlen("cpu ")) || !strncmp(line, "btime ", strlen("btime "));
}

static bool is_wanted_mount(const char *line)
{
	struct procfs_root_mount mount;

	return strstr(line, " - cgroup") || strstr(line, " - pstore ") ||
	       procfs_parse_root_mount(line, &mount);
}

/* The lines to keep of some files. */
static bool (*const filters[])(const char *line) = {
	[SOURCE_UNITS] = is_memory_limit,
	[SOURCE_CRIO] = is_crio_limit,
	[SOURCE_MOUNTS] = is_wanted_mount,
	[SOURCE_BOOT] = is_boot_time,
};

/* A number of the PCI function that the file belongs to, such as its class; 0: unknown. */
static uint64_t number_beside(const struct collection *collection, const char *path,
			      const char *name)
{
	char text[SYSFS_TEXT_SIZE];
	uint64_t number = 0;

	if (sysfs_read(collection->root, text, "%.*s/%s", (int)(strrchr(path, '/') - path), path,
		       name) >= 0)
		text_parse_u64(text, 16, 0xffffff, &number);
	return number;
}

/*
 * Network, InfiniBand, display, bridges, accelerators: classes 02, 0c06, 03, 06, 12 of the PCI Code
 * and ID Assignment Specification. The config space of other devices is not needed, and reading
 * what a device does not have has hung machines: lspci(8), option -xxxx. A Data Direct function, of
 * class 0801, has the serial number of its adapter.
 */
static bool wants(const struct collection *collection, const char *path, enum source_how how)
{
	const uint64_t class = number_beside(collection, path, "class");
	const uint64_t base = class >> 16;
	const bool network = base == 0x02 || class >> 8 == 0x0c06;

	if (how == SOURCE_VPD)
		return network ||
		       (class >> 8 == 0x0801 &&
			number_beside(collection, path, "vendor") == PCI_VENDOR_MELLANOX);
	return network || base == 0x03 || base == 0x06 || base == 0x12;
}

static bool is_left_out(struct collection *collection, const char *path, enum source_how how)
{
	const char *name = content_name(path);

	if (how == SOURCE_PARAMETERS && names_secret(name, strlen(name))) {
		collect_note(collection, path, "left out, because it may be a key");
		return true;
	}
	return (how == SOURCE_CONFIG || how == SOURCE_VPD) && !wants(collection, path, how);
}

int collect_file(struct collection *collection, const char *path, enum source_how how)
{
	char *bytes = NULL;
	size_t length = 0;
	int rc;

	if (is_left_out(collection, path, how))
		return 0;
	if (how == SOURCE_NAMES) {
		collect_take(collection, CONTENT_FILE, path, mem_string(""), 0);
		return 0;
	}
	rc = read_all(collection, collection->root, path, MOST_OF_FILE, &bytes, &length);
	if (!bytes) {
		/* It has disappeared meanwhile, or was never a file. */
		if (rc != -ENOENT && rc != -ENXIO && rc != -EISDIR && rc != -ESRCH)
			collect_error(collection, path, rc);
		return rc;
	}
	if (how == SOURCE_TEXTS)
		collect_hide_secrets(bytes, length);
	if (how < ARRAY_SIZE(filters) && filters[how])
		length = filter_lines(bytes, filters[how]);
	/* The library itself is too large: what providers_find_abi() finds in it is kept. */
	if (how == SOURCE_LIBRARY) {
		_cleanup_(freep) char *abi = providers_find_abi(bytes, length);

		free(bytes);
		bytes = abi ? mem_format("lib%%s-rdmav%s.so\n", abi) : mem_string("");
		length = strlen(bytes);
	}
	/* Hundreds of units do not set this limit. */
	if ((how == SOURCE_UNITS || how == SOURCE_CRIO) && !length)
		free(bytes);
	else
		collect_take(collection, CONTENT_FILE, path, bytes, length);
	return 0;
}

void collect_recorded(struct collection *collection)
{
	static const char *const files[] = {RECORDING_NETLINK_FILE, RECORDING_VERBS_FILE, "kmsg"};
	const struct root folder = {.fd = collection->root->snapshot};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *bytes = NULL;
		size_t length;

		if (!read_all(collection, &folder, files[i], MEMBER_MOST_BYTES, &bytes, &length))
			contents_take(collection->contents, CONTENT_FILE, files[i], bytes, length);
	}
}
