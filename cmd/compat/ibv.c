/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_devices(1) and ibv_asyncwatch(1) of ibverbs-utils. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/compat/ibv.h"

struct verbs_devices *ibv_open_list(const struct personality_call *call)
{
	const char *const failure = "Failed to get IB devices list";
	struct verbs_devices *devices = NULL;
	const struct strings *messages;
	int rc;

	rc = verbs_devices_open(call->root, &devices);
	if (rc) {
		fprintf(stderr, "%s: %s\n", failure,
			rc == -EOPNOTSUPP && call->root ? "a saved tree has no verbs"
			: rc == -ENODATA ? "the snapshot does not hold the list of devices"
					 : strerror(-rc));
		return NULL;
	}
	messages = verbs_warnings(devices->verbs);
	for (size_t i = 0; i < messages->count; i++)
		fprintf(stderr, "%s\n", messages->items[i]);
	return devices;
}

/* The tool accepts and ignores all arguments. */
int ibv_devices_run(const struct personality_call *call, int argc, char **argv)
{
	_cleanup_(verbs_devices_closep) struct verbs_devices *devices = ibv_open_list(call);
	struct verbs_listed device;

	(void)argc;
	(void)argv;
	if (!devices)
		return 1;
	printf("    %-16s\t   node GUID\n", "device");
	printf("    %-16s\t----------------\n", "------");
	for (size_t i = 0; verbs_listed(devices->verbs, i, &device); i++)
		printf("    %-16s\t%016" PRIx64 "\n", device.name, device.node_guid);
	return 0;
}

static int usage(const char *program, int status)
{
	printf("Usage:\n"
	       "  %s            start an asyncwatch process\n"
	       "\n"
	       "Options:\n"
	       "  -d, --ib-dev=<dev>     use IB device <dev> (default first device found)\n"
	       "  -h, --help             print a help text and exit\n",
	       program);
	return status;
}

/* Words by enum ibv_event_type; the newer release has one more. */
static const char *event_name(enum compat_release release, unsigned int type)
{
	static const char *const names[] = {
		[8] = "IBV_EVENT_DEVICE_FATAL",
		[9] = "IBV_EVENT_PORT_ACTIVE",
		[10] = "IBV_EVENT_PORT_ERR",
		[11] = "IBV_EVENT_LID_CHANGE",
		[12] = "IBV_EVENT_PKEY_CHANGE",
		[13] = "IBV_EVENT_SM_CHANGE",
		[17] = "IBV_EVENT_CLIENT_REREGISTER",
		[18] = "IBV_EVENT_GID_CHANGE",
		[20] = "IBV_EVENT_DEVICE_SPEED_CHANGE",
	};
	const bool known = type < ARRAY_SIZE(names) && names[type] &&
			   (release >= COMPAT_65 || type <= 18);

	return known ? names[type] : "unexpected";
}

static void print_event(void *context, const struct verbs_event *event)
{
	const struct personality_call *call = context;

	printf("  event_type %s (%u), port %u\n", event_name(call->release, event->type),
	       event->type, event->port);
}

/* Finds the device with that name, or the first one if there is no name. */
static bool find_device(const struct verbs_devices *devices, const char *name,
			struct verbs_listed *device)
{
	for (size_t i = 0; verbs_listed(devices->verbs, i, device); i++)
		if (!name || !strcmp(device->name, name))
			return true;
	fprintf(stderr, "IB device %s not found\n", name ? name : "");
	return false;
}

static int watch(const struct personality_call *call, const char *name)
{
	_cleanup_(verbs_devices_closep) struct verbs_devices *devices = ibv_open_list(call);
	struct personality_call context = *call;
	struct verbs_async *async;
	struct verbs_listed device;

	if (!devices || !find_device(devices, name, &device))
		return 1;
	if (call->root) {
		fprintf(stderr, "Couldn't get context for %s: a snapshot has no events\n",
			device.name);
		return 1;
	}
	if (verbs_async_open(devices->verbs, device.name, &async)) {
		fprintf(stderr, "Couldn't get context for %s\n", device.name);
		return 1;
	}
	printf("%s: async event FD %d\n", device.name, verbs_async_fd(async));
	verbs_async_run(async, print_event, &context);
	verbs_async_close(async);
	return 1;
}

int ibv_asyncwatch_run(const struct personality_call *call, int argc, char **argv)
{
	static const struct option options[] = {
		{"ib-dev", required_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const char *name = NULL;
	int letter;

	/* The reader of a pipe gets each event at once. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((letter = getopt_long(argc, argv, "d:h", options, NULL)) != -1) {
		if (letter != 'd')
			return usage(argv[0], letter != 'h');
		name = optarg;
	}
	return watch(call, name);
}
