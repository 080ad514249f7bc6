/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "schema/problem.h"

/* Size limits. */
#define LONG_MOST (64 << 10) /* sysfs_read_long() */
#define FILE_MOST (8 << 20)  /* sysfs_read_file() */

__attribute__((format(printf, 2, 0))) static int format_path(char path[static PATH_MAX],
							     const char *format, va_list arguments)
{
	const int length = vsnprintf(path, PATH_MAX, format, arguments);

	return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Formats the path of a variadic function; `rc` is nonzero if it does not fit. */
#define FORMAT_PATH(rc, path, format)                        \
	do {                                                 \
		va_list arguments;                           \
                                                             \
		va_start(arguments, format);                 \
		(rc) = format_path(path, format, arguments); \
		va_end(arguments);                           \
	} while (0)

/* Errors of reading attributes, and their names in a saved tree. */
static const struct enum_name saved_errors[] = {
	{EINVAL, "!EINVAL"},
	{EIO, "!EIO"},
	{EACCES, "!EACCES"},
	{EPERM, "!EPERM"},
	{ENODEV, "!ENODEV"},
	{ENXIO, "!ENXIO"},
	{EOPNOTSUPP, "!EOPNOTSUPP"},
	{EBUSY, "!EBUSY"},
	{ETIMEDOUT, "!ETIMEDOUT"},
	{EAGAIN, "!EAGAIN"},
	{ENODATA, "!ENODATA"},
	{ERANGE, "!ERANGE"},
	{0, NULL},
};

/* Returns the error that a link's target names; 0 for an ordinary link. */
static int error_of_target(const char *target)
{
	const struct enum_name *error = enum_find_word(saved_errors, target);

	return error ? -(int)error->value : 0;
}

const char *sysfs_saved_error(int error)
{
	return enum_word(saved_errors, (uint64_t)-error, "!EIO");
}

/*
 * Returns the error saved for a path that cannot be opened, or for a directory above it; -ENOENT if
 * there is none.
 */
static int saved_error(const struct root *root, const char *path)
{
	_cleanup_(freep) char *part = mem_string(path);
	char target[PATH_MAX], *slash;
	ssize_t length;
	int error;

	for (;;) {
		length = root_read_link(root, part, target);
		if (length > 0) {
			error = error_of_target(target);
			return error ? error : -ENOENT;
		}
		slash = strrchr(part, '/');
		if (length != -ENOENT || !slash)
			return -ENOENT;
		*slash = '\0';
	}
}

int sysfs_open(const struct root *root, const char *path, int flags)
{
	int fd = root_open_path(root, path, flags);

	return fd == -ENOENT && !root->live ? saved_error(root, path) : fd;
}

ssize_t sysfs_read_open(int fd, char text[static SYSFS_TEXT_SIZE], size_t *ret_size)
{
	ssize_t length;

	do
		length = read(fd, text, SYSFS_TEXT_SIZE);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return -errno;
	if (length == SYSFS_TEXT_SIZE)
		return -EFBIG;
	if (ret_size)
		*ret_size = (size_t)length;
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	text[length] = '\0';
	return length;
}

ssize_t sysfs_read_path(const struct root *root, char text[static SYSFS_TEXT_SIZE],
			const char *path)
{
	_cleanup_(closep) int fd = sysfs_open(root, path, 0);

	return fd < 0 ? fd : sysfs_read_open(fd, text, NULL);
}

ssize_t sysfs_read(const struct root *root, char text[static SYSFS_TEXT_SIZE], const char *format,
		   ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, format);
	return rc ? rc : sysfs_read_path(root, text, path);
}

char *sysfs_text(const struct root *root, const char *format, ...)
{
	char path[PATH_MAX], text[SYSFS_TEXT_SIZE];
	ssize_t length;
	int rc;

	FORMAT_PATH(rc, path, format);
	length = rc ? rc : sysfs_read_path(root, text, path);
	return length > 0 ? text_clean(text, (size_t)length) : NULL;
}

ssize_t sysfs_read_bytes(const struct root *root, void *bytes, size_t most, const char *format, ...)
{
	_cleanup_(closep) int fd = -1;
	char path[PATH_MAX];
	size_t at = 0;
	ssize_t length;
	int rc;

	FORMAT_PATH(rc, path, format);
	fd = rc ? rc : sysfs_open(root, path, 0);
	if (fd < 0)
		return fd;
	while (at < most && (length = read(fd, (char *)bytes + at, most - at)) != 0) {
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		at += (size_t)length;
	}
	return (ssize_t)at;
}

