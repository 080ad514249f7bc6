/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The routes that rdmactl fabric shows on a made-up subnet: the path from one port to another, each
 * way in which it can end, the tables of switches, and the tree of a multicast group.
 */
#include "live_subnet.h"

enum { RCV_ERRORS = 8 * 8 };

/* ---- From one port to another ---- */

static void there_and_back(void **state)
{
	(void)state;
	bits_set(live.counters[LEAF1][4], RCV_ERRORS, 16, 7);
	bits_set(live.counters[HOST4][1], RCV_ERRORS, 16, 9);
	live_expect("route host1 host4", 0,
		    "DIRECTION HOP NODE  OUT PORT PEER  IN PORT STATE  LANES SPEED RATE Gb/s SAME "
		    "CABLE "
		    "BELOW PATH\n"
		    "there       1 host1        1 leaf1       1 active     4 QDR          40 yes   "
		    "     "
		    "no\n"
		    "there       2 leaf1        3 leaf2       3 active     4 QDR          40 yes   "
		    "     "
		    "no\n"
		    "there       3 leaf2        2 host4       1 active     4 QDR          40 yes   "
		    "     "
		    "no\n"
		    "back        1 host4        1 leaf2       2 active     4 QDR          40 yes   "
		    "     "
		    "no\n"
		    "back        2 leaf2        3 leaf1       3 active     4 QDR          40 yes   "
		    "     "
		    "no\n"
		    "back        3 leaf1        1 host1       1 active     4 QDR          40 yes   "
		    "     "
		    "no\n",
		    "");
	/* The path back uses the other cable between the switches. */
	live_expect(
		"route host4 4 --tsv -o +errors,peer_errors,path_rate_gbps,path_mtu_bytes,path_sl",
		0,
		"direction\thop\tnode\tout_port\tpeer\tin_port\tstate\twidth_lanes\tspeed\trate_"
		"gbps"
		"\tsame_cable\tbelow_path\terrors\tpeer_errors\tpath_rate_gbps\tpath_mtu_"
		"bytes\tpath_"
		"sl\n"
		"there\t1\thost4\t1\tleaf2\t2\tactive\t4\tQDR\t40\tyes\tno\t9\t0\t40\t2048\t0\n"
		"there\t2\tleaf2\t4\tleaf1\t4\tactive\t4\tQDR\t40\tno\tno\t0\t7\t40\t2048\t0\n"
		"there\t3\tleaf1\t2\thost2\t1\tactive\t4\tQDR\t40\tyes\tno\t0\t0\t40\t2048\t0\n"
		"back\t1\thost2\t1\tleaf1\t2\tactive\t4\tQDR\t40\tyes\tno\t0\t0\t40\t2048\t0\n"
		"back\t2\tleaf1\t3\tleaf2\t3\tactive\t4\tQDR\t40\tno\tno\t0\t0\t40\t2048\t0\n"
		"back\t3\tleaf2\t2\thost4\t1\tactive\t4\tQDR\t40\tyes\tno\t0\t9\t40\t2048\t0\n",
		"");
}

static void by_guid(void **state)
{
	(void)state;
	bits_set(live.counters[LEAF1][4], RCV_ERRORS, 16, 7);
	live.path_sl = 3;
	live_expect(
		"route 0000:0000:0000:0501 leaf1 --jsonl", 0,
		"{\"direction\": \"there\", \"hop\": 1, \"node\": \"host3\", \"out_port\": 1, "
		"\"peer\": \"leaf2\", \"in_port\": 1, \"state\": \"active\", \"width_lanes\": 4, "
		"\"speed\": \"QDR\", \"rate_gbps\": 40, \"same_cable\": true, \"below_path\": "
		"false, "
		"\"could_be\": null, \"mtu_bytes\": 4096, \"lid\": 5, \"peer_lid\": 3, \"dlid\": "
		"2, "
		"\"errors\": 0, \"peer_errors\": 0, \"path_rate_gbps\": 40, \"path_mtu_bytes\": "
		"2048, \"path_sl\": 3, \"node_guid\": \"0000:0000:0000:0500\", \"peer_guid\": "
		"\"0000:0000:0000:0300\"}\n"
		"{\"direction\": \"there\", \"hop\": 2, \"node\": \"leaf2\", \"out_port\": 4, "
		"\"peer\": \"leaf1\", \"in_port\": 4, \"state\": \"active\", \"width_lanes\": 4, "
		"\"speed\": \"QDR\", \"rate_gbps\": 40, \"same_cable\": true, \"below_path\": "
		"false, "
		"\"could_be\": null, \"mtu_bytes\": 4096, \"lid\": 3, \"peer_lid\": 2, \"dlid\": "
		"2, "
		"\"errors\": 0, \"peer_errors\": 7, \"path_rate_gbps\": 40, \"path_mtu_bytes\": "
		"2048, \"path_sl\": 3, \"node_guid\": \"0000:0000:0000:0300\", \"peer_guid\": "
		"\"0000:0000:0000:0200\"}\n"
		"{\"direction\": \"back\", \"hop\": 1, \"node\": \"leaf1\", \"out_port\": 4, "
		"\"peer\": \"leaf2\", \"in_port\": 4, \"state\": \"active\", \"width_lanes\": 4, "
		"\"speed\": \"QDR\", \"rate_gbps\": 40, \"same_cable\": true, \"below_path\": "
		"false, "
		"\"could_be\": null, \"mtu_bytes\": 4096, \"lid\": 2, \"peer_lid\": 3, \"dlid\": "
		"5, "
		"\"errors\": 7, \"peer_errors\": 0, \"path_rate_gbps\": 40, \"path_mtu_bytes\": "
		"2048, \"path_sl\": 3, \"node_guid\": \"0000:0000:0000:0200\", \"peer_guid\": "
		"\"0000:0000:0000:0300\"}\n"
		"{\"direction\": \"back\", \"hop\": 2, \"node\": \"leaf2\", \"out_port\": 1, "
		"\"peer\": \"host3\", \"in_port\": 1, \"state\": \"active\", \"width_lanes\": 4, "
		"\"speed\": \"QDR\", \"rate_gbps\": 40, \"same_cable\": true, \"below_path\": "
		"false, "
		"\"could_be\": null, \"mtu_bytes\": 4096, \"lid\": 3, \"peer_lid\": 5, \"dlid\": "
		"5, "
		"\"errors\": 0, \"peer_errors\": 0, \"path_rate_gbps\": 40, \"path_mtu_bytes\": "
		"2048, \"path_sl\": 3, \"node_guid\": \"0000:0000:0000:0300\", \"peer_guid\": "
		"\"0000:0000:0000:0500\"}\n",
		"");
}

static void no_way(void **state)
{
	(void)state;
	live_expect("route host1 host1", 2, "",
		    "rdmactl fabric: both ends are host1/1\n"
		    "  give another port of the node as NAME/PORT, or by its LID\n");
	live_expect("route host1 2001::999", 5, "",
		    "rdmactl fabric: the scan found no node '2001::999'\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n");
	live_expect("route host1 nobody", 5, "",
		    "rdmactl fabric: the scan found no node 'nobody'\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n");
	live_expect("route host1 host4/2", 5, "",
		    "rdmactl fabric: no such port: host4 has one port\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n");
	live_expect("route leaf1/9 host1", 5, "",
		    "rdmactl fabric: no such port: leaf1 has ports 1 to 4\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n");
	port_info_set_lid(live.fabric.ports[fabric_port_at(&live.fabric, HOST3, 1)].info, 6);
	live_expect("route 6 host1", 2, "",
		    "rdmactl fabric: '6' matches 2 nodes\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n");
	live_expect("route 40 host1", 5, "",
		    "rdmactl fabric: the scan found no node '40'\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n");
}

