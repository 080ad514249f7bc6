/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/versions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/sysfs.h"
#include "render/json_read.h"

static const struct schema no_head = {.name = "none"};

static int read_document(const struct root *root, struct component_list *list)
{
	const struct root folder = {.fd = root->snapshot};
	_cleanup_(freep) char *text = NULL, *message = NULL;
	void *records = NULL;
	size_t count = 0;
	int rc = sysfs_read_file(&folder, &text, "versions.json");

	if (!rc)
		rc = json_read(text, strlen(text), &no_head, NULL, &component_schema, &records,
			       &count, &message);
	if (rc)
		return rc;
	*list = (struct component_list){.items = records, .count = count};
	for (size_t i = 0; i < count; i++)
		if (!list->items[i].name)
			list->items[i].name = mem_string("-");
	return 0;
}

static int read_release(const struct root *root, struct component_list *list)
{
	_cleanup_(freep) char *release = sysfs_text(root, "proc/sys/kernel/osrelease");

	if (!release)
		return -ENOENT;
	component_add(list, "kernel", NULL, release, NULL);
	return 0;
}

int snapshot_versions(const char *directory, struct component_list *list)
{
	struct root root;
	int rc = root_open(directory, &root);

	if (rc)
		return rc;
	rc = root.recorded ? read_document(&root, list) : -ENOENT;
	if (rc)
		rc = read_release(&root, list);
	root_close(&root);
	return rc;
}
