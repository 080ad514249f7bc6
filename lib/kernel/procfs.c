/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

enum { DIGITS_MOST = 20 };

/* Parses the number at the start of a text; false if there is none or it is too large. */
static bool get_number(const char *text, struct number *number)
{
	uint64_t value;

	if (strspn(text, "0123456789") > DIGITS_MOST ||
	    text_take_u64(&text, 10, UINT64_MAX, &value))
		return false;
	number_set(number, value);
	return true;
}

/* Returns the text after `label` and blanks at the start of a line; NULL without such a line. */
static const char *find_line(const char *text, const char *label)
{
	const char *rest = text_line(text, label);

	return rest ? rest + strspn(rest, " \t") : NULL;
}

struct number procfs_kilobytes(const char *text, const char *label)
{
	const char *line = find_line(text, label);
	struct number number = {0};

	if (line && get_number(line, &number) && number.value <= UINT64_MAX / 1024)
		return number_of(number.value * 1024);
	return (struct number){0};
}

/* A thread's status may lack the value; then the value of its process stays. */
static void take_kilobytes(const char *text, const char *label, struct number *bytes)
{
	const struct number number = procfs_kilobytes(text, label);

	if (number.known)
		*bytes = number;
}

/* Restores the name as in comm: here \n and \\ are escaped, proc_task_name(), fs/proc/array.c */
static char *unescape_name(const char *line)
{
	size_t length = strcspn(line, "\n"), at = 0;
	_cleanup_(freep) char *name = mem_alloc_zero(length + 1, 1);

	for (size_t i = 0; i < length; i++) {
		bool escape = line[i] == '\\' && (line[i + 1] == 'n' || line[i + 1] == '\\');

		i += escape;
		name[at++] = escape && line[i] == 'n' ? '\n' : line[i];
	}
	return text_clean(name, at);
}

void procfs_parse_status(const char *text, struct procfs_task *task)
{
	const char *name = find_line(text, "Name:");
	const char *process = find_line(text, "Tgid:"), *parent = find_line(text, "PPid:");
	const char *users = find_line(text, "Uid:"), *capabilities = find_line(text, "CapEff:");
	unsigned int user;
	uint64_t mask;

	if (name && !task->name)
		task->name = unescape_name(name);
	if (process)
		get_number(process, &task->process);
	if (parent)
		get_number(parent, &task->parent);
	/* Real, effective, saved and file system user, proc_pid_status(5). */
	if (users && sscanf(users, "%*u %u", &user) == 1)
		number_set(&task->user, user);
	if (capabilities && sscanf(capabilities, "%16" SCNx64, &mask) == 1)
		number_set(&task->capabilities, mask);
	take_kilobytes(text, "VmLck:", &task->locked_bytes);
	take_kilobytes(text, "VmPin:", &task->pinned_bytes);
}

int procfs_read_task(const struct root *root, uint64_t task, struct procfs_task *ret_task)
{
	_cleanup_(freep) char *text = NULL;
	int rc = sysfs_read_long(root, &text, "proc/%" PRIu64 "/status", task);

	if (rc)
		return rc;
	*ret_task = (struct procfs_task){0};
	procfs_parse_status(text, ret_task);
	return 0;
}

void cgroup_device_list_clear(struct cgroup_device_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].device);
	free(list->items);
	*list = (struct cgroup_device_list){0};
}

void procfs_task_clear(struct procfs_task *task)
{
	free(task->name);
	task->name = NULL;
}

/* Returns the text after the limit. */
static const char *get_limit(const char *text, const char *none, struct limit *limit)
{
	text += strspn(text, " \t");
	if (!strncmp(text, none, strlen(none)))
		limit->unlimited = TRISTATE_YES;
	else if (get_number(text, &limit->value))
		limit->unlimited = TRISTATE_NO;
	return text + strcspn(text, " \t\n");
}

void procfs_parse_limit(const char *text, const char *line, struct limit *soft, struct limit *hard)
{
	const char *values = find_line(text, line);

	if (!values)
		return;
	values = get_limit(values, "unlimited", soft);
	get_limit(values, "unlimited", hard);
}

void procfs_parse_memlock(const char *text, struct limit *soft, struct limit *hard)
{
	procfs_parse_limit(text, "Max locked memory", soft, hard);
}

int procfs_read_memlock(const struct root *root, uint64_t process, struct limit *ret_soft,
			struct limit *ret_hard)
{
	_cleanup_(freep) char *text = NULL;
	int rc = sysfs_read_long(root, &text, "proc/%" PRIu64 "/limits", process);

	if (!rc)
		procfs_parse_memlock(text, ret_soft, ret_hard);
	return rc;
}

bool procfs_parse_root_mount(const char *line, struct procfs_root_mount *ret_mount)
{
	struct procfs_root_mount mount = {.end = 0};

	sscanf(line, "%*s %*s %n%*s %n%*s%n", &mount.device, &mount.directory, &mount.end);
	if (!mount.end || strncmp(line + mount.end, " / ", 3) != 0)
		return false;
	*ret_mount = mount;
	return true;
}