static void unusual_ends(void **state)
{
	uint8_t *info = live.fabric.ports[fabric_port_at(&live.fabric, HOST4, 1)].info;

	(void)state;
	port_info_set_lid(info, 0);
	live_expect(
		"route host1 host4", 1, "",
		"rdmactl fabric: host4/1 has no LID\n"
		"  a subnet manager assigns LIDs: rdmactl smp sminfo shows whether there is one\n");
	port_info_set_lid(info, 6);
	live.sm_lid = 0;
	live_expect("route host1 host4 --tsv -o direction,node,path_sl", 3,
		    "direction\tnode\tpath_sl\n"
		    "there\thost1\t\n"
		    "there\tleaf1\t\n"
		    "there\tleaf2\t\n"
		    "back\thost4\t\n"
		    "back\tleaf2\t\n"
		    "back\tleaf1\t\n",
		    "rdmactl fabric: cannot read path record: the port knows no subnet manager\n"
		    "  rdmactl fabric check shows whether there is one\n");
	live_expect("route host1 host4 --tsv", 0,
		    "direction\thop\tnode\tout_port\tpeer\tin_port\tstate\twidth_"
		    "lanes\tspeed\trate_gbps"
		    "\tsame_cable\tbelow_path\n"
		    "there\t1\thost1\t1\tleaf1\t1\tactive\t4\tQDR\t40\tyes\t\n"
		    "there\t2\tleaf1\t3\tleaf2\t3\tactive\t4\tQDR\t40\tyes\t\n"
		    "there\t3\tleaf2\t2\thost4\t1\tactive\t4\tQDR\t40\tyes\t\n"
		    "back\t1\thost4\t1\tleaf2\t2\tactive\t4\tQDR\t40\tyes\t\n"
		    "back\t2\tleaf2\t3\tleaf1\t3\tactive\t4\tQDR\t40\tyes\t\n"
		    "back\t3\tleaf1\t1\thost1\t1\tactive\t4\tQDR\t40\tyes\t\n",
		    "");
	live.sm_lid = 1;
	live_add_fault((struct live_fault){.node = HOST1, .mgmt_class = UMAD_CLASS_SUBN_ADM});
	live_expect("route host1 host4 --tsv -o direction,node,path_sl", 3,
		    "direction\tnode\tpath_sl\n"
		    "there\thost1\t\n"
		    "there\tleaf1\t\n"
		    "there\tleaf2\t\n"
		    "back\thost4\t\n"
		    "back\tleaf2\t\n"
		    "back\tleaf1\t\n",
		    "rdmactl fabric: path record of the route there: no answer, asked 4 times\n"
		    "  rdmactl smp sminfo shows whether the subnet manager is alive\n"
		    "rdmactl fabric: path record of the route back: no answer, asked 4 times\n");
	live.fault_count = 0;
	live_add_fault((struct live_fault){
		.node = HOST1, .mgmt_class = UMAD_CLASS_SUBN_ADM, .status = 0x300});
	live_expect("route host1 host4 --tsv -o direction,node,path_sl", 3,
		    "direction\tnode\tpath_sl\n"
		    "there\thost1\t\n"
		    "there\tleaf1\t\n"
		    "there\tleaf2\t\n"
		    "back\thost4\t\n"
		    "back\tleaf2\t\n"
		    "back\tleaf1\t\n",
		    "rdmactl fabric: path record of the route there: refused with status 0x0300: "
		    "no-records\n"
		    "rdmactl fabric: path record of the route back: refused with status 0x0300: "
		    "no-records\n");
	live_add_fault((struct live_fault){.node = LEAF2, .mgmt_class = UMAD_CLASS_PERF_MGMT});
	live_expect("route host1 host4 --tsv -o direction,node,errors,peer_errors", 3,
		    "direction\tnode\terrors\tpeer_errors\n"
		    "there\thost1\t0\t0\n"
		    "there\tleaf1\t0\t\n"
		    "there\tleaf2\t\t0\n"
		    "back\thost4\t0\t\n"
		    "back\tleaf2\t\t0\n"
		    "back\tleaf1\t0\t0\n",
		    "rdmactl fabric: leaf2: ClassPortInfo: no answer, asked 4 times\n");
}

/* Each reason for which a route ends early. */
static void broken(void **state)
{
	uint8_t *entry = &live.linear[LEAF2][6];

	(void)state;
	*entry = MAD_LINEAR_NOWHERE;
	live_expect(
		"route host1 host4 --tsv -o direction,hop,node,out_port", 4,
		"direction\thop\tnode\tout_port\n"
		"there\t1\thost1\t1\n"
		"there\t2\tleaf1\t3\n"
		"back\t1\thost4\t1\n"
		"back\t2\tleaf2\t3\n"
		"back\t3\tleaf1\t1\n",
		"rdmactl fabric: the route there ends at leaf2: its table has no port for LID 6\n"
		"  make the subnet manager recompute its routes: send SIGHUP to opensm; if that "
		"does not "
		"help, restart it, which writes all tables again\n");
	*entry = 9;
	live_expect("route host1 host4 --tsv -o direction,hop,node,out_port", 4,
		    "direction\thop\tnode\tout_port\n"
		    "there\t1\thost1\t1\n"
		    "there\t2\tleaf1\t3\n"
		    "back\t1\thost4\t1\n"
		    "back\t2\tleaf2\t3\n"
		    "back\t3\tleaf1\t1\n",
		    "rdmactl fabric: the route there ends at leaf2: LID 6 goes to port 9, which it "
		    "does "
		    "not have\n"
		    "  make the subnet manager recompute its routes: send SIGHUP to opensm; if "
		    "that does not "
		    "help, restart it, which writes all tables again\n");
	*entry = 0;
	live_expect(
		"route host1 host4 --tsv -o direction,hop,node,out_port", 4,
		"direction\thop\tnode\tout_port\n"
		"there\t1\thost1\t1\n"
		"there\t2\tleaf1\t3\n"
		"back\t1\thost4\t1\n"
		"back\t2\tleaf2\t3\n"
		"back\t3\tleaf1\t1\n",
		"rdmactl fabric: the route there ends at leaf2: LID 6 goes to the switch itself, "
		"which has another LID\n"
		"  make the subnet manager recompute its routes: send SIGHUP to opensm; if that "
		"does not "
		"help, restart it, which writes all tables again\n");
	*entry = 4;
	live_expect("route host1 host4 --tsv -o direction,hop,node,out_port", 4,
		    "direction\thop\tnode\tout_port\n"
		    "there\t1\thost1\t1\n"
		    "there\t2\tleaf1\t3\n"
		    "there\t3\tleaf2\t4\n"
		    "back\t1\thost4\t1\n"
		    "back\t2\tleaf2\t3\n"
		    "back\t3\tleaf1\t1\n",
		    "rdmactl fabric: the route there comes back to leaf1: LID 6 goes in a loop\n"
		    "  make the subnet manager recompute its routes: send SIGHUP to opensm; if "
		    "that does not "
		    "help, restart it, which writes all tables again\n");
	*entry = 1;
	live_expect("route host1 host4 --tsv -o direction,hop,node,out_port", 4,
		    "direction\thop\tnode\tout_port\n"
		    "there\t1\thost1\t1\n"
		    "there\t2\tleaf1\t3\n"
		    "there\t3\tleaf2\t1\n"
		    "back\t1\thost4\t1\n"
		    "back\t2\tleaf2\t3\n"
		    "back\t3\tleaf1\t1\n",
		    "rdmactl fabric: the route there ends at host3, which does not have LID 6\n"
		    "  make the subnet manager recompute its routes: send SIGHUP to opensm; if "
		    "that does not "
		    "help, restart it, which writes all tables again\n");
}

