/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl ping over Ethernet: which destinations are on it, the port, GID and address that requests
 * are sent from, and how unreachable ones are reported. The routing table is made up: peer_find()
 * and endpoint_by_route() are here, so that the linker takes none of their files.
 */
#include "made_up_nodes.h"

#include <arpa/inet.h>

#include "cmd/commands.h"
#include "host/endpoint/endpoint.h"
#include "host/endpoint/gid_choice.h"
#include "host/netdev.h"
#include "mad/ping.h"

/* ---- The routing table ---- */

/* The route to a destination. */
static const struct way {
	const char *name;
	const char *address; /* NULL: no such host */
	const char *device;  /* NULL: no route to it */
	uint32_t port, gid_index;
	const char *gid;
	uint32_t link_layer, transport;
} ways[] = {
	{"10.0.0.1", "10.0.0.1", "m0", 3, 7, "::ffff:10.0.0.9", LINK_LAYER_ETHERNET,
	 TRANSPORT_ROCE},
	{"10.0.0.2", "10.0.0.2", "m0", 3, 8, "::ffff:10.0.0.9", LINK_LAYER_ETHERNET,
	 TRANSPORT_ROCE},
	{"host6", "2001:db8::6", "m0", 3, 9, "2001:db8::9", LINK_LAYER_ETHERNET, TRANSPORT_ROCE},
	{"fe80::1", "fe80::1", "m0", 3, 1, "fe80::9", LINK_LAYER_ETHERNET, TRANSPORT_ROCE},
	{"fe80::1%eth0", "fe80::1", "m0", 3, 2, "fe80::9", LINK_LAYER_ETHERNET, TRANSPORT_ROCE},
	{"fe80::1%eth5", "fe80::1", "m0", 3, 3, "fe80::9", LINK_LAYER_ETHERNET, TRANSPORT_ROCE},
	{"other", "10.0.0.3", "m1\x1b", 4, 0, "::ffff:10.0.0.9", LINK_LAYER_ETHERNET,
	 TRANSPORT_ROCE},
	{"10.0.1.1", "10.0.1.1", "ib0\x1b", 2, 0, "fe80::9", LINK_LAYER_INFINIBAND,
	 TRANSPORT_INFINIBAND},
	{"iwarp", "10.0.2.1", "iw0", 1, 0, "::ffff:10.0.0.9", LINK_LAYER_ETHERNET, TRANSPORT_IWARP},
	{"only6", "10.0.3.1", "m0", 3, 5, "2001:db8::9", LINK_LAYER_ETHERNET, TRANSPORT_ROCE},
	{"only4", "2001:db8::4", "m0", 3, 6, "::ffff:10.0.0.9", LINK_LAYER_ETHERNET,
	 TRANSPORT_ROCE},
	{"nowhere", "10.0.4.1", NULL, 0, 0, NULL, 0, 0},
	{"unknown", NULL, NULL, 0, 0, NULL, 0, 0},
};

static const struct way *way_to(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	fail_msg("no way to %s", name);
	return NULL;
}

int peer_find(const char *name, const struct inventory *inventory, struct ip_address *ret_address,
	      struct route *ret_route, struct strings *doubts, char **ret_error, char **ret_hint)
{
	const struct way *way = way_to(name);

	assert_int_equal(inventory->devices.count, 1);
	assert_null(doubts);
	if (!way->address) {
		*ret_error = mem_string("there is no such host");
		*ret_hint = mem_string("spell it");
		return -ENOENT;
	}
	assert_int_equal(ip_parse(way->address, ret_address), 0);
	ret_route->link_index = number_of(77);
	return 0;
}

int endpoint_by_route(const struct inventory *inventory, const char *name,
		      const struct ip_address *peer, const struct route *route,
		      const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
		      char **ret_reason, char **ret_hint)
{
	const struct way *way = way_to(name);
	_cleanup_(freep) char *line = mem_format(
		"way to %s%s: index %d, type %d", name, wish->named ? ", named" : "",
		wish->gid_index.known ? (int)wish->gid_index.value : -1,
		wish->gid_type.known ? (int)wish->gid_type.value : -1);

	(void)inventory, (void)peer;
	command_note(line);
	assert_int_equal(route->link_index.value, 77);
	if (!way->device) {
		*ret_reason = mem_string("no port leads there");
		*ret_hint = mem_string("rdmactl selftest needs one");
		return -ENODEV;
	}
	*ret_endpoint = (struct endpoint){
		.port = way->port,
		.gid_index = way->gid_index,
		.link_layer = way->link_layer,
		.transport = way->transport,
	};
	snprintf(ret_endpoint->device, sizeof(ret_endpoint->device), "%s", way->device);
	assert_int_equal(gid_parse(way->gid, &ret_endpoint->gid), 0);
	return 0;
}

