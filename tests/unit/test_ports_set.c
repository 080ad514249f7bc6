/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The words of `ports set` and of `fabric port`, as complete commands on a made-up host and subnet:
 * which port they mean, what they would set, how they fail. Each test makes up the inventory and
 * the device for management datagrams.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "captured.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "change/holders.h"
#include "cmd/change/ports_distant.h"
#include "cmd/commands.h"
#include "cmd/host/ports_set.h"
#include "fake_transport.h"
#include "idle_inventory.h"
#include "mad/format/codes.h"
#include "mad/format/header.h"
#include "schema/bits.h"

/* Places in PortInfo, InfiniBand Architecture volume 1, 14.2.5.6. */
enum { WIDTH_ENABLED = 29, STATE = 32, PHYSICAL = 33, SPEED_ENABLED = 35, EXTENDED = 62 };
enum { OWN_LID = 7, SM_LID = 3, PORT = 3 };

/* As in ports_set.c. */
struct args {
	struct change_args change;
	struct mad_args mad;
};

struct bed {
	struct fake fake;
	struct args args;
	struct globals globals;
	const struct command *command;
	int status;
	char *out, *err;
	int open_error;	 /* opening the umad device */
	bool silent;	 /* no node answers */
	bool no_rdma;	 /* the host has no device */
	char asked[256]; /* the loaded devices, and the requests */
	unsigned char info[64];
};

static struct bed *current;

/* ---- Replacements for library functions ---- */

static struct port ib_ports[1], many_ports[2], eth_ports[1], bare_ports[1];
static struct device devices[5];
static struct link netdev;

static void make_host(void)
{
	static char names[][8] = {"mlx5_0", "mlx5_1", "rxe0", "rxe1", "none0"};
	struct port *const ports[] = {ib_ports, many_ports, eth_ports, bare_ports, NULL};
	const size_t counts[] = {1, 2, 1, 1, 0};

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		devices[i] = (struct device){.name = names[i],
					     .kernel_name = names[i],
					     .node_type = number_of(NODE_TYPE_CA),
					     .ports = ports[i],
					     .port_count = counts[i]};
		for (size_t j = 0; j < counts[i]; j++)
			ports[i][j] = (struct port){
				.device = names[i],
				.kernel_name = names[i],
				.port = number_of(j + 1),
				.link_layer = number_of(i < 2 ? LINK_LAYER_INFINIBAND
							      : LINK_LAYER_ETHERNET),
				.state = number_of(PORT_STATE_ACTIVE),
				.lid = number_of(OWN_LID),
				.sm_lid = number_of(SM_LID)};
	}
	eth_ports[0].netdev = (char *)(uintptr_t) "eth0";
	bare_ports[0].netdev = (char *)(uintptr_t) "eth9";
	netdev = (struct link){.name = (char *)(uintptr_t) "eth0", .index = number_of(4)};
}

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	const struct object *wanted = request->objects->count ? request->objects->items : NULL;
	char *end = current->asked + strlen(current->asked);

	assert_null(request->root);
	assert_null(notes);
	*inventory = (struct inventory){.answers = true};
	sprintf(end, "%s%s ", wanted ? wanted->device : "all",
		request->needs & NEED_LINK_LIST ? "+links" : "");
	inventory->links = (struct link_list){.items = &netdev, .count = 1};
	for (size_t i = 0; i < ARRAY_SIZE(devices) && !current->no_rdma; i++)
		if (!wanted || !strcmp(wanted->device, devices[i].name)) {
			inventory->devices.items = &devices[i];
			inventory->devices.count = wanted ? 1 : 2;
			/* Only the named port remains. */
			if (wanted && wanted->port > 0)
				devices[i].port_count = 1;
			return 0;
		}
	if (problems)
		problem_add_text(problems, wanted ? wanted->device : NULL, NULL, NULL,
				 "no such RDMA device", "look");
	return -ENODEV;
}

void inventory_free(struct inventory *inventory)
{
	*inventory = (struct inventory){.answers = false};
}

void change_guard_device(struct change *change, const char *object)
{
	assert_string_equal(object, change->object);
	change_note(change, "the device is looked at");
}