static void broken_off(void **state)
{
	uint8_t *entry = &live.linear[LEAF2][6];

	(void)state;
	*entry = 1;
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_LINEAR_FT});
	live_expect("route host1 host4 --tsv -o direction,hop,node,out_port,same_cable", 3,
		    "direction\thop\tnode\tout_port\tsame_cable\n"
		    "there\t1\thost1\t1\t\n"
		    "there\t2\tleaf1\t3\t\n"
		    "back\t1\thost4\t1\t\n",
		    "rdmactl fabric: leaf2/0: LinearForwardingTable: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		    "rdmactl fabric: the route there is unknown beyond leaf2\n"
		    "rdmactl fabric: the route back is unknown beyond leaf2\n");
	live.fault_count = 0;
	*entry = 2;
	live_add_fault((struct live_fault){.node = HOST4});
	live_expect(
		"route host1 6 --tsv -o direction,hop,node,out_port", 5, "",
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: the scan found no node '6'\n"
		"  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		"node,node_guid,lid,path lists them\n");
	live.fault_count = 0;
	fabric_unlink(&live.fabric, fabric_port_at(&live.fabric, LEAF2, 2));
	sample_set_port(&live.fabric, fabric_port_at(&live.fabric, LEAF2, 2), &sample_down);
	*entry = 2;
	live.linear[LEAF2][5] = 2;
	live_expect("route host1 host3 --tsv -o direction,hop,node,out_port", 4,
		    "direction\thop\tnode\tout_port\n"
		    "there\t1\thost1\t1\n"
		    "there\t2\tleaf1\t4\n"
		    "there\t3\tleaf2\t2\n"
		    "back\t1\thost3\t1\n"
		    "back\t2\tleaf2\t3\n"
		    "back\t3\tleaf1\t1\n",
		    "rdmactl fabric: the route there ends at leaf2/2: it has no link\n"
		    "  make the subnet manager recompute its routes: send SIGHUP to opensm; if "
		    "that does not "
		    "help, restart it, which writes all tables again\n");
	live.stop_after = 26;
	live_expect("route host1 host3 --tsv -o direction,hop,node,out_port", 3,
		    "direction\thop\tnode\tout_port\n"
		    "there\t1\thost1\t1\n"
		    "back\t1\thost3\t1\n",
		    "rdmactl fabric: leaf1/0: LinearForwardingTable: interrupted\n"
		    "rdmactl fabric: the route there is unknown beyond leaf1\n"
		    "rdmactl fabric: leaf2/0: LinearForwardingTable: interrupted\n"
		    "rdmactl fabric: the route back is unknown beyond leaf2\n");
}

/* ---- Tables ---- */

static void linear(void **state)
{
	(void)state;
	live_expect("tables", 0,
		    "NODE  LID OUT PORT DESTINATION TYPE   PEER  PEER PORT\n"
		    "leaf1   1        1 host1       ca     host1         1\n"
		    "leaf1   2        0 leaf1       switch -             -\n"
		    "leaf1   3        3 leaf2       switch leaf2         3\n"
		    "leaf1   4        2 host2       ca     host2         1\n"
		    "leaf1   5        4 host3       ca     leaf2         4\n"
		    "leaf1   6        3 host4       ca     leaf2         3\n"
		    "leaf2   1        3 host1       ca     leaf1         3\n"
		    "leaf2   2        4 leaf1       switch leaf1         4\n"
		    "leaf2   3        0 leaf2       switch -             -\n"
		    "leaf2   4        4 host2       ca     leaf1         4\n"
		    "leaf2   5        1 host3       ca     host3         1\n"
		    "leaf2   6        2 host4       ca     host4         1\n",
		    "");
	live_expect("tables leaf2 --tsv", 0,
		    "node\tlid\tout_port\tdestination\tdestination_type\tpeer\tpeer_port\n"
		    "leaf2\t1\t3\thost1\tca\tleaf1\t3\n"
		    "leaf2\t2\t4\tleaf1\tswitch\tleaf1\t4\n"
		    "leaf2\t3\t0\tleaf2\tswitch\t\t\n"
		    "leaf2\t4\t4\thost2\tca\tleaf1\t4\n"
		    "leaf2\t5\t1\thost3\tca\thost3\t1\n"
		    "leaf2\t6\t2\thost4\tca\thost4\t1\n",
		    "");
	live_expect("tables leaf1 leaf2 --lids 2-3 --tsv --no-headings", 0,
		    "leaf1\t2\t0\tleaf1\tswitch\t\t\n"
		    "leaf1\t3\t3\tleaf2\tswitch\tleaf2\t3\n"
		    "leaf2\t2\t4\tleaf1\tswitch\tleaf1\t4\n"
		    "leaf2\t3\t0\tleaf2\tswitch\t\t\n",
		    "");
	live_expect(
		"tables --lids 6 --jsonl", 0,
		"{\"node\": \"leaf1\", \"lid\": 6, \"out_port\": 3, \"destination\": \"host4\", "
		"\"destination_port\": 1, \"destination_type\": \"ca\", \"destination_guid\": "
		"\"0000:0000:0000:0600\", \"peer\": \"leaf2\", \"peer_port\": 3, \"peer_type\": "
		"\"switch\", \"node_guid\": \"0000:0000:0000:0200\"}\n"
		"{\"node\": \"leaf2\", \"lid\": 6, \"out_port\": 2, \"destination\": \"host4\", "
		"\"destination_port\": 1, \"destination_type\": \"ca\", \"destination_guid\": "
		"\"0000:0000:0000:0600\", \"peer\": \"host4\", \"peer_port\": 1, \"peer_type\": "
		"\"ca\", \"node_guid\": \"0000:0000:0000:0300\"}\n",
		"");
	live_expect("tables --lids 7", 0, "", "");
}

