/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The commands of rdmactl fabric as they run live: the local port is made up, and so are the nodes
 * of its subnet, their agents and the subnet administrator. The functions that query the host are
 * defined here, so that the linker takes none of umad.c, signals.c and inventory.c.
 *
 *   host1 --- 1 leaf1 3 --- 3 leaf2 1 --- host3
 *   host2 --- 2       4 --- 4       2 --- host4
 */
#pragma once

#include "command_lines.h"

#include "base/signals.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "fake_transport.h"
#include "host/port.h"
#include "idle_inventory.h"
#include "kernel/umad.h"
#include "made_up_fabric.h"
#include "mad/format/header.h"
#include "mad/perf/perf.h"

enum { HOST1, LEAF1, LEAF2, HOST2, HOST3, HOST4, LIVE_NODES };
enum { LIVE_PORTS = 4, LIVE_FAULTS = 4, LIVE_MEMBERS = 4, LIVE_LOG = 4096 };
enum { LIVE_REPLY = 2 * MAD_BYTES };

/* Requests that a node ignores or refuses; 0 stands for all classes, attributes or ports. */
struct live_fault {
	uint32_t node;
	unsigned int mgmt_class, attribute, port;
	uint16_t status; /* 0: no answer */
};

static struct live {
	struct fake fake;
	struct fabric fabric; /* the truth */
	uint8_t linear[LIVE_NODES][MAD_LINEAR_BLOCK];
	uint16_t multicast[LIVE_NODES][MAD_MULTICAST_BLOCK]; /* from MLID 0xc000 on */
	unsigned char counters[LIVE_NODES][LIVE_PORTS + 1][MAD_BYTES - 64];
	unsigned char extended[LIVE_NODES][LIVE_PORTS + 1][MAD_BYTES - 64];
	uint16_t capabilities; /* of the agents of performance management */
	struct live_fault faults[LIVE_FAULTS];
	size_t fault_count;
	uint64_t members[LIVE_MEMBERS]; /* port GUIDs of MLID 0xc001 */
	size_t member_count;
	bool keeps_members; /* from requesters without the key */
	unsigned int manager_state;
	uint16_t sm_lid;    /* as the host knows it */
	unsigned int state; /* of the port, as the host knows it; 0: active */
	uint8_t path_sl;    /* of each path record */
	uint8_t path_lid;   /* above the first LID of its port */
	/* Number of requests that are answered before a signal arrives; 0: no signal. */
	size_t stop_after;
	size_t looks;		 /* how often the program has looked for a signal */
	size_t stop_at_look;	 /* which of them finds one; 0: none */
	bool terminal;		 /* standard error is a terminal */
	unsigned int delay_usec; /* of each answer */
	/* Called where the program waits for a time to come; may be NULL. */
	void (*meanwhile)(void);
	const char *lost_folder; /* removed when a request arrives; may be NULL */
	char log[LIVE_LOG];	 /* what was written to agents */
} live;

/* ---- The host ---- */

int isatty(int fd)
{
	return live.terminal && fd == STDERR_FILENO;
}

int gethostname(char *name, size_t size)
{
	return snprintf(name, size, "testhost") < 0;
}

int getdomainname(char *name, size_t size)
{
	return snprintf(name, size, "(none)") < 0;
}

void signals_catch(struct signals *signals, const int *numbers)
{
	(void)numbers;
	*signals = SIGNALS_NONE;
}

int signals_take(const struct signals *signals)
{
	(void)signals;
	live.looks++;
	if (live.stop_at_look && live.looks >= live.stop_at_look)
		return SIGINT;
	return live.stop_after && live.fake.sends > live.stop_after ? SIGINT : 0;
}

bool signals_wait(const struct signals *signals, uint64_t end_msec)
{
	(void)signals;
	fake_clock_nsec = end_msec * 1000000;
	if (live.meanwhile)
		live.meanwhile();
	return false;
}

void signals_release(struct signals *signals)
{
	(void)signals;
}

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	struct device *device = device_list_add(&inventory->devices, "mlx5_0");
	struct port *port = device_add_port(device, 1);

	(void)request, (void)problems, (void)notes;
	device->node_type = number_of(NODE_TYPE_CA);
	port->link_layer = number_of(LINK_LAYER_INFINIBAND);
	port->state = number_of(live.state ? live.state : PORT_STATE_ACTIVE);
	port->physical_state = number_of(PHYSICAL_LINK_UP);
	port->port_guid = number_of(0x101);
	port->lid = number_of(1);
	port->sm_lid = number_of(live.sm_lid);
	port->sm_sl = number_of(0);
	return 0;
}