int umad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	      struct mad_transport *ret_transport)
{
	if (current->open_error)
		return current->open_error;
	assert_string_equal(device, smi_device);
	assert_int_equal(port, smi_port);
	sprintf(current->asked + strlen(current->asked), "by %s/%u ", device, port);
	*ret_transport = fake_transport_of(&current->fake);
	return 0;
}

/* Each node has one PortInfo; the subnet administrator knows no paths. */
static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const unsigned int attribute = (unsigned int)bits_get(mad, 16 * 8, 16);
	const bool set = mad_method(mad) == UMAD_METHOD_SET;
	char *end = bed->asked + strlen(bed->asked);
	unsigned char reply[MAD_BYTES];

	(void)agent;
	if (set)
		sprintf(end, "Set ");
	else if (attribute == UMAD_SM_ATTR_PORT_INFO && !strstr(bed->asked, "LID"))
		sprintf(end, "LID %u port %u ", to->lid, mad_modifier(mad) & 0xff);
	if (bed->silent)
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	memset(reply + 64, 0, 64);
	if (mad_class(mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		reply[4] |= 0x80;
	if (mad_class(mad) == UMAD_CLASS_SUBN_ADM) {
		reply[4] = 3; /* ERR_NO_RECORDS, 15.4.2 */
	} else if (attribute == UMAD_SM_ATTR_NODE_INFO) {
		reply[64 + 2] = NODE_TYPE_CA;
		reply[64 + 36] = 1;
	} else if (attribute == UMAD_SM_ATTR_PORT_INFO) {
		if (set)
			memcpy(bed->info, mad + 64, sizeof(bed->info));
		if (set && !(bed->info[STATE] & 0xf))
			bed->info[STATE] |= 1;
		memcpy(reply + 64, bed->info, sizeof(bed->info));
	}
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

static bool plan_fabric(struct change_plan *plan, const void *args, char **words)
{
	return ports_plan_words(plan, &((const struct args *)args)->mad, words[0], words + 1);
}

static const struct command port_command = {
	.name = "port",
	.summary = "the same with the words of ibportstate",
	.objects = "PORT WORD...",
	CHANGING_COMMAND(plan_fabric),
};

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	bed->fake.on_send = answer;
	bed->fake.context = bed;
	bed->command = &ports_set_command;
	bed->args.change.dry_run = true;
	bed->args.mad.retries = number_of(0);
	bed->globals.timeout = number_of(5);
	bed->info[22] = 0x40; /* extended speeds */
	bed->info[WIDTH_ENABLED] = 3;
	bed->info[WIDTH_ENABLED + 1] = 3;
	bed->info[STATE] = 0x74;
	bed->info[PHYSICAL] = PHYSICAL_LINK_UP << 4;
	bed->info[SPEED_ENABLED] = 7;
	bed->info[EXTENDED] = 0x0f;
	bed->info[EXTENDED + 1] = 0x03;
	*state = current = bed;
	make_host();
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	free(bed->out);
	free(bed->err);
	free(bed);
	return 0;
}

/* Runs a command line with words separated by blanks. */
static void run(struct bed *bed, const char *line)
{
	static const struct command ports_parent = {.name = "ports", .summary = "x"};
	const struct ctx ctx = {
		.command = bed->command, .parent = &ports_parent, .globals = bed->globals};
	_cleanup_(freep) char *copy = mem_string(line);
	char *words[16] = {NULL}, *rest = copy;
	struct captured out, err;

	for (size_t i = 0; rest && i < ARRAY_SIZE(words) - 1; i++)
		words[i] = strsep(&rest, " ");
	free(bed->out);
	free(bed->err);
	bed->asked[0] = '\0';
	capture_stream(&out, stdout);
	capture_stream(&err, stderr);
	bed->status = change_run(&ctx, &bed->args, words);
	bed->err = capture_end(&err);
	bed->out = capture_end(&out);
}

static void expect(struct bed *bed, const char *line, int status, const char *out, const char *err)
{
	run(bed, line);
	assert_string_equal(bed->err, err);
	assert_string_equal(bed->out, out);
	assert_int_equal(bed->status, status);
}

#define HEAD "OBJECT SETTING BEFORE WANTED STATE\n"

/* A port of another node: how it is named, and how it is reached. */
static void distant(void **state)
{
	struct bed *bed = *state;

	expect(bed, "9/3 state down", STATUS_DONE, HEAD "9/3    state   active down   planned\n",
	       "");
	assert_string_equal(bed->asked, "9+links all by mlx5_0/1 LID 9 port 3 ");
	bed->args.mad.via = "mlx5_1/2";
	expect(bed, "9/3 speed qdr width 1x,4x speed-ext none", STATUS_DONE,
	       "OBJECT SETTING   BEFORE      WANTED STATE\n"
	       "9/3    speed     sdr,ddr,qdr qdr    planned\n"
	       "9/3    width     1x,4x       1x,4x  unchanged\n"
	       "9/3    speed-ext fdr,edr     none   planned\n"
	       "note: speed and width take effect when the link is trained again: reset the port\n",
	       "");
}

/* Options that say how to read the word are repeated in the undo command. */
static void options(void **state)
{
	struct bed *bed = *state;

	bed->args.change.dry_run = false;
	bed->args.change.yes = true;
	expect(bed, "9/3 state down", STATUS_DONE,
	       "OBJECT SETTING BEFORE AFTER STATE\n"
	       "9/3    state   active down  changed\n"
	       "undo: rdmactl ports set 9/3 state up\n",
	       "");
	bed->info[STATE] = 0x74;
	bed->info[PHYSICAL] = PHYSICAL_LINK_UP << 4;
	bed->args.mad.lid = true;
	bed->args.mad.via = "mlx5_0/1";
	expect(bed, "9/3 state down", STATUS_DONE,
	       "OBJECT SETTING BEFORE AFTER STATE\n"
	       "9/3    state   active down  changed\n"
	       "undo: rdmactl ports set 9/3 state up --lid --via mlx5_0/1\n",
	       "");
	bed->args.mad = (struct mad_args){.direct = true, .retries = number_of(0)};
	expect(bed, "0,1/3 state up", STATUS_DONE,
	       "OBJECT SETTING BEFORE AFTER STATE\n"
	       "0,1/3  state   down   up    changed\n"
	       "undo: rdmactl ports set 0,1/3 state down --direct\n",
	       "");
}

/* Words that name no port, or several. */
static void places(void **state)
{
	static const char *const none[] = {"9", "9/", "9/256", "9/x", "9/-1", "9/0x"};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		_cleanup_(freep) char *line = mem_format("%s state down", none[i]);
		_cleanup_(freep) char *wanted = mem_format(
			"rdmactl ports: '%s' is not a port: it takes DEV/PORT of this host, or "
			"LID/PORT, GUID/PORT, ROUTE/PORT or NAME/PORT of a remote node\n"
			"  rdmactl ports set 4/1 state down\n",
			none[i]);

		expect(bed, line, STATUS_USAGE, "", wanted);
	}
	expect(bed, "9,10/3 state down", STATUS_USAGE, "", "rdmactl ports: name one port\n");
	expect(bed, "/3 state down", STATUS_USAGE, "",
	       "rdmactl ports: '' is not a destination\n"
	       "  a LID (5), a port GUID (0x0002c90300001234), a GID, a directed route (0,1,3), or "
	       "the name of a node (leaf1, leaf1/5)\n");
	bed->args.mad.lid = true;
	expect(bed, "/3 state down", STATUS_USAGE, "",
	       "rdmactl ports: '' is not a LID\n"
	       "  a LID is a number from 1 to 49151: 5\n");
	bed->args.mad.lid = false;
	expect(bed, "60000/3 state down", STATUS_USAGE, "",
	       "rdmactl ports: '60000' is out of range: LIDs are 1 to 49151, routes have ports up "
	       "to 255 and at most 63 hops\n"
	       "  for a node whose name looks like a number, use --node\n");
}