/* Blanks and backslashes are written in octal, such as \040: mangle() in fs/seq_file.c. */
char *procfs_take_mount_field(char **rest)
{
	char *field = strsep(rest, " "), *out = field;

	if (!field)
		return NULL;
	for (const char *in = field; *in; in++) {
		if (*in == '\\' && in[1] >= '0' && in[1] <= '3' && in[2] >= '0' && in[2] <= '7' &&
		    in[3] >= '0' && in[3] <= '7') {
			*out++ = (char)((in[1] - '0') * 64 + (in[2] - '0') * 8 + in[3] - '0');
			in += 3;
		} else {
			*out++ = *in;
		}
	}
	*out = '\0';
	return field;
}

/* Whether `word` is one of the comma-separated words. */
static bool has_word(const char *list, size_t length, const char *word)
{
	const char *end = list + length, *comma;

	for (const char *at = list; at <= end; at = comma + 1) {
		comma = memchr(at, ',', (size_t)(end - at)) ?: end;
		if ((size_t)(comma - at) == strlen(word) && !strncmp(at, word, strlen(word)))
			return true;
	}
	return false;
}

static void take_mount(char *line, struct procfs_cgroups *cgroups)
{
	char *rest = line, *root = NULL, *mount = NULL, *field;
	char *type, *options = NULL;
	bool v1;

	/*
	 * ID PARENT DEVICE ROOT MOUNT OPTIONS... - TYPE SOURCE OPTIONS:
	 * Documentation/filesystems/proc.rst, 3.5
	 */
	for (int i = 0; (field = procfs_take_mount_field(&rest)) && strcmp(field, "-"); i++) {
		root = i == 3 ? field : root;
		mount = i == 4 ? field : mount;
	}
	type = procfs_take_mount_field(&rest);
	procfs_take_mount_field(&rest);
	options = procfs_take_mount_field(&rest);
	if (!root || !mount || *mount != '/' || !type || !options)
		return;
	v1 = !strcmp(type, "cgroup") && has_word(options, strlen(options), "rdma");
	if (!v1 && (strcmp(type, "cgroup2") || cgroups->mount))
		return;
	/* A controller is in one hierarchy only: v2 lacks it if v1 has it. */
	if (cgroups->mount && cgroups->v1)
		return;
	procfs_cgroups_clear(cgroups);
	*cgroups = (struct procfs_cgroups){mem_string(mount + 1), mem_string(root), v1};
}

void procfs_parse_mountinfo(const char *text, struct procfs_cgroups *cgroups)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		take_mount(line, cgroups);
}

int procfs_find_cgroups(const struct root *root, struct procfs_cgroups *ret_cgroups)
{
	_cleanup_(freep) char *text = NULL;
	int rc = sysfs_read_file(root, &text, "proc/self/mountinfo");

	if (rc)
		return rc;
	*ret_cgroups = (struct procfs_cgroups){0};
	procfs_parse_mountinfo(text, ret_cgroups);
	return 0;
}

void procfs_cgroups_clear(struct procfs_cgroups *cgroups)
{
	free(cgroups->mount);
	free(cgroups->root);
	*cgroups = (struct procfs_cgroups){0};
}

char *procfs_parse_cgroup(const char *text, bool v1)
{
	while (text && *text) {
		const char *controllers = strchr(text, ':');
		const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		size_t length = strcspn(text, "\n");
		bool wanted;

		/* ID:CONTROLLERS:PATH, cgroups(7); v2 has 0::PATH. */
		if (path && path < text + length) {
			size_t words = (size_t)(path - controllers - 1);

			wanted = v1 ? has_word(controllers + 1, words, "rdma")
				    : !strncmp(text, "0::", 3);
			if (wanted)
				return mem_format("%.*s", (int)(text + length - path - 1),
						  path + 1);
		}
		text += length;
		text += *text == '\n';
	}
	return NULL;
}

static struct cgroup_device *find_device(struct cgroup_device_list *list, const char *name)
{
	struct cgroup_device *device;

	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].device, name))
			return &list->items[i];
	device = mem_append(&list->items, &list->count, sizeof(*list->items));
	device->device = mem_string(name);
	return device;
}

/* Parses hca_handle=2 or hca_object=max. */
static void take_count(const char *word, bool limits, struct cgroup_device *device)
{
	bool handle = !strncmp(word, "hca_handle=", 11);

	if (!handle && strncmp(word, "hca_object=", 11))
		return;
	if (limits)
		get_limit(word + 11, "max", handle ? &device->most_handles : &device->most_objects);
	else
		get_number(word + 11, handle ? &device->handles : &device->objects);
}

