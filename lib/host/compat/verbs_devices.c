/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/compat/verbs_devices.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/verbs.h"
#include "kernel/sysfs.h"

int verbs_devices_open(const char *root, struct verbs_devices **ret_devices)
{
	_cleanup_(verbs_devices_closep) struct verbs_devices *devices = mem_alloc_zero(
		1, sizeof(*devices));
	int rc = root_open(root, &devices->root);

	if (rc) {
		devices->root.fd = -1;
		return rc;
	}
	if (!root_answers(&devices->root))
		return -EOPNOTSUPP;
	rc = verbs_open(&devices->root, &devices->verbs);
	if (!rc)
		rc = verbs_check_list(devices->verbs);
	if (rc)
		return rc;
	*ret_devices = devices;
	devices = NULL;
	return 0;
}

void verbs_devices_close(struct verbs_devices *devices)
{
	if (!devices)
		return;
	verbs_free(devices->verbs);
	root_close(&devices->root);
	free(devices);
}

/* Reads the complete table in one call, or from sysfs if library or kernel lack that call. */
static void read_gids(const struct verbs_devices *devices, struct verbs_device *opened,
		      const char *name, struct verbs_facts *facts)
{
	struct device *device = device_list_add(&facts->gids, name);

	for (size_t i = 0; i < facts->caps.port_caps_count; i++) {
		const struct port_caps *caps = &facts->caps.ports[i];
		struct port *port = device_add_port(device, (unsigned int)caps->port.value);

		port->link_layer = caps->link_layer;
	}
	if (!verbs_get_gids(opened, device))
		return;
	for (size_t i = 0; i < device->port_count; i++)
		gid_table_read_sysfs(&devices->root, &device->ports[i], false, false, NULL);
}

enum verbs_answer verbs_devices_read(struct verbs_devices *devices, const char *name, bool gids,
				     struct verbs_facts *facts)
{
	char text[SYSFS_TEXT_SIZE];
	struct verbs_device *opened;
	enum verbs_answer answer = VERBS_TOLD;

	*facts = (struct verbs_facts){.board_id = NULL};
	if (verbs_open_device(devices->verbs, name, &opened))
		return VERBS_NOT_OPENED;
	if (verbs_get_caps(opened, &facts->caps))
		answer = VERBS_NOT_TOLD;
	else if (sysfs_read(&devices->root, text, SYSFS_RDMA_CLASS "/%s/board_id", name) > 0)
		facts->board_id = text_clean(text, strlen(text));
	if (gids && answer == VERBS_TOLD)
		read_gids(devices, opened, name, facts);
	verbs_close_device(opened);
	return answer;
}

void verbs_facts_clear(struct verbs_facts *facts)
{
	free(facts->board_id);
	caps_clear(&facts->caps);
	device_list_clear(&facts->gids);
	facts->board_id = NULL;
}

/* Milliseconds for which a removed device may block until we notice. */
enum { ABANDONED_MSEC = 1000 };

void verbs_async_run(struct verbs_async *async, verbs_event_handler *handle, void *context)
{
	struct pollfd fd = {.fd = verbs_async_fd(async), .events = POLLIN};

	while (poll(&fd, 1, ABANDONED_MSEC) >= 0 || errno == EINTR)
		if (verbs_async_read(async, handle, context) || verbs_async_abandoned(async))
			return;
}