static void unusual_tables(void **state)
{
	(void)state;
	live_expect("tables --lids 7-6", 2, "",
		    "rdmactl fabric: --lids: '7-6' is not a LID or a range of LIDs\n"
		    "  for example 17, 1-99 or, with --multicast, 0xc000-0xc00f\n");
	live_expect("tables host1", 2, "",
		    "rdmactl fabric: host1 is not a switch, and has no forwarding table\n"
		    "  rdmactl fabric switches lists them\n");
	live_expect("tables nobody", 5, "",
		    "rdmactl fabric: the scan found no node 'nobody'\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n");
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_LINEAR_FT});
	live_expect("tables --tsv", 3,
		    "node\tlid\tout_port\tdestination\tdestination_type\tpeer\tpeer_port\n"
		    "leaf1\t1\t1\thost1\tca\thost1\t1\n"
		    "leaf1\t2\t0\tleaf1\tswitch\t\t\n"
		    "leaf1\t3\t3\tleaf2\tswitch\tleaf2\t3\n"
		    "leaf1\t4\t2\thost2\tca\thost2\t1\n"
		    "leaf1\t5\t4\thost3\tca\tleaf2\t4\n"
		    "leaf1\t6\t3\thost4\tca\tleaf2\t3\n",
		    "rdmactl fabric: leaf2/0: LinearForwardingTable: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
	live.fault_count = 0;
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_SWITCH_INFO});
	live_expect("tables leaf2", 3, "",
		    "rdmactl fabric: leaf2/0: SwitchInfo: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
	live.fault_count = 0;
	live.stop_after = 30;
	live_expect("tables --tsv", 3,
		    "node\tlid\tout_port\tdestination\tdestination_type\tpeer\tpeer_port\n"
		    "leaf1\t1\t1\thost1\tca\thost1\t1\n"
		    "leaf1\t2\t0\tleaf1\tswitch\t\t\n"
		    "leaf1\t3\t3\tleaf2\tswitch\tleaf2\t3\n"
		    "leaf1\t4\t2\thost2\tca\thost2\t1\n"
		    "leaf1\t5\t4\thost3\tca\tleaf2\t4\n"
		    "leaf1\t6\t3\thost4\tca\tleaf2\t3\n",
		    "rdmactl fabric: interrupted: the output is incomplete\n");
}

static void empty(void **state)
{
	(void)state;
	live_set_switch(LEAF1, "");
	/* The other switch has entries, which are not mentioned. */
	live_expect("tables leaf1", 3, "",
		    "rdmactl fabric: the forwarding tables of the named switches are empty: no "
		    "subnet manager has filled them\n"
		    "  omit the names to read the tables of all switches; rdmactl smp sminfo "
		    "queries the subnet manager\n");
	live_set_switch(LEAF2, "");
	live_expect("tables leaf1 leaf2", 3, "",
		    "rdmactl fabric: the forwarding tables are empty: no subnet manager has filled "
		    "them\n"
		    "  start a subnet manager; rdmactl fabric check shows what else is missing\n");
	live_expect("tables", 3, "",
		    "rdmactl fabric: the forwarding tables are empty: no subnet manager has filled "
		    "them\n"
		    "  start a subnet manager; rdmactl fabric check shows what else is missing\n");
	live_expect("balance", 4,
		    "NODE  PORT PEER  PEER PORT ROUTES MEAN LOAD % PAIRS\n"
		    "leaf1    3 leaf2         3      0  0.0      -     0\n"
		    "leaf1    4 leaf2         4      0  0.0      -     0\n"
		    "leaf2    3 leaf1         3      0  0.0      -     0\n"
		    "leaf2    4 leaf1         4      0  0.0      -     0\n",
		    "rdmactl fabric: the forwarding tables are empty: no subnet manager has filled "
		    "them\n"
		    "  start a subnet manager; rdmactl fabric check shows what else is missing\n"
		    "rdmactl fabric: packets of 12 pairs do not arrive: the route to LID 1, for "
		    "one, ends at leaf1\n"
		    "  rdmactl fabric route traces the route between two nodes\n");
	live_expect("using leaf1/3", 3, "",
		    "rdmactl fabric: the forwarding tables are empty: no subnet manager has filled "
		    "them\n"
		    "  start a subnet manager; rdmactl fabric check shows what else is missing\n");
	memset(live.multicast[LEAF1], 0, sizeof(live.multicast[LEAF1]));
	live_expect(
		"tables leaf1 --multicast", 3, "",
		"rdmactl fabric: the multicast forwarding tables of the named switches are "
		"empty: no subnet manager has filled them, or no group has a member\n"
		"  rdmactl smp sminfo queries the subnet manager; rdmactl sa multicast lists the "
		"groups\n");
	/* Unread tables may have entries. */
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_SWITCH_INFO});
	live_expect("tables --multicast", 3, "",
		    "rdmactl fabric: leaf2/0: SwitchInfo: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
	live.fault_count = 0;
	live.stop_after = 5;
	live_expect("tables --multicast", 3, "",
		    "rdmactl fabric: interrupted: the output is incomplete\n");
	live.stop_after = 0;
	memset(live.multicast, 0, sizeof(live.multicast));
	live_expect(
		"tables --multicast", 3, "",
		"rdmactl fabric: the multicast forwarding tables are empty: no subnet manager has "
		"filled them, or no group has a member\n"
		"  rdmactl smp sminfo queries the subnet manager; rdmactl sa multicast lists the "
		"groups\n");
	live_expect("tables --multicast --lids 0xc000-0xc001", 0, "", "");
}

static void multicast(void **state)
{
	(void)state;
	live.multicast[LEAF1][0] = 1 << 1;
	live_expect("tables --multicast", 0,
		    "NODE  MLID   PORTS PEERS\n"
		    "leaf1 0xc000 1     host1\n"
		    "leaf1 0xc001 1,2,3 host1,host2,leaf2\n"
		    "leaf2 0xc001 1,2,3 host3,host4,leaf1\n",
		    "");
	live_expect("tables --multicast --lids 0xc000 --tsv", 0,
		    "node\tmlid\tports\tpeers\n"
		    "leaf1\t0xc000\t1\thost1\n",
		    "");
	live_expect("tables --multicast --lids 0xc001 leaf2 --tsv", 0,
		    "node\tmlid\tports\tpeers\n"
		    "leaf2\t0xc001\t1,2,3\thost3,host4,leaf1\n",
		    "");
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_MCAST_FT});
	live_expect("tables --multicast --tsv", 3,
		    "node\tmlid\tports\tpeers\n"
		    "leaf1\t0xc000\t1\thost1\n"
		    "leaf1\t0xc001\t1,2,3\thost1,host2,leaf2\n"
		    "leaf2\t0xc000\t\t\n"
		    "leaf2\t0xc001\t\t\n",
		    "rdmactl fabric: leaf2/0: MulticastForwardingTable: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
}

/* ---- Loads and users ---- */

#define IN_PART                                                                                    \
	"rdmactl fabric: the scan covers only part of the subnet: LIDs and senders beyond it are " \
	"not counted\n"                                                                            \
	"  omit --hops and --switch to scan the whole subnet\n"