static void settings(void **state)
{
	struct bed *bed = *state;

	expect(bed, "9/3", STATUS_USAGE, "",
	       "rdmactl ports: no setting is given\n  rdmactl ports set --help lists the "
	       "settings\n");
	expect(bed, "9/3 state down width 4x state up", STATUS_USAGE, "",
	       "rdmactl ports: 'state' is set twice\n"
	       "  give it once, with one value\n");
	expect(bed, "9/3 width 4x width", STATUS_USAGE, "",
	       "rdmactl ports: 'width' needs a value: LIST\n"
	       "  link widths that are enabled, on InfiniBand\n");
	expect(bed, "9/3 width width speed", STATUS_USAGE, "",
	       "rdmactl ports: 'width' is not a value of width: it takes a list of 1x, 4x, 8x, "
	       "12x, "
	       "2x\n"
	       "  rdmactl ports set --help lists the settings\n");
	expect(bed, "9/3 speed", STATUS_USAGE, "",
	       "rdmactl ports: 'speed' needs a value: LIST\n"
	       "  speeds up to QDR that are enabled, on InfiniBand\n");
	/* This fails before any node is queried. */
	assert_null(strstr(bed->asked, "Set"));
}

/* No query is possible, or the node does not answer. */
static void unreached(void **state)
{
	struct bed *bed = *state;

	bed->silent = true;
	expect(bed, "9/3 state down", STATUS_FAILED,
	       "OBJECT SETTING BEFORE WANTED STATE\n"
	       "9/3    state   -      down   failed\n",
	       "rdmactl ports: 9/3: state: no answer, asked once\n"
	       "  no port has this LID, the node or the path to it is down, or it answers only "
	       "with its M_Key (--mkey); in a multi-plane (XDR) subnet, give a directed route "
	       "(-D 0,1,3)\n");
	bed->silent = false;
	bed->open_error = -EACCES;
	run(bed, "9/3 state down");
	assert_int_equal(bed->status, STATUS_FAILED);
	assert_string_equal(bed->out, "");
	bed->open_error = -EPERM;
	run(bed, "9/3 state down");
	assert_int_equal(bed->status, STATUS_FAILED);
	bed->open_error = -ENODEV;
	run(bed, "9/3 state down");
	assert_int_equal(bed->status, STATUS_NOTHING);
	bed->open_error = 0;
	bed->args.mad.mkey = "x";
	expect(bed, "9/3 state down", STATUS_USAGE, "",
	       "rdmactl ports: --mkey: 'x' is not a number up to 0xffffffffffffffff\n");
	bed->args.mad.mkey = NULL;
	bed->args.mad.via = "nosuch";
	expect(bed, "9/3 state down", STATUS_NOTHING, "",
	       "rdmactl ports: nosuch: no such RDMA device\n  look\n");
	bed->args.mad.via = "a/b/c";
	expect(bed, "9/3 state down", STATUS_USAGE, "",
	       "rdmactl ports: 'a/b/c' is not DEV or DEV/PORT\n"
	       "  rdmactl devices lists the names\n");
	bed->args.mad.via = NULL;
	bed->args.mad.names = "/nonexistent/names";
	run(bed, "9/3 state down");
	assert_int_equal(bed->status, STATUS_FAILED);
	assert_int_equal(strncmp(bed->err, "rdmactl ports: cannot read /nonexistent/names: ", 46),
			 0);
}