/* ---- The peers ---- */

static bool silent, stranger, slow;

enum { SLOW_MSEC = 60 }; /* longer than HELD_UP in engine_slot.c */

static int answer(const struct asked *asked, unsigned char *data)
{
	const struct mad_address *to = asked->address;
	unsigned char reply[MAD_BYTES];
	char gid[GID_TEXT_SIZE];
	_cleanup_(freep) char *line = NULL;

	(void)data;
	if (asked->mgmt_class != MAD_CLASS_OPENIB_PING)
		return NODES_SILENT;
	gid_format(&to->gid, gid);
	line = mem_format("%s: QP %u, Q_Key 0x%x, SL %u, P_Key index %u, GRH %d, GID index %u, "
			  "hops %u",
			  gid, to->qpn, to->qkey, to->sl, to->pkey_index, to->has_grh,
			  to->gid_index, to->hop_limit);
	command_note(line);
	if (silent)
		return NODES_SILENT;
	/* The kernel resolves the second neighbour, and delays the first one's answer. */
	if (slow && !strcmp(gid, "0000:0000:0000:0000:0000:ffff:0a00:0002"))
		fake_sleep(SLOW_MSEC);
	assert_true(ping_answer(PING_ROCE, asked->mad, MAD_BYTES, "peer", reply));
	fake_put(&nodes.fake, 0, reply, MAD_BYTES, slow ? (SLOW_MSEC + 5) * 1000 : 10);
	nodes.fake.queue[nodes.fake.queued - 1].arrival.agent = (int)nodes.fake.agents;
	nodes.fake.queue[nodes.fake.queued - 1].arrival.from.gid = to->gid;
	nodes.fake.queue[nodes.fake.queued - 1].arrival.from.gid.raw[15] ^= stranger;
	return NODES_SILENT;
}

static void expect_all(const struct command_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		nodes_expect(&ping_command, &rows[i]);
}

static void begin(void)
{
	static char netdev[] = "eth0";

	nodes_begin(answer);
	nodes.ethernet = true;
	nodes.netdev = netdev;
	silent = stranger = false;
}

#define TO_BY(gid, sl, pkey_index, gid_index)                              \
	"0 get ClassPortInfo 0x3\n" gid ": QP 1, Q_Key 0x80010000, SL " sl \
	", P_Key index " pkey_index ", GRH 1, GID index " gid_index ", hops 64\n"
#define TO(gid, gid_index) TO_BY(gid, "0", "0", gid_index)

#define COLUMNS "--tsv -o object,host,lid,gid,device,port,method,sent,received"