void inventory_free(struct inventory *inventory)
{
	device_list_clear(&inventory->devices);
}

int umad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	      struct mad_transport *ret_transport)
{
	assert_string_equal(device, "mlx5_0");
	assert_string_equal(smi_device, "mlx5_0");
	assert_int_equal(port, 1);
	assert_int_equal(smi_port, 1);
	*ret_transport = fake_transport_of(&live.fake);
	return 0;
}

/* ---- The subnet ---- */

static inline bool live_follow(const unsigned char *mad, uint32_t *ret_node, unsigned int *ret_port)
{
	const struct fabric *fabric = &live.fabric;
	uint32_t node = HOST1;
	unsigned int in = 1;

	for (unsigned int hop = 1; hop <= mad_hop_count(mad); hop++) {
		const unsigned int out = mad[128 + hop];
		uint32_t peer;

		if (!out || out > fabric->nodes[node].port_count ||
		    (hop > 1 && fabric->nodes[node].type != NODE_TYPE_SWITCH))
			return false;
		peer = fabric->ports[fabric_port_at(fabric, node, out)].peer;
		if (peer == FABRIC_NONE)
			return false;
		node = fabric->ports[peer].node;
		in = fabric->ports[peer].number;
	}
	*ret_node = node;
	*ret_port = in;
	return true;
}

static inline bool live_by_lid(uint16_t lid, uint32_t *ret_node, unsigned int *ret_port)
{
	const struct fabric *fabric = &live.fabric;

	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric->ports[i].has_info && fabric_port_lid(&fabric->ports[i]) == lid) {
			*ret_node = fabric->ports[i].node;
			*ret_port = fabric->ports[i].number;
			return true;
		}
	return false;
}

static inline uint64_t live_port_guid(uint32_t node)
{
	return node_info_port_guid(live.fabric.nodes[node].info);
}

static inline void live_say_table(uint32_t node, unsigned int attribute, uint32_t modifier,
				  unsigned char *data)
{
	switch (attribute) {
	case UMAD_SM_ATTR_LINEAR_FT:
		memset(data, MAD_LINEAR_NOWHERE, MAD_LINEAR_BLOCK);
		if (!modifier)
			memcpy(data, live.linear[node], MAD_LINEAR_BLOCK);
		break;
	case UMAD_SM_ATTR_MCAST_FT:
		for (size_t i = 0; !modifier && i < MAD_MULTICAST_BLOCK; i++)
			bits_set(data, i * 16, 16, live.multicast[node][i]);
		break;
	case UMAD_SM_ATTR_PKEY_TABLE:
		bits_set(data, 0, 16, 0xffff);
		bits_set(data, 16, 16, node == HOST2 ? 0x8001 : 0);
		break;
	case UMAD_SM_ATTR_GUID_INFO:
		bits_set(data, 0, 64, live_port_guid(node));
		break;
	case UMAD_SM_ATTR_SLVL_TABLE:
		bits_set(data, 0, 32, 0x01230123);
		break;
	case UMAD_SM_ATTR_VL_ARB_TABLE:
		bits_set(data, 0, 16, 0x0040);
		break;
	case UMAD_SM_ATTR_MLNX_EXT_PORT_INFO:
		data[7] = live.fabric.ports[fabric_port_at(&live.fabric, node, modifier)]
				  .vendor_speeds;
		break;
	default:
		fail_msg("attribute 0x%x", attribute);
	}
}

static inline void live_say(uint32_t node, unsigned int in, unsigned int attribute,
			    uint32_t modifier, unsigned char *data)
{
	const struct fabric_node *at = &live.fabric.nodes[node];
	const unsigned int port = modifier ? modifier : at->type == NODE_TYPE_SWITCH ? 0 : in;

	memset(data, 0, 64);
	switch (attribute) {
	case UMAD_SM_ATTR_NODE_INFO:
		memcpy(data, at->info, NODE_INFO_BYTES);
		node_info_set_local_port(data, (uint8_t)in);
		break;
	case UMAD_SM_ATTR_NODE_DESC:
		memcpy(data, at->description, NODE_DESCRIPTION_BYTES);
		break;
	case UMAD_SM_ATTR_SWITCH_INFO:
		memcpy(data, at->switch_info, SWITCH_INFO_BYTES);
		break;
	case UMAD_SM_ATTR_PORT_INFO:
		assert_in_range(port, 0, at->port_count);
		memcpy(data, live.fabric.ports[at->first_port + port].info, PORT_INFO_BYTES);
		break;
	case UMAD_SM_ATTR_SM_INFO:
		bits_set(data, 0, 64, live_port_guid(node));
		bits_set(data, 16 * 8, 32, 77);
		data[20] = (unsigned char)(5 << 4 | live.manager_state);
		break;
	default:
		live_say_table(node, attribute, modifier, data);
	}
}

