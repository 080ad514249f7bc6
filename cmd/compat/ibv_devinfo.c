/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_devinfo(1), ibv_devices(1) and ibv_asyncwatch(1) of ibverbs-utils. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/compat/compat.h"
#include "cmd/compat/ibv.h"
#include "mad/format/codes.h"

#define PRINT_DEVICE(...) ibv_print(1, 40, __VA_ARGS__)
#define PRINT_PORT(...)	  ibv_print(3, 48, __VA_ARGS__)

/* enum ibv_transport_type, infiniband/verbs.h */
static const struct enum_name transports[] = {
	{0, "InfiniBand"}, {1, "iWARP"},       {2, "usNIC"},
	{3, "usNIC UDP"},  {4, "unspecified"}, {0, NULL},
};

static const struct enum_name port_states[] = {
	{1, "PORT_DOWN"}, {2, "PORT_INIT"}, {3, "PORT_ARMED"}, {4, "PORT_ACTIVE"}, {0, NULL},
};

static const struct enum_name physical_states[] = {
	{1, "SLEEP"},	 {2, "POLLING"},
	{3, "DISABLED"}, {4, "PORT_CONFIGURATION TRAINNING"}, /* spelled like this */
	{5, "LINK_UP"},	 {6, "LINK_ERROR_RECOVERY"},
	{7, "PHY TEST"}, {0, NULL},
};

static const struct enum_name link_layers[] = {
	{LINK_LAYER_UNSPECIFIED, "Unspecified"},
	{LINK_LAYER_INFINIBAND, "InfiniBand"},
	{LINK_LAYER_ETHERNET, "Ethernet"},
	{0, NULL},
};

enum { IB_SPEED_NDR = 128 }; /* include/rdma/ib_verbs.h of the kernel */

/* enum ib_port_speed of the kernel, in the words of the tool */
static const struct enum_name speeds[] = {
	{1, "2.5 Gbps"},     {2, "5.0 Gbps"},	{4, "10.0 Gbps"},  {8, "10.0 Gbps"},
	{16, "14.0 Gbps"},   {32, "25.0 Gbps"}, {64, "50.0 Gbps"}, {128, "100.0 Gbps"},
	{256, "200.0 Gbps"}, {0, NULL},
};

void ibv_print(unsigned int indent, unsigned int column, const char *label, const char *format, ...)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t";
	const unsigned int tab = 8;
	const unsigned int end = (indent * tab + (unsigned int)strlen(label) + 1) / tab;
	const unsigned int count = column / tab > end ? column / tab - end : 1;
	va_list arguments;

	fwrite(tabs, 1, indent, stdout);
	fputs(label, stdout);
	putchar(':');
	fwrite(tabs, 1, count, stdout);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static void print_code(const char *label, const struct enum_name *names, unsigned int code,
		       const char *invalid)
{
	PRINT_PORT(label, "%s (%d)", enum_word(names, code, invalid), (int)code);
}

static void print_gid(const struct gid_entry *entry, bool ethernet)
{
	const bool v2 = entry->type.value == GID_TYPE_ROCE_V2;
	const uint8_t *raw = entry->gid.gid.raw;
	char text[INET6_ADDRSTRLEN];

	printf("\t\t\tGID[%3d]:\t\t", (int)entry->index.value);
	if (v2)
		printf("%s", inet_ntop(AF_INET6, raw, text, sizeof(text)));
	for (unsigned int i = 0; !v2 && i < 16; i += 2)
		printf("%s%02x%02x", i ? ":" : "", raw[i], raw[i + 1]);
	printf("%s\n", !ethernet ? "" : v2 ? ", RoCE v2" : ", RoCE v1");
}

/* The tool considers a GID empty if its lower half is zero. */
static void print_gids(const struct verbs_facts *facts, const struct port_caps *caps)
{
	const struct device *device = facts->gids.items;
	const struct port *port = facts->gids.count
					  ? device_port(device, (unsigned int)caps->port.value)
					  : NULL;

	for (size_t i = 0; port && i < port->gid_count; i++)
		if (gid_interface_id(&port->gids[i].gid.gid))
			print_gid(&port->gids[i], caps->link_layer.value == LINK_LAYER_ETHERNET);
}

/*
 * The older release prints a number of one byte, which the kernel limits to 100 Gb/s per lane
 * (copy_port_attr_to_resp() in drivers/infiniband/core/uverbs_std_types_device.c).
 */
static unsigned int active_speed(const struct ibv_view *view, const struct port_codes *codes)
{
	return view->release < COMPAT_65 && codes->speed > IB_SPEED_NDR ? IB_SPEED_NDR
									: codes->speed;
}