static int read_whole(const struct root *root, size_t most, char **ret_text, const char *path)
{
	_cleanup_(closep) int fd = sysfs_open(root, path, 0);
	size_t length;

	return fd < 0 ? fd : file_read_some(fd, most - 1, ret_text, &length);
}

int sysfs_read_long(const struct root *root, char **ret_text, const char *format, ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, format);
	return rc ? rc : read_whole(root, LONG_MOST, ret_text, path);
}

int sysfs_read_file(const struct root *root, char **ret_text, const char *format, ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, format);
	return rc ? rc : read_whole(root, FILE_MOST, ret_text, path);
}

int sysfs_read_number(const struct root *root, struct number *ret_number, const char *format, ...)
{
	char path[PATH_MAX], text[SYSFS_TEXT_SIZE];
	uint64_t value;
	ssize_t length;
	int rc;

	FORMAT_PATH(rc, path, format);
	length = rc ? rc : sysfs_read_path(root, text, path);
	if (length < 0)
		return (int)length;
	if (text_parse_u64(text, 10, UINT64_MAX, &value))
		return -EINVAL;
	number_set(ret_number, value);
	return 0;
}

int sysfs_link_path(const struct root *root, char **ret_target, const char *path)
{
	char target[PATH_MAX];
	ssize_t length = root_read_link(root, path, target);
	int error;

	if (length < 0)
		return length == -ENOENT && !root->live ? saved_error(root, path) : (int)length;
	error = root->live ? 0 : error_of_target(target);
	if (error)
		return error;
	*ret_target = mem_string(target);
	return 0;
}

int sysfs_link(const struct root *root, char **ret_target, const char *format, ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, format);
	return rc ? rc : sysfs_link_path(root, ret_target, path);
}

int sysfs_link_name(const struct root *root, char **ret_name, const char *format, ...)
{
	_cleanup_(freep) char *target = NULL;
	char path[PATH_MAX];
	const char *slash;
	int rc;

	FORMAT_PATH(rc, path, format);
	if (!rc)
		rc = sysfs_link_path(root, &target, path);
	if (rc || !target)
		return rc;
	slash = strrchr(target, '/');
	*ret_name = text_clean(slash ? slash + 1 : target, strlen(slash ? slash + 1 : target));
	return 0;
}

bool sysfs_is_pci_address(const char *name, size_t length)
{
	static const char form[] = "xxxx:xx:xx.x";

	while (length > sizeof(form) - 1 && isxdigit((unsigned char)*name)) {
		name++;
		length--;
	}
	if (length != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < length; i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)name[i]) : name[i] != form[i])
			return false;
	return true;
}

size_t sysfs_find_pci(const char *target, char **ret_address)
{
	const char *last = NULL;
	size_t last_length = 0;

	for (const char *part = target; *part;) {
		size_t length = strcspn(part, "/");

		if (sysfs_is_pci_address(part, length)) {
			last = part;
			last_length = length;
		}
		part += length + (part[length] == '/');
	}
	if (!last)
		return 0;
	free(*ret_address);
	*ret_address = mem_format("%.*s", (int)last_length, last);
	return (size_t)(last - target) + last_length;
}

static int list_names(const struct root *root, struct strings *ret_names, const char *path,
		      bool hidden)
{
	_cleanup_(closep) int fd = sysfs_open(root, path, O_DIRECTORY);

	return fd < 0 ? fd : sysfs_list_open(fd, ret_names, hidden);
}

int sysfs_list_all(const struct root *root, struct strings *ret_names, const char *format, ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, format);
	return rc ? rc : list_names(root, ret_names, path, true);
}

int sysfs_list(const struct root *root, struct strings *ret_names, const char *format, ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, format);
	if (!rc)
		rc = list_names(root, ret_names, path, false);
	if (!rc)
		sysfs_sort_names(ret_names);
	return rc;
}

static int compare_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int sysfs_list_by_bytes(const struct root *root, struct strings *ret_names, const char *format, ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, format);
	if (!rc)
		rc = list_names(root, ret_names, path, true);
	if (!rc)
		MEM_SORT(ret_names->items, ret_names->count, compare_bytes);
	return rc;
}

int sysfs_count(const struct root *root, size_t *ret_count, const char *format, ...)
{
	_cleanup_(strings_free) struct strings names = {0};
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, format);
	if (!rc)
		rc = list_names(root, &names, path, false);
	if (rc)
		return rc;
	*ret_count = names.count;
	return 0;
}