/* ---- Performance management ---- */

static inline void live_log(const unsigned char *mad, uint16_t lid)
{
	const size_t used = strlen(live.log);
	char data[2 * 8 + 1];

	text_write_hex(data, mad + 64, 8);
	snprintf(live.log + used, LIVE_LOG - used, "0x%02x LID %u: %s\n", mad_attribute(mad), lid,
		 data);
}

static inline void live_say_sum(uint32_t node, unsigned char *data)
{
	for (unsigned int i = 1; i <= LIVE_PORTS; i++)
		for (unsigned int at = 4; at < 16; at++)
			data[at] |= live.counters[node][i][at];
}

static inline void live_say_perf(uint32_t node, const unsigned char *mad, unsigned char *reply)
{
	const unsigned int attribute = mad_attribute(mad), port = mad[65];
	unsigned char *data = reply + 64;

	if (mad_method(mad) == UMAD_METHOD_SET)
		return;
	memset(data + 2, 0, MAD_BYTES - 64 - 2);
	if (attribute == UMAD_ATTR_CLASS_PORT_INFO)
		bits_set(data, 16, 16, live.capabilities);
	else if (port == PERF_ALL_PORTS)
		live_say_sum(node, data);
	else if (attribute == MAD_PM_COUNTERS)
		memcpy(data + 2, live.counters[node][port] + 2, MAD_BYTES - 64 - 2);
	else if (attribute == MAD_PM_COUNTERS_EXTENDED)
		memcpy(data + 2, live.extended[node][port] + 2, MAD_BYTES - 64 - 2);
	else
		/* Details have their first counter at byte 4. */
		bits_set(data, 4 * 8, 16, attribute);
}

/* ---- The subnet administrator ---- */

static inline void live_say_path(const unsigned char *mad, unsigned char *reply)
{
	const unsigned char *query = mad + mad_data_offset(UMAD_CLASS_SUBN_ADM);
	unsigned char *data = reply + mad_data_offset(UMAD_CLASS_SUBN_ADM);
	const uint64_t guid = bits_get(query, 16 * 8, 64);
	uint16_t lid = path_record_dlid(query);

	for (uint32_t i = 0; guid && i < live.fabric.node_count; i++)
		if (live_port_guid(i) == guid)
			lid = fabric_lid(&live.fabric,
					 live.fabric.nodes[i].first_port +
						 (live.fabric.nodes[i].type != NODE_TYPE_SWITCH));
	/* A GID of another subnet is reached by a router, whose LID is that of leaf2 here. */
	if (query[8] == 0x20) {
		lid = 3;
		data[47] = 64; /* HopLimit */
	}
	if (!lid)
		bits_set(reply, 4 * 8, 16, MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS));
	path_record_set_dlid(data, (uint16_t)(lid + (lid ? live.path_lid : 0)));
	path_record_set_sl(data, live.path_sl);
	/* Exactly 2048 bytes, and 40 Gb/s: 15.2.5.16. */
	data[54] = 2 << 6 | 4;
	data[55] = 2 << 6 | 7;
}

/* Returns the length of the answer in bytes. */
static inline size_t live_say_members(const unsigned char *mad, unsigned char *reply)
{
	enum { RECORD = 56 };
	const size_t at = mad_data_offset(UMAD_CLASS_SUBN_ADM);
	const uint16_t mlid = (uint16_t)bits_get(mad + at, 36 * 8, 16);
	const bool trusted = !live.keeps_members || mad_sm_key(mad) == 1;
	size_t count = mlid == 0xc001 ? live.member_count : 0;

	memset(reply + at, 0, LIVE_REPLY - at);
	mad_set_rmpp_version(reply, 1);
	mad_set_rmpp_type(reply, 1); /* DATA */
	mad_set_record_offset(reply, RECORD / 8);
	count = count && !trusted ? 1 : count;
	for (size_t i = 0; i < count; i++) {
		unsigned char *record = reply + at + i * RECORD;

		bits_set(record, 16 * 8, 64, 0xfe80000000000000);
		bits_set(record, 24 * 8, 64, trusted ? live.members[i] : 0);
		bits_set(record, 36 * 8, 16, mlid);
		record[48] = 1;
	}
	if (!count)
		bits_set(reply, 4 * 8, 16, MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS));
	return at + count * RECORD;
}