static void print_port_details(const struct ibv_view *view, const struct verbs_listed *name,
			       const struct verbs_facts *facts, const struct port_caps *port)
{
	const struct port_codes *codes = &port->codes;
	const unsigned int speed = active_speed(view, codes);

	PRINT_PORT("max_msg_sz", "0x%x", (uint32_t)port->max_msg_size_bytes.value);
	PRINT_PORT("port_cap_flags", "0x%08x", (uint32_t)port->cap_mask.value);
	PRINT_PORT("port_cap_flags2", "0x%04x", (uint32_t)port->cap_mask2.value);
	print_code("max_vl_num", vl_numbers, codes->max_vls, "invalid value");
	PRINT_PORT("bad_pkey_cntr", "0x%x", (uint32_t)port->bad_pkey_count.value);
	PRINT_PORT("qkey_viol_cntr", "0x%x", (uint32_t)port->bad_qkey_count.value);
	PRINT_PORT("sm_sl", "%d", (int)codes->sm_sl);
	PRINT_PORT("pkey_tbl_len", "%d", (int)port->pkey_table_length.value);
	PRINT_PORT("gid_tbl_len", "%d", (int)port->gid_table_length.value);
	PRINT_PORT("subnet_timeout", "%d", (int)codes->subnet_timeout);
	PRINT_PORT("init_type_reply", "%d", (int)codes->init_type_reply);
	PRINT_PORT("active_width", "%sX (%d)",
		   enum_word(link_width_numbers, codes->width, "invalid width"), (int)codes->width);
	print_code("active_speed", speeds, speed, "invalid speed");
	if (name->transport == 0)
		print_code("phys_state", physical_states, (unsigned int)port->physical_state.value,
			   "invalid physical state");
	print_gids(facts, port);
}

static void print_port(const struct ibv_view *view, const struct verbs_listed *name,
		       const struct verbs_facts *facts, const struct port_caps *port)
{
	const struct port_codes *codes = &port->codes;

	printf("\t\tport:\t%u\n", (unsigned int)port->port.value);
	print_code("state", port_states, (unsigned int)port->state.value, "invalid state");
	print_code("max_mtu", mtu_numbers, codes->max_mtu, "invalid MTU");
	print_code("active_mtu", mtu_numbers, codes->active_mtu, "invalid MTU");
	PRINT_PORT("sm_lid", "%d", (int)codes->sm_lid);
	PRINT_PORT("port_lid", "%d", (int)codes->lid);
	PRINT_PORT("port_lmc", "0x%02x", (uint32_t)codes->lmc);
	PRINT_PORT("link_layer", "%s", enum_word(link_layers, port->link_layer.value, "Unknown"));
	if (view->verbose)
		print_port_details(view, name, facts, port);
	putchar('\n');
}

static void print_guid(const char *label, uint64_t guid)
{
	PRINT_DEVICE(label, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48 & 0xffff),
		     (unsigned int)(guid >> 32 & 0xffff), (unsigned int)(guid >> 16 & 0xffff),
		     (unsigned int)(guid & 0xffff));
}

/* The tool prints the older field, where the kernel limits the number (core/uverbs_cmd.c). */
static uint64_t phys_port_cnt(const struct caps *caps)
{
	return caps->port_count.value < PORT_MOST_VERBS ? caps->port_count.value : PORT_MOST_VERBS;
}

static void print_device(const struct verbs_listed *name, const struct verbs_facts *facts)
{
	const struct caps *caps = &facts->caps;

	printf("hca_id:\t%s\n", name->name);
	PRINT_DEVICE("transport", "%s (%d)",
		     enum_word(transports, (uint64_t)(unsigned int)name->transport,
			       "invalid transport"),
		     name->transport);
	if (caps->firmware && caps->firmware[0])
		PRINT_DEVICE("fw_ver", "%s", caps->firmware);
	print_guid("node_guid", caps->node_guid.value);
	print_guid("sys_image_guid", caps->system_image_guid.value);
	PRINT_DEVICE("vendor_id", "0x%04x", (unsigned int)caps->vendor_id.value);
	PRINT_DEVICE("vendor_part_id", "%d", (int)caps->vendor_part_id.value);
	PRINT_DEVICE("hw_ver", "0x%X", (unsigned int)caps->hw_ver.value);
	if (facts->board_id)
		PRINT_DEVICE("board_id", "%s", facts->board_id);
	PRINT_DEVICE("phys_port_cnt", "%d", (int)phys_port_cnt(caps));
}

int ibv_print_device(const struct ibv_view *view, const struct verbs_listed *name,
		     const struct verbs_facts *facts)
{
	const struct caps *caps = &facts->caps;

	if (view->ib_port > phys_port_cnt(caps)) {
		fprintf(stderr, "Invalid port requested for device\n");
		return 4;
	}
	print_device(name, facts);
	if (view->verbose)
		ibv_print_caps(view, caps);
	for (size_t i = 0; i < caps->port_caps_count; i++) {
		const struct port_caps *port = &caps->ports[i];

		if (port->port.value > phys_port_cnt(caps))
			break;
		if (view->ib_port && view->ib_port != port->port.value)
			continue;
		if (port->error) {
			fprintf(stderr, "Failed to query port %u props\n",
				(unsigned int)port->port.value);
			return -port->error;
		}
		print_port(view, name, facts, port);
	}
	return 0;
}