int sysfs_open_directory(const struct root *root, const char *path)
{
	_cleanup_(closep) int fd = sysfs_open(root, path, O_DIRECTORY);

	return fd < 0 ? fd : 0;
}

bool sysfs_has_directory(const struct root *root, const char *path)
{
	return !sysfs_open_directory(root, path);
}

/* Returns the value of a line KEY=VALUE of a uevent file, given "KEY="; NULL if there is none. */
static char *read_uevent(const struct root *root, const char *directory, const char *key)
{
	char text[SYSFS_TEXT_SIZE];
	const char *value;

	if (sysfs_read(root, text, "%s/uevent", directory) <= 0)
		return NULL;
	value = text_line(text, key);
	return value ? text_clean(value, strcspn(value, "\n")) : NULL;
}

char *sysfs_pci_slot(const struct root *root, const char *directory)
{
	_cleanup_(freep) char *name = read_uevent(root, directory, "PCI_SLOT_NAME=");

	return name && sysfs_is_pci_address(name, strlen(name)) ? mem_string(name) : NULL;
}

char *sysfs_driver(const struct root *root, const char *directory)
{
	_cleanup_(freep) char *device = mem_format("%s/device", directory);
	_cleanup_(freep) char *target = NULL;
	const char *name;

	/* In a copy that followed links, driver is a directory without a name. */
	if (sysfs_link(root, &target, "%s/driver", device) || !target)
		target = read_uevent(root, device, "DRIVER=");
	if (!target)
		return NULL;
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	/*
	 * The name starts with the module: "mlx5_core", or "mlx5_core.mlx5_core.sf" for an
	 * auxiliary device.
	 */
	return text_clean(name, strcspn(name, "."));
}

/*
 * Both were children of their netdev's device until "RDMA/siw,rxe: Make emulated devices virtual in
 * the device tree". Only rxe has the file `parent`: drivers/infiniband/sw/rxe/rxe_verbs.c; siw's
 * description cannot be changed: SIW_NODE_DESC_COMMON, include/uapi/rdma/siw-abi.h.
 */
bool sysfs_is_software(const struct root *root, const char *directory)
{
	char text[SYSFS_TEXT_SIZE];

	return sysfs_read(root, text, "%s/parent", directory) >= 0 ||
	       (sysfs_has_directory(root, "sys/module/siw") &&
		sysfs_read(root, text, "%s/node_desc", directory) > 0 &&
		!strcmp(text, "Software iWARP stack"));
}

void sysfs_note_text(struct problems *problems, const char *object, const char *attribute,
		     const char *text)
{
	enum { SHOWN = 60 };
	size_t length = strlen(text);
	_cleanup_(freep) char *clean = text_clean(text, length < SHOWN ? length : SHOWN);
	_cleanup_(freep) char *error = length ? mem_format("unexpected text '%s'", clean)
					      : mem_string("the file is empty");

	problem_add_text(problems, object, attribute, "sysfs", error, NULL);
}

void sysfs_note(struct problems *problems, const char *object, const char *attribute,
		ssize_t length, const char *text)
{
	if (length < 0)
		problem_add(problems, object, attribute, "sysfs", (int)length, NULL);
	else
		sysfs_note_text(problems, object, attribute, text);
}

int sysfs_write(const char *path, const char *text)
{
	const size_t length = *text ? strlen(text) : 1;
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t written = fd < 0 ? -1 : write(fd, text, length);

	if (written < 0)
		return -errno;
	return (size_t)written == length ? 0 : -EIO;
}

bool sysfs_take_range(const char **list, unsigned long *ret_first, unsigned long *ret_last)
{
	char *end;

	*list += **list == ',';
	if (!isdigit((unsigned char)**list))
		return false;
	*ret_first = *ret_last = strtoul(*list, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		*ret_last = strtoul(end + 1, &end, 10);
	if (*end == '-' || *ret_first > *ret_last)
		return false;
	*list = end;
	return true;
}

bool sysfs_ranges_overlap(const char *a, const char *b)
{
	unsigned long first, last, other_first, other_last;

	while (sysfs_take_range(&a, &first, &last))
		for (const char *rest = b; sysfs_take_range(&rest, &other_first, &other_last);)
			if (first <= other_last && other_first <= last)
				return true;
	return false;
}

unsigned long sysfs_ranges_count(const char *list)
{
	unsigned long first, last = 0, count = 0;

	/* No kernel has that many processors or nodes. */
	while (sysfs_take_range(&list, &first, &last) && last <= UINT16_MAX)
		count += last - first + 1;
	return *list || last > UINT16_MAX ? 0 : count;
}