/* ---- Answers ---- */

static inline const struct live_fault *live_fault_of(uint32_t node, const unsigned char *mad)
{
	for (size_t i = 0; i < live.fault_count; i++) {
		const struct live_fault *fault = &live.faults[i];

		if (fault->node == node &&
		    (!fault->mgmt_class || fault->mgmt_class == mad_class(mad)) &&
		    (!fault->attribute || fault->attribute == mad_attribute(mad)) &&
		    (!fault->port || fault->port == mad[65]))
			return fault;
	}
	return NULL;
}

static inline int live_answer(struct fake *fake, int agent, const struct mad_address *to,
			      const unsigned char *mad)
{
	const unsigned int mgmt_class = mad_class(mad);
	const struct live_fault *fault;
	unsigned char reply[LIVE_REPLY];
	size_t bytes = MAD_BYTES;
	unsigned int in = 0;
	uint32_t node = 0;

	(void)agent;
	if (live.lost_folder)
		rmdir(live.lost_folder);
	if (live.stop_after && fake->sends > live.stop_after)
		return 0;
	if (mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE ? !live_follow(mad, &node, &in)
							 : !live_by_lid(to->lid, &node, &in))
		return 0;
	if (mad_method(mad) == UMAD_METHOD_SET)
		live_log(mad, to->lid);
	fault = live_fault_of(node, mad);
	if (fault && !fault->status)
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	mad_set_method(reply, mad_method(mad) == UMAD_SA_METHOD_GET_TABLE
				      ? UMAD_SA_METHOD_GET_TABLE_RESP
				      : UMAD_METHOD_GET_RESP);
	if (fault)
		bits_set(reply, 4 * 8, 16, fault->status);
	else if (mad_class_is_smp(mgmt_class))
		live_say(node, in, mad_attribute(mad), mad_modifier(mad), reply + 64);
	else if (mgmt_class == UMAD_CLASS_PERF_MGMT)
		live_say_perf(node, mad, reply);
	else if (mad_attribute(mad) == UMAD_SA_ATTR_PATH_REC)
		live_say_path(mad, reply);
	else
		bytes = live_say_members(mad, reply);
	fake_put(fake, 0, reply, bytes, live.delay_usec);
	return 0;
}

static inline void live_add_fault(struct live_fault fault)
{
	assert_true(live.fault_count < LIVE_FAULTS);
	live.faults[live.fault_count++] = fault;
}

/* The ports support 4x QDR and an MTU of 4096 at best, and have tables to read. */
static inline void live_set_port(uint8_t *info)
{
	port_info_set_width_supported(info, 3);
	port_info_set_neighbor_mtu(info, 5);
	port_info_set_guid_cap(info, 1);
	port_info_set_vl_arbitration_high_cap(info, 2);
	port_info_set_vl_arbitration_low_cap(info, 2);
}

/* Each node has its number plus 1 as its LID. */
static inline void live_configure(void)
{
	for (uint32_t i = 0; i < live.fabric.node_count; i++) {
		const struct fabric_node *node = &live.fabric.nodes[i];
		const bool is_switch = node->type == NODE_TYPE_SWITCH;
		struct fabric_port *port = &live.fabric.ports[node->first_port + !is_switch];

		port_info_set_lid(port->info, (uint16_t)(i + 1));
		port_info_set_sm_lid(port->info, 1);
		port->guid = live_port_guid(i);
		node_info_set_pkeys(live.fabric.nodes[i].info, 2);
	}
	for (uint32_t i = 0; i < live.fabric.port_count; i++)
		live_set_port(live.fabric.ports[i].info);
	port_info_set_cap_mask(live.fabric.ports[fabric_port_at(&live.fabric, HOST1, 1)].info,
			       PORT_CAP_SM);
}

static inline void live_set_switch(uint32_t node, const char *linear)
{
	uint8_t *info = live.fabric.nodes[node].switch_info;

	switch_info_set_linear_cap(info, 48);
	switch_info_set_linear_top(info, LIVE_NODES);
	switch_info_set_pkeys(info, 2);
	switch_info_set_multicast_cap(info, 64);
	switch_info_set_multicast_top(info, 0xc001);
	memset(live.linear[node], MAD_LINEAR_NOWHERE, MAD_LINEAR_BLOCK);
	for (size_t i = 0; linear[i]; i++)
		if (linear[i] != '-')
			live.linear[node][i] = (uint8_t)(linear[i] - '0');
}