static const struct command_row reached_rows[] = {
	{"ping 10.0.0.1 host6 10.0.0.2 -c 2 " COLUMNS, STATUS_DONE,
	 "object\thost\tlid\tgid\tdevice\tport\tmethod\tsent\treceived\n"
	 "10.0.0.1\tpeer\t\t0000:0000:0000:0000:0000:ffff:0a00:0001\tm0\t3\troce\t2\t2\n"
	 "host6\tpeer\t\t2001:0db8:0000:0000:0000:0000:0000:0006\tm0\t3\troce\t2\t2\n"
	 "10.0.0.2\tpeer\t\t0000:0000:0000:0000:0000:ffff:0a00:0002\tm0\t3\troce\t2\t2\n",
	 "",
	 "way to 10.0.0.1: index -1, type 2\n"
	 "way to host6: index -1, type 2\n"
	 "way to 10.0.0.2: index -1, type 2\n" TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")
		 TO("2001:0db8:0000:0000:0000:0000:0000:0006",
		    "9") TO("0000:0000:0000:0000:0000:ffff:0a00:0002", "8")
			 TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")
				 TO("2001:0db8:0000:0000:0000:0000:0000:0006", "9")
					 TO("0000:0000:0000:0000:0000:ffff:0a00:0002", "8")},
	{"ping 10.0.0.1 -c 1 --gid-index 4 --sl 5 --pkey-index 6 --tsv -o object,received",
	 STATUS_DONE,
	 "object\treceived\n"
	 "10.0.0.1\t1\n",
	 "",
	 "way to 10.0.0.1: index 4, type -1\n" TO_BY("0000:0000:0000:0000:0000:ffff:0a00:0001", "5",
						     "6", "7")},
	{"ping host6 -c 1 --via m0/3 --tsv -o object,received", STATUS_DONE,
	 "object\treceived\n"
	 "host6\t1\n",
	 "",
	 "way to host6, named: index -1, type 2\n" TO("2001:0db8:0000:0000:0000:0000:0000:0006",
						      "9")},
	{"ping ::ffff:10.0.0.1 -c 1 --tsv -o object,gid", STATUS_DONE,
	 "object\tgid\n"
	 "::ffff:10.0.0.1\t0000:0000:0000:0000:0000:ffff:0a00:0001\n",
	 "",
	 "way to 10.0.0.1: index -1, type 2\n" TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")},
	{"ping fe80::1 -c 1 --via m0 --tsv -o object,gid", STATUS_DONE,
	 "object\tgid\n"
	 "fe80::1\tfe80:0000:0000:0000:0000:0000:0000:0001\n",
	 "",
	 "way to fe80::1%eth0, named: index -1, type 2\n" TO(
		 "fe80:0000:0000:0000:0000:0000:0000:0001", "2")},
	{"ping fe80::1 -c 1 --tsv -o object,gid", STATUS_DONE,
	 "object\tgid\n"
	 "fe80::1\tfe80:0000:0000:0000:0000:0000:0000:0001\n",
	 "",
	 "way to fe80::1: index -1, type 2\n" TO("fe80:0000:0000:0000:0000:0000:0000:0001", "1")},
	{"ping fe80::1%eth5 -c 1 --via m0/3 --tsv -o object,gid", STATUS_DONE,
	 "object\tgid\n"
	 "fe80::1%eth5\tfe80:0000:0000:0000:0000:0000:0000:0001\n",
	 "",
	 "way to fe80::1%eth5, named: index -1, type 2\n" TO(
		 "fe80:0000:0000:0000:0000:0000:0000:0001", "3")},
};

static void reached(void **state)
{
	(void)state;
	begin();
	expect_all(reached_rows, ARRAY_SIZE(reached_rows));
}

/* The message for each, between two that are reachable. */
static const struct command_row refused_rows[] = {
	{"ping 10.0.0.1 5 0x10 0,1 0xfg 10.0.0.2 -c 1 --tsv -o object,received", STATUS_PARTIAL,
	 "object\treceived\n"
	 "10.0.0.1\t1\n"
	 "10.0.0.2\t1\n",
	 "rdmactl ping: 5: on Ethernet a destination is an IP address, a GID or a host name\n"
	 "  LIDs, GUIDs and directed routes need an InfiniBand port: name one with --via\n"
	 "rdmactl ping: 0x10: on Ethernet a destination is an IP address, a GID or a host name\n"
	 "rdmactl ping: 0,1: on Ethernet a destination is an IP address, a GID or a host name\n"
	 "rdmactl ping: 0xfg: on Ethernet a destination is an IP address, a GID or a host name\n",
	 "way to 10.0.0.1: index -1, type 2\n"
	 "way to 10.0.0.2: index -1, type 2\n" TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")
		 TO("0000:0000:0000:0000:0000:ffff:0a00:0002", "8")},
	{"ping 10.0.0.1 10.0.1.1 iwarp only6 only4 10.0.0.2 -c 1 --tsv -o object,received",
	 STATUS_PARTIAL,
	 "object\treceived\n"
	 "10.0.0.1\t1\n"
	 "10.0.0.2\t1\n",
	 "rdmactl ping: 10.0.1.1: the path leaves by InfiniBand port ib0\\x1b/2: give a LID or "
	 "GUID\n"
	 "rdmactl ping: iwarp: the path leaves by iw0/1, which does not support management "
	 "datagrams\n"
	 "rdmactl ping: only6: m0/3 has no GID for IPv4: GID index 5 is of another kind\n"
	 "rdmactl ping: only4: m0/3 has no GID for IPv6: GID index 6 is of another kind\n",
	 "way to 10.0.0.1: index -1, type 2\n"
	 "way to 10.0.1.1: index -1, type 2\n"
	 "way to iwarp: index -1, type 2\n"
	 "way to only6: index -1, type 2\n"
	 "way to only4: index -1, type 2\n"
	 "way to 10.0.0.2: index -1, type 2\n" TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")
		 TO("0000:0000:0000:0000:0000:ffff:0a00:0002", "8")},
	{"ping only6 only4 -c 1 --gid-index 5 --tsv -o object,received", STATUS_FAILED, "",
	 "rdmactl ping: only6: GID index 5 of m0/3 is not for IPv4\n"
	 "rdmactl ping: only4: GID index 6 of m0/3 is not for IPv6\n",
	 "way to only6: index 5, type -1\n"
	 "way to only4: index 5, type -1\n"},
	{"ping 10.0.0.1 other nowhere unknown 10.0.0.2 -c 1 --tsv -o object,received",
	 STATUS_PARTIAL,
	 "object\treceived\n"
	 "10.0.0.1\t1\n"
	 "10.0.0.2\t1\n",
	 "rdmactl ping: other: the path leaves by m1\\x1b/4, that of other destinations by m0/3\n"
	 "  ping it in a separate run, or name the port with --via\n"
	 "rdmactl ping: nowhere: no port leads there\n"
	 "  name a port with --via; rdmactl gids --to nowhere shows the path\n"
	 "rdmactl ping: unknown: there is no such host\n"
	 "  spell it\n",
	 "way to 10.0.0.1: index -1, type 2\n"
	 "way to other: index -1, type 2\n"
	 "way to nowhere: index -1, type 2\n"
	 "way to 10.0.0.2: index -1, type 2\n" TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")
		 TO("0000:0000:0000:0000:0000:ffff:0a00:0002", "8")},
	{"ping 5 -c 1 --tsv -o object,received", STATUS_FAILED, "",
	 "rdmactl ping: 5: on Ethernet a destination is an IP address, a GID or a host name\n"
	 "  LIDs, GUIDs and directed routes need an InfiniBand port: name one with --via\n",
	 ""},
	{"ping other 10.0.0.1 -c 1 --via m9/x --tsv -o object,received", STATUS_USAGE, "",
	 "rdmactl ping: 'm9/x' is not DEV or DEV/PORT\n"
	 "  rdmactl devices lists the names\n",
	 ""},
};

static void refused(void **state)
{
	(void)state;
	begin();
	expect_all(refused_rows, ARRAY_SIZE(refused_rows));
}

static const struct command_row lost_row = {
	"ping 10.0.0.1 -c 2 --tsv -o object,host,sent,received,loss_percent", STATUS_FAULT,
	"object\thost\tsent\treceived\tloss_percent\n"
	"10.0.0.1\t\t2\t0\t100\n",
	"rdmactl ping: 10.0.0.1: no answer to 2 of 2 requests\n"
	"  run rdmactl ping --serve on the destination\n",
	"way to 10.0.0.1: index -1, type 2\n" TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")
		TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")};
/* An answer must come from where the request went. */
static const struct command_row stranger_row = {
	"ping 10.0.0.1 -c 1 --tsv -o object,received", STATUS_FAULT,
	"object\treceived\n"
	"10.0.0.1\t0\n",
	"rdmactl ping: 10.0.0.1: no valid answer to 1 of 1 requests (another address answered)\n"
	"  run rdmactl ping --serve on the destination\n",
	"way to 10.0.0.1: index -1, type 2\n" TO("0000:0000:0000:0000:0000:ffff:0a00:0001", "7")};
static const struct command_row agent_row = {
	"ping 10.0.0.1 -c 1 --tsv -o object,received", STATUS_FAILED, "",
	"rdmactl ping: m0/3: the kernel refused to register an agent for answers: <EBUSY>\n"
	"  17 other clients may be waiting for answers on this port\n",
	"way to 10.0.0.1: index -1, type 2\n"};

/* An answer whose time is unknown still counts. */
static void untimed(void **state)
{
	_cleanup_(freep) char *out = NULL, *err = NULL;

	(void)state;
	begin();
	slow = true;
	assert_int_equal(command_run(&ping_command,
				     "ping 10.0.0.1 10.0.0.2 -c 1 -v --tsv "
				     "-o object,received",
				     &out, &err),
			 STATUS_DONE);
	slow = false;
	assert_string_equal(out, "object\treceived\n10.0.0.1\t1\n10.0.0.2\t1\n");
	assert_non_null(strstr(err, "rdmactl ping: 10.0.0.1 (peer): 1 of 1: answered\n"));
	assert_null(strstr(err, "no answer"));
}

static void lost(void **state)
{
	(void)state;
	begin();
	silent = true;
	nodes_expect(&ping_command, &lost_row);
	silent = false;
	stranger = true;
	nodes_expect(&ping_command, &stranger_row);
	stranger = false;
	nodes.fake.agent_error = -EBUSY;
	nodes_expect(&ping_command, &agent_row);
}

/* An InfiniBand port, or an InfiniBand option. */
static const struct command_row infiniband_rows[] = {
	{"ping host6 -c 1 --tsv -o object,received", STATUS_FAILED, "",
	 "rdmactl ping: host6: the subnet administrator did not answer\n"
	 "  rdmactl smp sminfo shows whether the subnet manager is alive\n",
	 "1 get-table NodeRecord 0x0\n"},
	{"ping 10.0.1.1 -c 1 --tsv -o object,received", STATUS_FAILED, "",
	 "rdmactl ping: 10.0.1.1: the path leaves by InfiniBand port ib0\\x1b/2: give a LID or "
	 "GUID\n",
	 "way to 10.0.1.1: index -1, type 2\n"},
};

static const struct command_row options_rows[] = {
	{"ping 10.0.0.1 --smp -c 1 --tsv -o object", STATUS_FAILED, "",
	 "rdmactl ping: 10.0.0.1: the subnet administrator did not answer\n"
	 "  rdmactl smp sminfo shows whether the subnet manager is alive\n",
	 "1 get-table NodeRecord 0x0\n"},
	{"ping 10.0.0.1 --openib -c 1 --tsv -o object", STATUS_FAILED, "",
	 "rdmactl ping: 10.0.0.1: the subnet administrator did not answer\n"
	 "  rdmactl smp sminfo shows whether the subnet manager is alive\n",
	 "1 get-table NodeRecord 0x0\n"},
	{"ping 10.0.0.1 --lid -c 1 --tsv -o object", STATUS_USAGE, "",
	 "rdmactl ping: '10.0.0.1' is not a LID\n"
	 "  a LID is a number from 1 to 49151: 5\n",
	 ""},
	{"ping 10.0.0.1 --guid -c 1 --tsv -o object", STATUS_USAGE, "",
	 "rdmactl ping: '10.0.0.1' is not a GUID\n"
	 "  a port GUID has 16 hexadecimal digits: 0x0002c90300001234\n",
	 ""},
	{"ping 10.0.0.1 --direct -c 1 --tsv -o object", STATUS_USAGE, "",
	 "rdmactl ping: '10.0.0.1' is not a directed route\n"
	 "  a directed route begins with 0, then comes the port of each hop: 0,1,3\n",
	 ""},
	{"ping 10.0.0.1 --node -c 1 --tsv -o object", STATUS_FAILED, "",
	 "rdmactl ping: 10.0.0.1: the subnet administrator did not answer\n"
	 "  rdmactl smp sminfo shows whether the subnet manager is alive\n",
	 "1 get-table NodeRecord 0x0\n"},
};

static const struct command_row unread_row = {"ping 10.0.0.1 -c 1 --tsv -o object", STATUS_NOTHING,
					      "", "", ""};

static void infiniband(void **state)
{
	(void)state;
	begin();
	nodes.ethernet = false;
	expect_all(infiniband_rows, ARRAY_SIZE(infiniband_rows));
	expect_all(options_rows, ARRAY_SIZE(options_rows));
	nodes.ethernet = true;
	nodes.load_error = -ENODEV;
	nodes_expect(&ping_command, &unread_row);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reached), cmocka_unit_test(refused),	 cmocka_unit_test(untimed),
		cmocka_unit_test(lost),	   cmocka_unit_test(infiniband),
	};

	return cmocka_run_group_tests_name("ping_roce", tests, command_set_up, command_tear_down);
}