static void balance(void **state)
{
	struct fabric_port *port;

	(void)state;
	live_expect("balance", 0,
		    "NODE  PORT PEER  PEER PORT ROUTES MEAN LOAD % PAIRS\n"
		    "leaf1    3 leaf2         3      1  1.0  100.0     2\n"
		    "leaf1    4 leaf2         4      1  1.0  100.0     2\n"
		    "leaf2    3 leaf1         3      1  1.0  100.0     2\n"
		    "leaf2    4 leaf1         4      1  1.0  100.0     2\n",
		    "");
	live_expect("balance --top 3 --tsv", 0,
		    "node\tport\tpeer\tpeer_port\troutes\tmean_routes\tload_percent\tpairs\n"
		    "leaf1\t3\tleaf2\t3\t1\t1\t100\t2\n"
		    "leaf1\t4\tleaf2\t4\t1\t1\t100\t2\n"
		    "leaf2\t3\tleaf1\t3\t1\t1\t100\t2\n",
		    "");
	live_expect(
		"balance --top 1 --jsonl", 0,
		"{\"node\": \"leaf1\", \"port\": 3, \"peer\": \"leaf2\", \"peer_port\": 3, "
		"\"routes\": 1, \"mean_routes\": 1, \"load_percent\": 100, \"pairs\": 2, "
		"\"node_guid\": \"0000:0000:0000:0200\", \"peer_guid\": \"0000:0000:0000:0300\"}\n",
		"");
	live.linear[LEAF2][1] = 4;
	live_expect("balance --tsv", 0,
		    "node\tport\tpeer\tpeer_port\troutes\tmean_routes\tload_percent\tpairs\n"
		    "leaf1\t3\tleaf2\t3\t1\t1\t100\t2\n"
		    "leaf1\t4\tleaf2\t4\t1\t1\t100\t2\n"
		    "leaf2\t3\tleaf1\t3\t0\t1\t0\t0\n"
		    "leaf2\t4\tleaf1\t4\t2\t1\t200\t4\n",
		    "");
	live.linear[LEAF1][5] = 2;
	live_expect("balance --tsv", 4,
		    "node\tport\tpeer\tpeer_port\troutes\tmean_routes\tload_percent\tpairs\n"
		    "leaf1\t3\tleaf2\t3\t1\t0.5\t200\t2\n"
		    "leaf1\t4\tleaf2\t4\t0\t0.5\t0\t0\n"
		    "leaf2\t3\tleaf1\t3\t0\t1\t0\t0\n"
		    "leaf2\t4\tleaf1\t4\t2\t1\t200\t4\n",
		    "rdmactl fabric: packets of 2 pairs do not arrive: the route to LID 5, for "
		    "one, ends at leaf1\n"
		    "  rdmactl fabric route traces the route between two nodes\n");
	port = &live.fabric.ports[fabric_port_at(&live.fabric, HOST2, 1)];
	port_info_set_lid(port->info, 0);
	live_expect("balance --tsv", 4,
		    "node\tport\tpeer\tpeer_port\troutes\tmean_routes\tload_percent\tpairs\n"
		    "leaf1\t3\tleaf2\t3\t1\t0.5\t200\t1\n"
		    "leaf1\t4\tleaf2\t4\t0\t0.5\t0\t0\n"
		    "leaf2\t3\tleaf1\t3\t0\t0.5\t0\t0\n"
		    "leaf2\t4\tleaf1\t4\t1\t0.5\t200\t2\n",
		    "rdmactl fabric: packets of 1 pair do not arrive: the route to LID 5, for "
		    "one, ends at leaf1\n"
		    "  rdmactl fabric route traces the route between two nodes\n");
	port_info_set_lid(port->info, 4);
	live_expect("balance --hops 1 --tsv", 3,
		    "node\tport\tpeer\tpeer_port\troutes\tmean_routes\tload_percent\tpairs\n",
		    IN_PART);
	live_expect("balance --hops 2 --tsv", 3,
		    "node\tport\tpeer\tpeer_port\troutes\tmean_routes\tload_percent\tpairs\n"
		    "leaf1\t3\tleaf2\t3\t0\t0\t\t\n"
		    "leaf1\t4\tleaf2\t4\t0\t0\t\t\n"
		    "leaf2\t3\tleaf1\t3\t0\t1\t0\t\n"
		    "leaf2\t4\tleaf1\t4\t2\t1\t200\t\n",
		    IN_PART);
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_LINEAR_FT});
	live_expect("balance --tsv", 3,
		    "node\tport\tpeer\tpeer_port\troutes\tmean_routes\tload_percent\tpairs\n"
		    "leaf1\t3\tleaf2\t3\t1\t0.5\t200\t\n"
		    "leaf1\t4\tleaf2\t4\t0\t0.5\t0\t\n"
		    "leaf2\t3\tleaf1\t3\t\t\t\t\n"
		    "leaf2\t4\tleaf1\t4\t\t\t\t\n",
		    "rdmactl fabric: leaf2/0: LinearForwardingTable: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
}

static void users_of_a_part(void **state)
{
	(void)state;
	live_expect("using leaf1/3 --hops 2 --tsv", 3, "direction\tnode\tport\tlid\tsources\n",
		    IN_PART);
	/* All available details. */
	live_expect("using leaf1/3 --hops 3 --tsv", 0,
		    "direction\tnode\tport\tlid\tsources\n"
		    "there\thost4\t1\t6\t2\n"
		    "back\thost1\t1\t1\t2\n",
		    "");
}

static void users(void **state)
{
	(void)state;
	live_expect("using leaf1/3", 0,
		    "DIRECTION NODE  PORT LID SOURCES\n"
		    "there     host4    1   6       2\n"
		    "back      host1    1   1       2\n",
		    "");
	live_expect("using leaf1/4 --pairs --tsv", 0,
		    "direction\tsource\tsource_port\tnode\tport\tlid\n"
		    "there\thost1\t1\thost3\t1\t5\n"
		    "there\thost2\t1\thost3\t1\t5\n"
		    "back\thost3\t1\thost2\t1\t4\n"
		    "back\thost4\t1\thost2\t1\t4\n",
		    "");
	live_expect("using host3/1 --jsonl", 0,
		    "{\"direction\": \"there\", \"source\": null, \"source_port\": null, \"node\": "
		    "\"host1\", \"port\": 1, \"lid\": 1, \"sources\": 1, \"node_guid\": "
		    "\"0000:0000:0000:0100\"}\n"
		    "{\"direction\": \"there\", \"source\": null, \"source_port\": null, \"node\": "
		    "\"host2\", \"port\": 1, \"lid\": 4, \"sources\": 1, \"node_guid\": "
		    "\"0000:0000:0000:0400\"}\n"
		    "{\"direction\": \"there\", \"source\": null, \"source_port\": null, \"node\": "
		    "\"host4\", \"port\": 1, \"lid\": 6, \"sources\": 1, \"node_guid\": "
		    "\"0000:0000:0000:0600\"}\n"
		    "{\"direction\": \"back\", \"source\": null, \"source_port\": null, \"node\": "
		    "\"host3\", \"port\": 1, \"lid\": 5, \"sources\": 3, \"node_guid\": "
		    "\"0000:0000:0000:0500\"}\n",
		    "");
	live_expect("using host4 --tsv", 0,
		    "direction\tnode\tport\tlid\tsources\n"
		    "there\thost1\t1\t1\t1\n"
		    "there\thost2\t1\t4\t1\n"
		    "there\thost3\t1\t5\t1\n"
		    "back\thost4\t1\t6\t3\n",
		    "");
	live_expect("using host4/1 --tsv", 0,
		    "direction\tnode\tport\tlid\tsources\n"
		    "there\thost1\t1\t1\t1\n"
		    "there\thost2\t1\t4\t1\n"
		    "there\thost3\t1\t5\t1\n"
		    "back\thost4\t1\t6\t3\n",
		    "");
	live_expect("using leaf1", 2, "",
		    "rdmactl fabric: leaf1 is a switch: which of its cables?\n"
		    "  give the port as NAME/PORT: rdmactl fabric links lists the cables\n");
	live_expect("using leaf1/9", 5, "",
		    "rdmactl fabric: no such port: leaf1 has ports 1 to 4\n"
		    "  rdmactl fabric links lists the cables\n");
	live_expect("using host1/2", 5, "",
		    "rdmactl fabric: no such port: host1 has one port\n"
		    "  rdmactl fabric links lists the cables\n");
	live_expect("using nobody/1", 5, "",
		    "rdmactl fabric: the scan found no node 'nobody'\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n");
	fabric_unlink(&live.fabric, fabric_port_at(&live.fabric, LEAF2, 2));
	live_expect(
		"using leaf2/2", 5, "",
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: leaf2/2 has no cable in the scan\n"
		"  rdmactl fabric links lists the cables\n");
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_LINEAR_FT});
	live_expect(
		"using leaf1/4 --tsv", 3,
		"direction\tnode\tport\tlid\tsources\n"
		"there\thost3\t1\t5\t\n",
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: leaf2/0: LinearForwardingTable: no answer, asked 4 times\n");
}