/* Documentation/admin-guide/cgroup-v2.rst, RDMA Interface Files; v1 has the same format. */
void procfs_parse_rdma(const char *text, bool limits, struct cgroup_device_list *list)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *name = strsep(&line, " "), *word;
		_cleanup_(freep) char *clean = text_clean(name, strlen(name));
		struct cgroup_device *device = *clean && line ? find_device(list, clean) : NULL;

		while (device && (word = strsep(&line, " ")))
			take_count(word, limits, device);
	}
}

/* Returns 0 if the group has the files. */
static int read_group(const struct root *root, const struct procfs_cgroups *cgroups,
		      const char *path, struct cgroup_device_list *list)
{
	static const char *const names[] = {"rdma.current", "rdma.max"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_(freep) char *text = NULL;
		int rc = sysfs_read_long(root, &text, "%s/%s/%s", cgroups->mount, path, names[i]);

		if (rc)
			return rc;
		procfs_parse_rdma(text, i, list);
	}
	return 0;
}

/* Cuts off the last component. False at the top: "/", or the empty path that is left of /jobs. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !strcmp(path, "/"))
		return false;
	*slash = '\0';
	return true;
}

/* Returns the path of the process's group within its hierarchy. */
static int find_group(const struct root *root, const struct procfs_cgroups *cgroups,
		      const char *process, char **ret_group)
{
	_cleanup_(freep) char *text = NULL, *group = NULL;
	int rc;

	if (!cgroups->mount)
		return -ENOENT;
	rc = sysfs_read_long(root, &text, "proc/%s/cgroup", process);
	if (rc)
		return rc;
	group = procfs_parse_cgroup(text, cgroups->v1);
	/* Outside the visible part of the hierarchy: cgroup_namespaces(7) */
	if (!group || !strncmp(group, "/..", 3))
		return -ENOENT;
	*ret_group = group;
	group = NULL;
	return 0;
}

/* Reads a group at or below the mounted one. -ENOENT: the group lacks the controller. */
static int read_level(const struct root *root, const struct procfs_cgroups *cgroups,
		      const char *group, struct cgroup_level *ret_level)
{
	const size_t length = strcmp(cgroups->root, "/") ? strlen(cgroups->root) : 0;
	struct cgroup_level level = {0};
	int rc = read_group(root, cgroups, group + length, &level.devices);

	if (rc) {
		cgroup_device_list_clear(&level.devices);
		return rc;
	}
	level.group = text_clean(*group ? group : "/", *group ? strlen(group) : 1);
	*ret_level = level;
	return 0;
}

static bool is_mounted(const struct procfs_cgroups *cgroups, const char *group)
{
	const size_t length = strlen(cgroups->root);

	if (!strcmp(cgroups->root, "/"))
		return true;
	/* /boxes is not part of /box. */
	return !strncmp(group, cgroups->root, length) && (!group[length] || group[length] == '/');
}

/* Reads the groups from that of the process up to the root, or only the first of them. */
static int read_levels(const struct root *root, const struct procfs_cgroups *cgroups,
		       const char *process, bool first, struct cgroup_levels *ret_levels)
{
	_cleanup_(freep) char *group = NULL;
	struct cgroup_levels levels = {0};
	int rc = find_group(root, cgroups, process, &group);

	if (rc)
		return rc;
	do {
		struct cgroup_level level;

		if (!is_mounted(cgroups, group))
			break;
		rc = read_level(root, cgroups, group, &level);
		if (!rc)
			MEM_ADD(levels.items, levels.count) = level;
	} while ((rc ? rc == -ENOENT : !first) && go_up(group));
	if (rc && rc != -ENOENT) {
		cgroup_levels_clear(&levels);
		return rc;
	}
	/* CFTYPE_NOT_ON_ROOT, kernel/cgroup/rdma.c: the topmost group, read last, has the files. */
	levels.more_above = !rc;
	*ret_levels = levels;
	return 0;
}

int procfs_read_rdma_cgroups(const struct root *root, const struct procfs_cgroups *cgroups,
			     const char *process, struct cgroup_levels *ret_levels)
{
	return read_levels(root, cgroups, process, false, ret_levels);
}

int procfs_read_rdma_cgroup(const struct root *root, const struct procfs_cgroups *cgroups,
			    uint64_t process, char **ret_group, struct cgroup_device_list *ret_list)
{
	_cleanup_(freep) char *number = mem_format("%" PRIu64, process);
	struct cgroup_levels levels;
	int rc = read_levels(root, cgroups, number, true, &levels);

	if (rc || !levels.count)
		return rc ? rc : -ENOENT;
	*ret_group = levels.items[0].group;
	*ret_list = levels.items[0].devices;
	free(levels.items);
	return 0;
}

void cgroup_levels_clear(struct cgroup_levels *levels)
{
	for (size_t i = 0; i < levels->count; i++) {
		free(levels->items[i].group);
		cgroup_device_list_clear(&levels->items[i].devices);
	}
	free(levels->items);
	*levels = (struct cgroup_levels){0};
}