/* A word that is not a device may be a node, if one can be reached and the word has a port. */
static void names(void **state)
{
	struct bed *bed = *state;

	expect(bed, "leaf1 state down", STATUS_NOTHING, "",
	       "rdmactl ports: leaf1: no such RDMA device\n  look\n");
	assert_string_equal(bed->asked, "leaf1+links ");
	run(bed, "leaf1/4 state down");
	assert_int_equal(strncmp(bed->asked, "leaf1+links all all by mlx5_0/1 ", 32), 0);
	expect(bed, "a/b/c state down", STATUS_USAGE, "",
	       "rdmactl ports: 'a/b/c' is not a port: it takes DEV/PORT of this host, or LID/PORT, "
	       "GUID/PORT, ROUTE/PORT or NAME/PORT of a remote node\n"
	       "  rdmactl ports set 4/1 state down\n");
	bed->no_rdma = true;
	expect(bed, "leaf1/4 state down", STATUS_NOTHING, "",
	       "rdmactl ports: leaf1: no such RDMA device\n  look\n");
	expect(bed, "9/3 state down", STATUS_NOTHING, "",
	       "rdmactl ports: no such RDMA device\n  look\n");
	/* A GUID is not a device name. */
	bed->no_rdma = false;
	expect(bed, "0002:c903:0000:1234/1 state down", STATUS_NOTHING, "",
	       "rdmactl ports: 0002:c903:0000:1234: the subnet administrator knows no path to it\n"
	       "  check that it is the GUID of a port that is up: rdmactl sa nodes -o "
	       "+port_guid\n");
	bed->args.mad.guid = true;
	expect(bed, "mlx5_0/1 state down", STATUS_USAGE, "",
	       "rdmactl ports: 'mlx5_0' is not a GUID\n"
	       "  a port GUID has 16 hexadecimal digits: 0x0002c90300001234\n");
}