/* ---- A multicast group ---- */

static void set_members(void)
{
	static const uint64_t guids[] = {0x101, 0x401, 0x501, 0x601};

	memcpy(live.members, guids, sizeof(guids));
	live.member_count = ARRAY_SIZE(guids);
}

static void group(void **state)
{
	(void)state;
	set_members();
	live_expect("route --mlid 0xc001", 0,
		    "NODE  OUT PORT PEER  IN PORT PEER TYPE JOIN STATE  FAULTS\n"
		    "leaf1        1 host1       1 ca        full-member -\n"
		    "leaf1        2 host2       1 ca        full-member -\n"
		    "leaf1        3 leaf2       3 switch    -           -\n"
		    "leaf2        1 host3       1 ca        full-member -\n"
		    "leaf2        2 host4       1 ca        full-member -\n"
		    "leaf2        3 leaf1       3 switch    -           -\n",
		    "");
	live_expect(
		"route --mlid 0xc001 --jsonl", 0,
		"{\"node\": \"leaf1\", \"out_port\": 1, \"peer\": \"host1\", \"in_port\": 1, "
		"\"peer_type\": \"ca\", \"join_state\": [\"full-member\"], \"faults\": [], "
		"\"in_table\": true, \"mlid\": \"0xc001\", \"node_guid\": \"0000:0000:0000:0200\", "
		"\"peer_guid\": \"0000:0000:0000:0100\"}\n"
		"{\"node\": \"leaf1\", \"out_port\": 2, \"peer\": \"host2\", \"in_port\": 1, "
		"\"peer_type\": \"ca\", \"join_state\": [\"full-member\"], \"faults\": [], "
		"\"in_table\": true, \"mlid\": \"0xc001\", \"node_guid\": \"0000:0000:0000:0200\", "
		"\"peer_guid\": \"0000:0000:0000:0400\"}\n"
		"{\"node\": \"leaf1\", \"out_port\": 3, \"peer\": \"leaf2\", \"in_port\": 3, "
		"\"peer_type\": \"switch\", \"join_state\": null, \"faults\": [], \"in_table\": "
		"true, \"mlid\": \"0xc001\", \"node_guid\": \"0000:0000:0000:0200\", "
		"\"peer_guid\": "
		"\"0000:0000:0000:0300\"}\n"
		"{\"node\": \"leaf2\", \"out_port\": 1, \"peer\": \"host3\", \"in_port\": 1, "
		"\"peer_type\": \"ca\", \"join_state\": [\"full-member\"], \"faults\": [], "
		"\"in_table\": true, \"mlid\": \"0xc001\", \"node_guid\": \"0000:0000:0000:0300\", "
		"\"peer_guid\": \"0000:0000:0000:0500\"}\n"
		"{\"node\": \"leaf2\", \"out_port\": 2, \"peer\": \"host4\", \"in_port\": 1, "
		"\"peer_type\": \"ca\", \"join_state\": [\"full-member\"], \"faults\": [], "
		"\"in_table\": true, \"mlid\": \"0xc001\", \"node_guid\": \"0000:0000:0000:0300\", "
		"\"peer_guid\": \"0000:0000:0000:0600\"}\n"
		"{\"node\": \"leaf2\", \"out_port\": 3, \"peer\": \"leaf1\", \"in_port\": 3, "
		"\"peer_type\": \"switch\", \"join_state\": null, \"faults\": [], \"in_table\": "
		"true, \"mlid\": \"0xc001\", \"node_guid\": \"0000:0000:0000:0300\", "
		"\"peer_guid\": "
		"\"0000:0000:0000:0200\"}\n",
		"");
	live.keeps_members = true;
	live_expect(
		"route --mlid 0xc001 --tsv -v", 0,
		"node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		"leaf1\t1\thost1\t1\tca\t\t\n"
		"leaf1\t2\thost2\t1\tca\t\t\n"
		"leaf1\t3\tleaf2\t3\tswitch\t\t\n"
		"leaf2\t1\thost3\t1\tca\t\t\n"
		"leaf2\t2\thost4\t1\tca\t\t\n"
		"leaf2\t3\tleaf1\t3\tswitch\t\t\n",
		"rdmactl fabric: through port mlx5_0/1, LID 1\n"
		"rdmactl fabric: 6 nodes, 29 requests, 0 retries, 0 ms\n"
		"rdmactl fabric: the subnet administrator does not list the members: they are "
		"taken from the tables\n"
		"  give the SM_Key with --mkey: it is 1 unless opensm is configured otherwise\n");
	live_expect("route --mlid 0xc001 --tsv -v --mkey 1", 0,
		    "node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		    "leaf1\t1\thost1\t1\tca\tfull-member\t\n"
		    "leaf1\t2\thost2\t1\tca\tfull-member\t\n"
		    "leaf1\t3\tleaf2\t3\tswitch\t\t\n"
		    "leaf2\t1\thost3\t1\tca\tfull-member\t\n"
		    "leaf2\t2\thost4\t1\tca\tfull-member\t\n"
		    "leaf2\t3\tleaf1\t3\tswitch\t\t\n",
		    "rdmactl fabric: through port mlx5_0/1, LID 1\n"
		    "rdmactl fabric: 6 nodes, 29 requests, 0 retries, 0 ms\n");
}

static void no_group(void **state)
{
	(void)state;
	live_expect("route --mlid 0xc000", 5, "",
		    "rdmactl fabric: no switch sends packets to 0xc000\n"
		    "  rdmactl sa multicast lists the groups\n");
	live_expect("route --mlid 0xbfff", 2, "",
		    "rdmactl fabric: '0xbfff' is not a multicast LID\n"
		    "  0xc000 to 0xfffe: rdmactl sa multicast lists the groups\n");
	live_expect("route --mlid 0xffff", 2, "",
		    "rdmactl fabric: '0xffff' is not a multicast LID\n"
		    "  0xc000 to 0xfffe: rdmactl sa multicast lists the groups\n");
	live_expect("route --mlid 0xc001 leaf1", 2, "",
		    "rdmactl fabric: a multicast group has no FROM and TO\n"
		    "  rdmactl fabric route FROM TO, or --mlid MLID, or --pairs-file FILE\n");
	live_expect("route host1", 2, "",
		    "rdmactl fabric: the two ends of the route are missing\n"
		    "  rdmactl fabric route FROM TO, or --mlid MLID, or --pairs-file FILE\n");
}