static inline int live_begin(void **state)
{
	struct fabric *fabric = &live.fabric;

	(void)state;
	live = (struct live){.capabilities = PERF_CAP_ALL_PORT_SELECT | PERF_CAP_EXTENDED_WIDTH |
					     PERF_CAP_XMIT_WAIT,
			     .manager_state = 3,
			     .sm_lid = 1};
	live.fake.on_send = live_answer;
	sample_node(fabric, NODE_TYPE_CA, 0x100, 1, "host1");
	sample_node(fabric, NODE_TYPE_SWITCH, 0x200, LIVE_PORTS, "leaf1");
	sample_node(fabric, NODE_TYPE_SWITCH, 0x300, LIVE_PORTS, "leaf2");
	sample_node(fabric, NODE_TYPE_CA, 0x400, 1, "host2");
	sample_node(fabric, NODE_TYPE_CA, 0x500, 1, "host3");
	sample_node(fabric, NODE_TYPE_CA, 0x600, 1, "host4");
	sample_cable(fabric, HOST1, 1, LEAF1, 1);
	sample_cable(fabric, LEAF1, 2, HOST2, 1);
	sample_cable(fabric, LEAF1, 3, LEAF2, 3);
	sample_cable(fabric, LEAF1, 4, LEAF2, 4);
	sample_cable(fabric, LEAF2, 1, HOST3, 1);
	sample_cable(fabric, LEAF2, 2, HOST4, 1);
	live_configure();
	/* The port with each LID from 0 to 6: host1, leaf1, leaf2, host2, host3, host4. */
	live_set_switch(LEAF1, "-103243");
	live_set_switch(LEAF2, "-340412");
	/* The group 0xc001 of all hosts, over one of the two cables. */
	live.multicast[LEAF1][1] = 1 << 1 | 1 << 2 | 1 << 3;
	live.multicast[LEAF2][1] = 1 << 1 | 1 << 2 | 1 << 3;
	return 0;
}

static inline int live_end(void **state)
{
	(void)state;
	fabric_clear(&live.fabric);
	return 0;
}

/* ---- The commands ---- */

/* Runs rdmactl fabric with these words; returns the exit status. */
static inline int live_run(const char *words, char **ret_out, char **ret_err)
{
	_cleanup_(freep) char *line = mem_format("fabric %s", words);

	fake_clock_nsec = 1000000000;
	live.fake.sends = 0;
	live.looks = 0;
	return command_run(&fabric_command, line, ret_out, ret_err);
}

/* Expects what a command prints, reports, and returns. */
static inline void live_expect(const char *line, int status, const char *out, const char *err)
{
	char *got_out, *got_err;
	int got = live_run(line, &got_out, &got_err);

	if (strcmp(got_out, out) || strcmp(got_err, err) || got != status) {
		print_message("rdmactl fabric %s: status %d\n", line, got);
		assert_string_equal(got_out, out);
		assert_string_equal(got_err, err);
		assert_int_equal(got, status);
	}
	free(got_out);
	free(got_err);
}

/* The same for system errors, whose texts differ between C libraries. */
static inline void live_expect_error(const char *line, int status, const char *out,
				     const char *before, int error, const char *after)
{
	_cleanup_(freep) char *err = mem_format("%s%s%s", before, strerror(error), after);

	live_expect(line, status, out, err);
}

/* What follows ENOENT if a command cannot save anything. */
#define LIVE_NO_FOLDER "\n  name a file in a directory that exists and is writable\n"

/*
 * Expects that a command prints this although it cannot save anything: the folder of its file goes
 * away during the scan. It must be empty: looking whether it can be written to leaves nothing
 * there.
 */
static inline void live_expect_unsaved(const char *words, const char *out)
{
	char folder[] = "/tmp/rdmactl-live-XXXXXX";
	_cleanup_(freep) char *line = NULL, *said = NULL;

	assert_non_null(mkdtemp(folder));
	line = mem_format("%s --save %s/file", words, folder);
	said = mem_format("rdmactl fabric: cannot write %s/file: ", folder);
	live.lost_folder = folder;
	live_expect_error(line, 1, out, said, ENOENT, LIVE_NO_FOLDER);
	live.lost_folder = NULL;
}

/* A file in memory, with a name that is the same in each run. */
static inline int live_file(const char *text, char path[static 32])
{
	int opened = memfd_create("file", MFD_CLOEXEC);
	int fd = fcntl(opened, F_DUPFD_CLOEXEC, 40);

	close(opened);
	assert_true(fd >= 40);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}