/* InfiniBand ports by the route that ends here, others by their netdev. */
static void local(void **state)
{
	struct bed *bed = *state;

	expect(bed, "mlx5_0 state down", STATUS_DONE,
	       "OBJECT   SETTING BEFORE WANTED STATE\n"
	       "mlx5_0/1 state   active down   planned\n"
	       "it would disturb the path to the node, which goes through this port and may be "
	       "lost for good\n"
	       "note: the device is looked at\n",
	       "");
	assert_string_equal(bed->asked, "mlx5_0+links by mlx5_0/1 LID 65535 port 1 ");
	expect(bed, "mlx5_0/1 state down state up", STATUS_USAGE, "",
	       "rdmactl ports: 'state' is set twice\n"
	       "  give it once, with one value\n");
	expect(bed, "mlx5_1 state down", STATUS_USAGE, "",
	       "rdmactl ports: mlx5_1 has several ports, or none: name one, such as mlx5_1/1\n"
	       "  rdmactl ports lists them\n");
	expect(bed, "none0 state down", STATUS_USAGE, "",
	       "rdmactl ports: none0 has several ports, or none: name one, such as none0/1\n"
	       "  rdmactl ports lists them\n");
	expect(bed, "rxe1 state down", STATUS_FAILED, "",
	       "rdmactl ports: rxe1/1 has no netdev in this network namespace\n"
	       "  run it in the namespace of the netdev: ip netns exec\n");
	expect(bed, "rxe0 state down state up", STATUS_USAGE, "",
	       "rdmactl ports: 'state' is set twice\n"
	       "  give it once, with one value\n");
	expect(bed, "rxe0 width 4x", STATUS_USAGE, "",
	       "rdmactl ports: unknown setting 'width'\n"
	       "  the settings are state\n");
	expect(bed, "rxe0 down", STATUS_USAGE, "",
	       "rdmactl ports: unknown setting 'down'\n"
	       "  did you mean 'state down'?\n");
	expect(bed, "rxe0 disable", STATUS_USAGE, "",
	       "rdmactl ports: unknown setting 'disable'\n"
	       "  did you mean 'state disable'?\n");
	expect(bed, "mlx5_0 disabel", STATUS_USAGE, "",
	       "rdmactl ports: unknown setting 'disabel'\n"
	       "  did you mean 'state disable'?\n");
	/* An unknown link layer: with a netdev it is not InfiniBand. */
	eth_ports[0].link_layer.known = ib_ports[0].link_layer.known = false;
	run(bed, "rxe0 width 4x");
	assert_int_equal(bed->status, STATUS_USAGE);
	run(bed, "mlx5_0 state down");
	assert_int_equal(bed->status, STATUS_DONE);
}

