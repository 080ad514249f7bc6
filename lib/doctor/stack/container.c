/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of what a container has been given. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/stack/stack.h"

bool doctor_is_contained(const struct doctor_context *run)
{
	return run->profile == PROFILE_CONTAINER || doctor_in_container(run->facts);
}

const char *doctor_on_host(const struct doctor_context *run)
{
	return doctor_is_contained(run) ? "on the host: " : "";
}

bool container_has_devices(struct doctor_context *run)
{
	return run->facts->inventory.devices.count && doctor_is_contained(run);
}

struct judged check_container_devices(struct doctor_context *run)
{
	const struct device_list *devices = &run->facts->inventory.devices;
	_cleanup_(strings_free) struct strings usable = {.items = NULL};
	_cleanup_(freep) char *list = NULL;
	size_t seen = 0, forbidden = 0;

	for_each (device, devices) {
		struct device_node node;

		if (!device->uverbs)
			continue;
		node = doctor_read_node(run->facts, "infiniband_verbs", device->uverbs);
		if (node.fault == NODE_NOT_SAVED)
			return doctor_not_checked(run, NEEDS_LIVE,
						  "the saved tree has no device files");
		seen++;
		forbidden += node.fault == NODE_FORBIDDEN;
		if (node.fault != NODE_MISSING && node.fault != NODE_FORBIDDEN)
			strings_add(&usable, device->name);
	}
	list = doctor_names(&usable);
	doctor_evidence(run, "/dev/infiniband",
			"devices with uverbs: %zu, with a device file: %zu%s%s%s", seen,
			usable.count, list ? " (" : "", list ? list : "", list ? ")" : "");
	if (forbidden)
		doctor_evidence(run, "/dev/infiniband",
				"with a device file that a control group forbids: %zu", forbidden);
	if (!usable.count)
		return doctor_error(run, "the container has no RDMA device");
	if (usable.count < seen) {
		doctor_next_step(run, "nothing to do if the container is meant to have only these");
		return doctor_note(run, "the container has some of the host's RDMA devices");
	}
	return doctor_ok(run, "the container has all RDMA devices");
}

/*
 * Whether an RDMA half has a driver: then there is a device, in this network namespace or another.
 */
static bool has_device_somewhere(struct doctor_facts *facts)
{
	const struct auxiliary_devices *list = doctor_auxiliary_devices(facts);

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].rdma && list->items[i].bound)
			return true;
	return false;
}

struct judged check_netns_mode(struct doctor_context *run)
{
	int rc;
	const enum tristate shared = doctor_namespaces_are_shared(run->facts, &rc);
	const size_t count = run->facts->inventory.devices.count;
	const char *source = "/sys/module/ib_core/parameters/netns_mode";

	if (rc == -ENOENT)
		return doctor_does_not_apply(run);
	if (rc)
		return doctor_unread(run, "the namespace mode", source, rc, false);
	doctor_evidence(run, source, "%s", shared == TRISTATE_YES ? "Y: shared" : "N: exclusive");
	if (shared == TRISTATE_YES)
		return doctor_ok(run, "every network namespace sees all RDMA devices");
	doctor_evidence(run, "/sys/class/infiniband", "%zu RDMA device%s here", count,
			text_plural_s(count));
	if (!count && has_device_somewhere(run->facts))
		return doctor_verdict(run,
				      doctor_is_contained(run) ? SEVERITY_ERROR : SEVERITY_NOTICE,
				      "the RDMA devices are in another network namespace");
	return doctor_note(run, "each RDMA device is in only one network namespace");
}