static int show(struct verbs_devices *devices, const struct ibv_view *view,
		const struct verbs_listed *name)
{
	struct verbs_facts facts;
	int status = (int)verbs_devices_read(devices, name->name, view->verbose, &facts);

	if (status == VERBS_TOLD)
		status = ibv_print_device(view, name, &facts);
	else
		fprintf(stderr, "Failed to %s\n",
			status == VERBS_NOT_OPENED ? "open device" : "query device props");
	verbs_facts_clear(&facts);
	return status;
}

/* Returns the list of libibverbs, or NULL after printing the tools' message on standard error. */
static struct verbs_devices *open_list(const struct personality_call *call)
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

static int list(const struct personality_call *call)
{
	_cleanup_(verbs_devices_closep) struct verbs_devices *devices = open_list(call);
	struct verbs_listed device;
	size_t count = 0;

	if (!devices)
		return COMPAT_STATUS_PANIC;
	while (verbs_listed(devices->verbs, count, &device))
		count++;
	printf("%zu HCA%s found:\n", count, text_plural_s(count));
	for (size_t i = 0; verbs_listed(devices->verbs, i, &device); i++)
		printf("\t%s\n", device.name);
	putchar('\n');
	return 0;
}

static int usage(const struct personality_call *call, const char *program)
{
	printf("Usage: %s             print the ca attributes\n"
	       "\n"
	       "Options:\n"
	       "  -d, --ib-dev=<dev>     use IB device <dev> (default %s)\n"
	       "  -i, --ib-port=<port>   use port <port> of IB device (default all ports)\n"
	       "  -l, --list             print only the IB devices names\n"
	       "  -v, --verbose          print all the attributes of the IB device(s)\n",
	       program, call->release < COMPAT_65 ? "first device found" : "all devices");
	return COMPAT_STATUS_PANIC;
}

/* Returns -1, or the exit status if the options end the program: -l ignores what follows it. */
static int parse(const struct personality_call *call, int argc, char **argv, struct ibv_view *view,
		 const char **ret_name)
{
	static const struct option options[] = {
		{"ib-dev", required_argument, NULL, 'd'},
		{"ib-port", required_argument, NULL, 'i'},
		{"list", no_argument, NULL, 'l'},
		{"verbose", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	int letter, port;

	while ((letter = getopt_long(argc, argv, "d:i:lv", options, NULL)) >= 0) {
		switch (letter) {
		case 'd':
			*ret_name = optarg;
			break;
		case 'i':
			port = (int)strtol(optarg, NULL, 0);
			if (port <= 0) {
				usage(call, argv[0]);
				return 1;
			}
			view->ib_port = (uint8_t)port;
			break;
		case 'l':
			return list(call);
		case 'v':
			view->verbose = true;
			break;
		default:
			return usage(call, argv[0]);
		}
	}
	return -1;
}

static int show_all(struct verbs_devices *devices, const struct ibv_view *view, const char *name)
{
	struct verbs_listed device;
	bool found = false;
	int status = 0;

	for (size_t i = 0; verbs_listed(devices->verbs, i, &device); i++) {
		if (name && (found || strcmp(name, device.name)))
			continue;
		found = true;
		status |= show(devices, view, &device);
	}
	if (found)
		return status;
	if (name)
		fprintf(stderr, "IB device '%s' wasn't found\n", name);
	else
		fprintf(stderr, "No IB devices found\n");
	return COMPAT_STATUS_PANIC;
}

int ibv_devinfo_run(const struct personality_call *call, int argc, char **argv)
{
	_cleanup_(verbs_devices_closep) struct verbs_devices *devices = NULL;
	struct ibv_view view = {.release = call->release};
	const char *name = NULL;
	int status = parse(call, argc, argv, &view, &name);

	if (status >= 0)
		return status;
	devices = open_list(call);
	return devices ? show_all(devices, &view, name) : COMPAT_STATUS_PANIC;
}

/* The tool accepts and ignores all arguments. */
int ibv_devices_run(const struct personality_call *call, int argc, char **argv)
{
	_cleanup_(verbs_devices_closep) struct verbs_devices *devices = open_list(call);
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

static int watch_usage(const char *program, int status)
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
	_cleanup_(verbs_devices_closep) struct verbs_devices *devices = open_list(call);
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
			return watch_usage(argv[0], letter != 'h');
		name = optarg;
	}
	return watch(call, name);
}