static void faulty_group(void **state)
{
	(void)state;
	set_members();
	live.multicast[LEAF2][1] = 1 << 1 | 1 << 3;
	live_expect("route --mlid 0xc001 --tsv", 4,
		    "node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		    "leaf1\t1\thost1\t1\tca\tfull-member\t\n"
		    "leaf1\t2\thost2\t1\tca\tfull-member\t\n"
		    "leaf1\t3\tleaf2\t3\tswitch\t\t\n"
		    "leaf2\t1\thost3\t1\tca\tfull-member\t\n"
		    "leaf2\t2\thost4\t1\tca\tfull-member\tnot-sent\n"
		    "leaf2\t3\tleaf1\t3\tswitch\t\t\n",
		    "rdmactl fabric: packets to 0xc001 are not sent to a member: leaf2/2\n"
		    "  make the subnet manager recompute its routes: send SIGHUP to opensm\n");
	live.multicast[LEAF2][1] = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4;
	live.multicast[LEAF1][1] |= 1 << 4;
	live_expect(
		"route --mlid 0xc001 --tsv", 4,
		"node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		"leaf1\t1\thost1\t1\tca\tfull-member\t\n"
		"leaf1\t2\thost2\t1\tca\tfull-member\t\n"
		"leaf1\t3\tleaf2\t3\tswitch\t\tloop\n"
		"leaf1\t4\tleaf2\t4\tswitch\t\t\n"
		"leaf2\t1\thost3\t1\tca\tfull-member\t\n"
		"leaf2\t2\thost4\t1\tca\tfull-member\t\n"
		"leaf2\t3\tleaf1\t3\tswitch\t\t\n"
		"leaf2\t4\tleaf1\t4\tswitch\t\tloop\n",
		"rdmactl fabric: packets to 0xc001 go in a loop: 2 ports, the first is leaf1/3\n"
		"  make the subnet manager recompute its routes: send SIGHUP to opensm\n");
	live.multicast[LEAF1][1] = 1 << 1 | 1 << 2 | 1 << 3;
	live.multicast[LEAF2][1] = 1 << 1 | 1 << 2 | 1 << 3;
	live.members[3] = 0x999;
	live_expect("route --mlid 0xc001 --tsv -v", 0,
		    "node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		    "leaf1\t1\thost1\t1\tca\tfull-member\t\n"
		    "leaf1\t2\thost2\t1\tca\tfull-member\t\n"
		    "leaf1\t3\tleaf2\t3\tswitch\t\t\n"
		    "leaf2\t1\thost3\t1\tca\tfull-member\t\n"
		    "leaf2\t2\thost4\t1\tca\t\t\n"
		    "leaf2\t3\tleaf1\t3\tswitch\t\t\n",
		    "rdmactl fabric: through port mlx5_0/1, LID 1\n"
		    "rdmactl fabric: 6 nodes, 29 requests, 0 retries, 0 ms\n"
		    "rdmactl fabric: some members, such as virtual functions, are not at a port of "
		    "the scan: ports that are not members are not reported\n");
	live.member_count = 1;
	live_expect(
		"route --mlid 0xc001 --tsv -v", 4,
		"node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		"leaf1\t1\thost1\t1\tca\tfull-member\t\n"
		"leaf1\t2\thost2\t1\tca\t\tnot-a-member\n"
		"leaf1\t3\tleaf2\t3\tswitch\t\t\n"
		"leaf2\t1\thost3\t1\tca\t\tnot-a-member\n"
		"leaf2\t2\thost4\t1\tca\t\tnot-a-member\n"
		"leaf2\t3\tleaf1\t3\tswitch\t\t\n",
		"rdmactl fabric: packets to 0xc001 go to ports that are not members: 3 ports, the "
		"first is leaf1/2\n"
		"  make the subnet manager recompute its routes: send SIGHUP to opensm\n"
		"rdmactl fabric: through port mlx5_0/1, LID 1\n"
		"rdmactl fabric: 6 nodes, 29 requests, 0 retries, 0 ms\n"
		"rdmactl fabric: the group has only one member: nothing needs to be sent\n");
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_MCAST_FT});
	live_expect(
		"route --mlid 0xc001 --tsv", 4,
		"node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		"leaf1\t1\thost1\t1\tca\tfull-member\t\n"
		"leaf1\t2\thost2\t1\tca\t\tnot-a-member\n"
		"leaf1\t3\tleaf2\t3\tswitch\t\t\n",
		"rdmactl fabric: leaf2/0: MulticastForwardingTable: no answer, asked 4 times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: parts of the tree are unknown: some faults are not checked for\n"
		"rdmactl fabric: packets to 0xc001 go to a port that is not a member: leaf1/2\n"
		"  make the subnet manager recompute its routes: send SIGHUP to opensm\n");
}

static void unanswered_group(void **state)
{
	(void)state;
	set_members();
	live_add_fault((struct live_fault){.node = HOST1, .mgmt_class = UMAD_CLASS_SUBN_ADM});
	live_expect("route --mlid 0xc001 --tsv", 3,
		    "node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		    "leaf1\t1\thost1\t1\tca\t\t\n"
		    "leaf1\t2\thost2\t1\tca\t\t\n"
		    "leaf1\t3\tleaf2\t3\tswitch\t\t\n"
		    "leaf2\t1\thost3\t1\tca\t\t\n"
		    "leaf2\t2\thost4\t1\tca\t\t\n"
		    "leaf2\t3\tleaf1\t3\tswitch\t\t\n",
		    "rdmactl fabric: cannot read members: the subnet administrator did not answer\n"
		    "  rdmactl smp sminfo shows whether the subnet manager is alive\n");
	live.fault_count = 0;
	live_add_fault((struct live_fault){
		.node = HOST1, .mgmt_class = UMAD_CLASS_SUBN_ADM, .status = 0x200});
	live_expect(
		"route --mlid 0xc001 --tsv", 3,
		"node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		"leaf1\t1\thost1\t1\tca\t\t\n"
		"leaf1\t2\thost2\t1\tca\t\t\n"
		"leaf1\t3\tleaf2\t3\tswitch\t\t\n"
		"leaf2\t1\thost3\t1\tca\t\t\n"
		"leaf2\t2\thost4\t1\tca\t\t\n"
		"leaf2\t3\tleaf1\t3\tswitch\t\t\n",
		"rdmactl fabric: cannot read members: the subnet administrator refused the query\n"
		"  rdmactl sa multicast shows the status\n");
	live.sm_lid = 0;
	live_expect("route --mlid 0xc001 --tsv", 3,
		    "node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		    "leaf1\t1\thost1\t1\tca\t\t\n"
		    "leaf1\t2\thost2\t1\tca\t\t\n"
		    "leaf1\t3\tleaf2\t3\tswitch\t\t\n"
		    "leaf2\t1\thost3\t1\tca\t\t\n"
		    "leaf2\t2\thost4\t1\tca\t\t\n"
		    "leaf2\t3\tleaf1\t3\tswitch\t\t\n",
		    "rdmactl fabric: cannot read members: the port knows no subnet manager to ask\n"
		    "  start a subnet manager; rdmactl fabric check shows what else is missing\n");
	live_expect("route --mlid 0xc002", 5, "",
		    "rdmactl fabric: cannot read members: the port knows no subnet manager to ask\n"
		    "  start a subnet manager; rdmactl fabric check shows what else is missing\n"
		    "rdmactl fabric: no switch sends packets to 0xc002\n");
	live.sm_lid = 1;
	live.stop_after = 30;
	live_expect(
		"route --mlid 0xc001 --tsv", 3,
		"node\tout_port\tpeer\tin_port\tpeer_type\tjoin_state\tfaults\n"
		"leaf1\t1\thost1\t1\tca\t\t\n"
		"leaf1\t2\thost2\t1\tca\t\t\n"
		"leaf1\t3\tleaf2\t3\tswitch\t\t\n",
		"rdmactl fabric: interrupted: the output is incomplete\n"
		"rdmactl fabric: parts of the tree are unknown: some faults are not checked for\n");
}

/* ---- Pairs of a file ---- */

