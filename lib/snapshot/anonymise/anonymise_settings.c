/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/anonymise/anonymise_settings.h"

#include <fnmatch.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static bool matches_any(const char *word, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!fnmatch(patterns[i], word, 0))
			return true;
	return false;
}

/* Only what rules of modules and the topology are read from: the rest names disks and hosts. */
static char *keep_arguments(const char *text)
{
	static const char *const wanted[] = {"*blacklist=*", "*iommu*",	   "pci=*",
					     "mlx*",	     "ib_*",	   "rdma*",
					     "*hugepages*",  "isolcpus=*", "numa*"};
	_cleanup_(freep) char *copy = mem_string(text);
	struct text_buffer out = {.text = NULL};
	char *rest = copy, *word;

	while ((word = strsep(&rest, " \n")))
		if (matches_any(word, wanted, ARRAY_SIZE(wanted)))
			text_buffer_add(&out, "%s%s", out.length ? " " : "", word);
	text_buffer_add(&out, "\n");
	return text_buffer_take(&out);
}

/* Limits of all users, without comments: the other lines name users and groups, limits.conf(5). */
static char *keep_limits(const char *text)
{
	_cleanup_(freep) char *copy = mem_string(text);
	struct text_buffer out = {.text = NULL};
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#")] = '\0';
		line += strspn(line, " \t");
		if (line[0] == '*' && strspn(line + 1, " \t"))
			text_buffer_add(&out, "%s\n", line);
	}
	return text_buffer_take(&out);
}

/* What doctor reads (lib/doctor/limits/settings.c): the rest has paths of users and hosts. */
static char *keep_nccl(const char *text)
{
	static const char *const wanted[] = {"NCCL_IB_HCA=*", "NCCL_SOCKET_IFNAME=*",
					     "NCCL_IB_GID_INDEX=*"};
	_cleanup_(freep) char *copy = mem_string(text);
	struct text_buffer out = {.text = NULL};
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (matches_any(line, wanted, ARRAY_SIZE(wanted)))
			text_buffer_add(&out, "%s\n", line);
	return text_buffer_take(&out);
}

char *anonymise_settings(const char *path, const char *text)
{
	if (text_ends_with(path, "/cmdline"))
		return keep_arguments(text);
	if (strstr(path, "/etc/security/limits."))
		return keep_limits(text);
	if (text_ends_with(path, "/nccl.conf"))
		return keep_nccl(text);
	return NULL;
}
