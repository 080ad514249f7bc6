/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_devices(1) of ibverbs-utils. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/compat/compat.h"
#include "cmd/compat/ibv.h"

struct verbs_devices *ibv_open_list(const struct personality_call *call)
{
	const char *const failure = "Failed to get IB devices list";
	struct verbs_devices *devices = NULL;
	const struct strings *messages;
	int rc;

	if (call->root) {
		fprintf(stderr, "%s: a saved tree has no verbs\n", failure);
		return NULL;
	}
	rc = verbs_devices_open(&devices);
	if (rc) {
		fprintf(stderr, "%s: %s\n", failure, strerror(-rc));
		return NULL;
	}
	messages = verbs_devices_messages(devices);
	for (size_t i = 0; i < messages->count; i++)
		fprintf(stderr, "%s\n", messages->items[i]);
	return devices;
}

/* The tool accepts and ignores all arguments. */
static int run(const struct personality_call *call, int argc, char **argv)
{
	_cleanup_(verbs_devices_closep) struct verbs_devices *devices = ibv_open_list(call);
	struct verbs_device_name device;

	(void)argc;
	(void)argv;
	if (!devices)
		return 1;
	printf("    %-16s\t   node GUID\n", "device");
	printf("    %-16s\t----------------\n", "------");
	for (size_t i = 0; verbs_devices_at(devices, i, &device); i++)
		printf("    %-16s\t%016" PRIx64 "\n", device.name, device.node_guid);
	return 0;
}

const struct personality ibv_devices_personality = {
	.name = "ibv_devices",
	.package = "ibverbs-utils",
	.summary = "the devices that programs can open by libibverbs",
	.run = run,
};
