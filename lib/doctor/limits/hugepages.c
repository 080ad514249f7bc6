/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The check of reserved huge pages: see doctor/frame/limits.def. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/limits/limits.h"
#include "kernel/sysfs.h"

/*
 * The EFA provider of libfabric takes its buffers from huge pages, with a small gain, and from
 * others if there are none: efa_rdm_ep_fiops.c and docs/overview.md in prov/efa.
 */
static struct judged judge_no_hugepages(struct doctor_context *run)
{
	bool efa = false;

	for_each (device, &run->facts->inventory.devices)
		efa |= device->driver && !strcmp(device->driver, "efa");
	if (!efa)
		return doctor_does_not_apply(run);
	doctor_evidence(run, "/sys/kernel/mm/hugepages", "none reserved");
	return doctor_note(run, "libfabric finds no huge pages for its buffers on EFA");
}

struct judged check_hugepages(struct doctor_context *run)
{
	static const char directory[] = "sys/kernel/mm/hugepages";
	const struct root *root = &run->facts->root;
	struct strings sizes = {.known = false};
	bool any = false, empty = false;
	int rc = sysfs_list(root, &sizes, "%s", directory);

	for (size_t i = 0; !rc && i < sizes.count; i++) {
		_cleanup_(freep) char *name = text_clean(sizes.items[i], strlen(sizes.items[i]));
		struct number total = {0}, unused = {0}, claimed = {0};

		rc = sysfs_read_number(root, &total, "%s/%s/nr_hugepages", directory,
				       sizes.items[i]);
		if (!rc)
			rc = sysfs_read_number(root, &unused, "%s/%s/free_hugepages", directory,
					       sizes.items[i]);
		if (rc || !total.value)
			continue;
		/* Mappings have reserved them: Documentation/admin-guide/mm/hugetlbpage.rst. */
		sysfs_read_number(root, &claimed, "%s/%s/resv_hugepages", directory,
				  sizes.items[i]);
		unused.value -= claimed.value < unused.value ? claimed.value : unused.value;
		any = true;
		empty |= !unused.value;
		doctor_evidence(run, "/sys/kernel/mm/hugepages",
				"%s: %" PRIu64 " of %" PRIu64 " free%s", name, unused.value,
				total.value,
				claimed.value ? ", not counting those of resv_hugepages" : "");
	}
	strings_free(&sizes);
	if (rc && !(rc == -ENOENT && root->live))
		return limits_unread(run, "the reserved huge pages", "/sys/kernel/mm/hugepages",
				     rc);
	if (!any)
		return judge_no_hugepages(run);
	if (empty)
		return doctor_note(run, "reserved huge pages are used up");
	return doctor_ok(run, "reserved huge pages are free");
}