static void pairs(void **state)
{
	char path[32];
	int file = live_file("host1 host4\nhost2 host3\n# none\nhost1 nobody\n1 host1\n"
			     "host2 host4\n",
			     path);
	_cleanup_(freep) char *line = mem_format("route --pairs-file %s", path);
	_cleanup_(freep) char *cables = mem_format("%s --cables --tsv", line);
	_cleanup_(freep) char *json = mem_format("%s --jsonl", line);
	int wrong = live_file("1 2\nhost3\n", path);
	_cleanup_(freep) char *bad = mem_format("route --pairs-file %s", path);
	int none = live_file("# no pair\n", path);
	_cleanup_(freep) char *empty = mem_format("route --pairs-file %s", path);

	(void)state;
	live_expect(line, 3,
		    "FROM  TO    END     HOPS MOST PAIRS SHARED NODE SHARED PORT\n"
		    "host1 host4 arrives    3          2 leaf1                 3\n"
		    "host2 host3 arrives    3          2 host2                 1\n"
		    "host1 host1 arrives    0          - -                     -\n"
		    "host2 host4 arrives    3          2 host2                 1\n",
		    "rdmactl fabric: line 4: the scan found no node 'nobody'\n"
		    "  rdmactl fabric nodes -o node,node_guid,lid,path\n");
	live_expect(
		json, 3,
		"{\"from\": \"host1\", \"from_port\": 1, \"to\": \"host4\", \"to_port\": 1, "
		"\"dlid\": 6, \"end\": \"arrives\", \"hops\": 3, \"most_pairs\": 2, "
		"\"shared_node\": "
		"\"leaf1\", \"shared_port\": 3, \"cables\": [\"host1/1\", \"leaf1/3\", "
		"\"leaf2/2\"], "
		"\"line\": 1, \"from_guid\": \"0000:0000:0000:0100\", \"to_guid\": "
		"\"0000:0000:0000:0600\"}\n"
		"{\"from\": \"host2\", \"from_port\": 1, \"to\": \"host3\", \"to_port\": 1, "
		"\"dlid\": 5, \"end\": \"arrives\", \"hops\": 3, \"most_pairs\": 2, "
		"\"shared_node\": "
		"\"host2\", \"shared_port\": 1, \"cables\": [\"host2/1\", \"leaf1/4\", "
		"\"leaf2/1\"], "
		"\"line\": 2, \"from_guid\": \"0000:0000:0000:0400\", \"to_guid\": "
		"\"0000:0000:0000:0500\"}\n"
		"{\"from\": \"host1\", \"from_port\": 1, \"to\": \"host1\", \"to_port\": 1, "
		"\"dlid\": 1, \"end\": \"arrives\", \"hops\": 0, \"most_pairs\": null, "
		"\"shared_node\": null, \"shared_port\": null, \"cables\": [], \"line\": 5, "
		"\"from_guid\": \"0000:0000:0000:0100\", \"to_guid\": \"0000:0000:0000:0100\"}\n"
		"{\"from\": \"host2\", \"from_port\": 1, \"to\": \"host4\", \"to_port\": 1, "
		"\"dlid\": 6, \"end\": \"arrives\", \"hops\": 3, \"most_pairs\": 2, "
		"\"shared_node\": "
		"\"host2\", \"shared_port\": 1, \"cables\": [\"host2/1\", \"leaf1/3\", "
		"\"leaf2/2\"], "
		"\"line\": 6, \"from_guid\": \"0000:0000:0000:0400\", \"to_guid\": "
		"\"0000:0000:0000:0600\"}\n",
		"rdmactl fabric: line 4: the scan found no node 'nobody'\n"
		"  rdmactl fabric nodes -o node,node_guid,lid,path\n");
	live_expect(cables, 3,
		    "node\tport\tpeer\tpeer_port\tpairs\n"
		    "leaf1\t3\tleaf2\t3\t2\n"
		    "host2\t1\tleaf1\t2\t2\n"
		    "leaf2\t2\thost4\t1\t2\n"
		    "host1\t1\tleaf1\t1\t1\n"
		    "leaf1\t4\tleaf2\t4\t1\n"
		    "leaf2\t1\thost3\t1\t1\n",
		    "rdmactl fabric: line 4: the scan found no node 'nobody'\n"
		    "  rdmactl fabric nodes -o node,node_guid,lid,path\n");
	live_expect(bad, 1, "",
		    "rdmactl fabric: /proc/self/fd/41: line 2 does not have two destinations\n"
		    "  each line has two destinations, separated by blanks; put a name with blanks "
		    "in quotation marks\n");
	live_expect(empty, 3, "", "rdmactl fabric: no pairs in /proc/self/fd/42\n");
	close(file);
	close(wrong);
	close(none);
}

static void pairs_that_are_lost(void **state)
{
	char path[32];
	int file = live_file("host1 host4\nhost2 host3\n# none\nhost1 nobody\n1 host1\n"
			     "host2 host4\n",
			     path);
	_cleanup_(freep) char *line = mem_format("route --pairs-file %s", path);

	(void)state;
	live.linear[LEAF2][6] = MAD_LINEAR_NOWHERE;
	live_expect(
		line, 4,
		"FROM  TO    END     HOPS MOST PAIRS SHARED NODE SHARED PORT\n"
		"host1 host4 nowhere    2          2 leaf1                 3\n"
		"host2 host3 arrives    3          2 host2                 1\n"
		"host1 host1 arrives    0          - -                     -\n"
		"host2 host4 nowhere    2          2 host2                 1\n",
		"rdmactl fabric: line 4: the scan found no node 'nobody'\n"
		"  rdmactl fabric nodes -o node,node_guid,lid,path\n"
		"rdmactl fabric: packets of 2 pairs do not arrive; the first is line 1: the route "
		"ends at leaf2: its table has no port for LID 6\n"
		"  make the subnet manager recompute its routes: send SIGHUP to opensm; if that "
		"does not "
		"help, restart it, which writes all tables again\n");
	port_info_set_lid(live.fabric.ports[fabric_port_at(&live.fabric, HOST3, 1)].info, 0);
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_LINEAR_FT});
	live_expect(line, 3,
		    "FROM  TO    END     HOPS MOST PAIRS SHARED NODE SHARED PORT\n"
		    "host1 host4 unknown    2          2 leaf1                 3\n"
		    "host1 host1 arrives    0          - -                     -\n"
		    "host2 host4 unknown    2          2 leaf1                 3\n",
		    "rdmactl fabric: leaf2/0: LinearForwardingTable: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		    "rdmactl fabric: line 2: 'host3' has no LID\n"
		    "  rdmactl fabric nodes -o node,node_guid,lid,path\n"
		    "rdmactl fabric: line 4: the scan found no node 'nobody'\n"
		    "rdmactl fabric: it is unknown where the routes of 2 pairs end\n");
	live.fault_count = 0;
	live.stop_after = 30;
	live_expect(line, 3, "", "rdmactl fabric: interrupted: the output is incomplete\n");
	close(file);
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, live_begin, live_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(there_and_back),
		TEST(by_guid),
		TEST(no_way),
		TEST(unusual_ends),
		TEST(broken),
		TEST(broken_off),
		TEST(linear),
		TEST(unusual_tables),
		TEST(empty),
		TEST(multicast),
		TEST(balance),
		TEST(users),
		TEST(users_of_a_part),
		TEST(group),
		TEST(no_group),
		TEST(faulty_group),
		TEST(unanswered_group),
		TEST(pairs),
		TEST(pairs_that_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