/* The words of ibportstate. */
static void words_of_fabric(void **state)
{
	struct bed *bed = *state;

	bed->command = &port_command;
	expect(bed, "9/3 disable", STATUS_DONE,
	       "OBJECT SETTING BEFORE WANTED STATE\n"
	       "9/3    state   active down   planned\n",
	       "");
	expect(bed, "9/3 width 4x enable speed sdr,qdr", STATUS_DONE,
	       "OBJECT SETTING   BEFORE      WANTED  STATE\n"
	       "9/3    width     1x,4x       4x      planned\n"
	       "9/3    state     up          up      unchanged\n"
	       "9/3    speed     sdr,ddr,qdr sdr,qdr planned\n"
	       "9/3    speed-ext fdr,edr     none    planned\n"
	       "note: speed and width take effect when the link is trained again: reset the port\n",
	       "");
	expect(bed, "9/3 speed sdr,hdr,qdr,edr", STATUS_DONE,
	       "OBJECT SETTING   BEFORE      WANTED  STATE\n"
	       "9/3    speed     sdr,ddr,qdr sdr,qdr planned\n"
	       "9/3    speed-ext fdr,edr     edr,hdr planned\n"
	       "note: speed and width take effect when the link is trained again: reset the port\n",
	       "");
	expect(bed, "9/3 speed hdr", STATUS_DONE,
	       "OBJECT SETTING   BEFORE  WANTED STATE\n"
	       "9/3    speed-ext fdr,edr hdr    planned\n"
	       "note: speed and width take effect when the link is trained again: reset the port\n",
	       "");
	bed->info[EXTENDED] = 0;
	expect(bed, "9/3 speed ddr", STATUS_DONE,
	       "OBJECT SETTING BEFORE      WANTED STATE\n"
	       "9/3    speed   sdr,ddr,qdr ddr    planned\n"
	       "note: speed and width take effect when the link is trained again: reset the port\n",
	       "");
	bed->info[EXTENDED] = 0x0f;
	expect(bed, "9/3 enable disable", STATUS_USAGE, "",
	       "rdmactl ports: 'disable' is set twice\n"
	       "  use a separate command for each\n");
	expect(bed, "9/3 speed sdr speed hdr", STATUS_USAGE, "",
	       "rdmactl ports: 'speed' is set twice\n"
	       "  use a separate command for each\n");
	expect(bed, "9/3 speed", STATUS_USAGE, "",
	       "rdmactl ports: 'speed' needs a value\n"
	       "  speed hdr, speed sdr,qdr, width 4x\n");
	expect(bed, "9/3 width", STATUS_USAGE, "",
	       "rdmactl ports: 'width' needs a value\n"
	       "  speed hdr, speed sdr,qdr, width 4x\n");
	expect(bed, "9/3 speed fast", STATUS_USAGE, "",
	       "rdmactl ports: 'fast' is not a speed: it takes a list of sdr, ddr, qdr, fdr, edr, "
	       "hdr, ndr\n"
	       "  speed hdr, speed sdr,qdr\n");
	expect(bed, "9/3 speed sdr,", STATUS_USAGE, "",
	       "rdmactl ports: '' is not a speed: it takes a list of sdr, ddr, qdr, fdr, edr, hdr, "
	       "ndr\n"
	       "  speed hdr, speed sdr,qdr\n");
	expect(bed, "9/3 query", STATUS_USAGE, "",
	       "rdmactl ports: unknown word 'query'\n"
	       "  enable, disable, reset, arm, active, speed, width\n");
	expect(bed, "9/3", STATUS_USAGE, "",
	       "rdmactl ports: no setting is given\n"
	       "  rdmactl ports port --help lists the settings\n");
	expect(bed, "9 reset", STATUS_USAGE, "",
	       "rdmactl ports: '9' is not a port: it takes DEV/PORT of this host, or LID/PORT, "
	       "GUID/PORT, ROUTE/PORT or NAME/PORT of a remote node\n"
	       "  rdmactl ports set 4/1 state down\n");
	expect(bed, "9/3 reset", STATUS_DONE,
	       "OBJECT SETTING BEFORE WANTED STATE\n"
	       "9/3    state   active reset  planned\n",
	       "");
	expect(bed, "9/3 arm", STATUS_DONE,
	       "OBJECT SETTING BEFORE WANTED STATE\n"
	       "9/3    state   active arm    planned\n",
	       "");
	expect(bed, "9/3 active", STATUS_DONE,
	       "OBJECT SETTING BEFORE WANTED STATE\n"
	       "9/3    state   active active unchanged\n",
	       "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(distant),	 TEST(options), TEST(places), TEST(settings),
		TEST(unreached), TEST(names),	TEST(local),  TEST(words_of_fabric),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
