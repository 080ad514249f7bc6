/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl fabric scan and its lists on a made-up subnet: the complete output, where a scan begins
 * and ends, nodes that do not answer, and what an interruption leaves.
 */
#include "live_subnet.h"

/* ---- All of the subnet ---- */

static void tables(void **state)
{
	(void)state;
	live_expect("scan", 0,
		    "NODE  PORT STATE  PHYSICAL LANES SPEED PEER  PEER PORT COULD BE\n"
		    "leaf1    1 active link-up      4 QDR   host1         1 -\n"
		    "leaf1    2 active link-up      4 QDR   host2         1 -\n"
		    "leaf1    3 active link-up      4 QDR   leaf2         3 -\n"
		    "leaf1    4 active link-up      4 QDR   leaf2         4 -\n"
		    "leaf2    1 active link-up      4 QDR   host3         1 -\n"
		    "leaf2    2 active link-up      4 QDR   host4         1 -\n"
		    "leaf2    3 active link-up      4 QDR   leaf1         3 -\n"
		    "leaf2    4 active link-up      4 QDR   leaf1         4 -\n",
		    "");
	live_expect("scan --tree", 0,
		    "2 switches, 4 hosts, 6 cables\n"
		    "leaf2\n"
		    "|- 2 hosts, 4x QDR: host[3-4]\n"
		    "`- leaf1, 2 cables, 4x QDR\n"
		    "   `- 2 hosts, 4x QDR: host[1-2]\n",
		    "");
	live_expect("scan --format iblinkinfo", 0,
		    "CA: host4:\n"
		    "      0x0000000000000601      6    1[  ] ==( 4X          10.0 Gbps Active/  "
		    "LinkUp)==>       3    2[  ] \"leaf2\" ( )\n"
		    "CA: host3:\n"
		    "      0x0000000000000501      5    1[  ] ==( 4X          10.0 Gbps Active/  "
		    "LinkUp)==>       3    1[  ] \"leaf2\" ( )\n"
		    "Switch: 0x0000000000000300 leaf2:\n"
		    "           3    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       5   "
		    " 1[  "
		    "] \"host3\" ( )\n"
		    "           3    2[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       6   "
		    " 1[  "
		    "] \"host4\" ( )\n"
		    "           3    3[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       2   "
		    " 3[  "
		    "] \"leaf1\" ( )\n"
		    "           3    4[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       2   "
		    " 4[  "
		    "] \"leaf1\" ( )\n"
		    "CA: host2:\n"
		    "      0x0000000000000401      4    1[  ] ==( 4X          10.0 Gbps Active/  "
		    "LinkUp)==>       2    2[  ] \"leaf1\" ( )\n"
		    "Switch: 0x0000000000000200 leaf1:\n"
		    "           2    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       1   "
		    " 1[  "
		    "] \"host1\" ( )\n"
		    "           2    2[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       4   "
		    " 1[  "
		    "] \"host2\" ( )\n"
		    "           2    3[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       3   "
		    " 3[  "
		    "] \"leaf2\" ( )\n"
		    "           2    4[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       3   "
		    " 4[  "
		    "] \"leaf2\" ( )\n"
		    "CA: host1:\n"
		    "      0x0000000000000101      1    1[  ] ==( 4X          10.0 Gbps Active/  "
		    "LinkUp)==>       2    1[  ] \"leaf1\" ( )\n",
		    "");
}

/* A row is delayed until both ends have answered about FDR10. */
static void slower_than_fdr10(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < live.fabric.port_count; i++)
		live.fabric.ports[i].vendor_speeds = 1;
	for (uint32_t i = 0; i < live.fabric.node_count; i++)
		node_info_set_vendor_id(live.fabric.nodes[i].info, FABRIC_VENDOR_MELLANOX);
	live_expect("scan --jsonl -o node,port,could_be", 0,
		    "{\"node\": \"leaf1\", \"port\": 1, \"could_be\": \"4x FDR10\"}\n"
		    "{\"node\": \"leaf1\", \"port\": 2, \"could_be\": \"4x FDR10\"}\n"
		    "{\"node\": \"leaf1\", \"port\": 3, \"could_be\": \"4x FDR10\"}\n"
		    "{\"node\": \"leaf1\", \"port\": 4, \"could_be\": \"4x FDR10\"}\n"
		    "{\"node\": \"leaf2\", \"port\": 1, \"could_be\": \"4x FDR10\"}\n"
		    "{\"node\": \"leaf2\", \"port\": 2, \"could_be\": \"4x FDR10\"}\n"
		    "{\"node\": \"leaf2\", \"port\": 3, \"could_be\": \"4x FDR10\"}\n"
		    "{\"node\": \"leaf2\", \"port\": 4, \"could_be\": \"4x FDR10\"}\n",
		    "");
}

static void lists(void **state)
{
	(void)state;
	live_expect("nodes -o +path", 0,
		    "NODE  TYPE   NODE GUID           LID PORTS LINKED HOPS PATH\n"
		    "host1 ca     0000:0000:0000:0100   1     1      1    0 0\n"
		    "leaf1 switch 0000:0000:0000:0200   2     4      4    1 0,1\n"
		    "host2 ca     0000:0000:0000:0400   4     1      1    2 0,1,2\n"
		    "leaf2 switch 0000:0000:0000:0300   3     4      4    2 0,1,3\n"
		    "host3 ca     0000:0000:0000:0500   5     1      1    3 0,1,3,1\n"
		    "host4 ca     0000:0000:0000:0600   6     1      1    3 0,1,3,2\n",
		    "");
	live_expect("switches", 0,
		    "NODE  TYPE   NODE GUID           LID PORTS LINKED HOPS\n"
		    "leaf1 switch 0000:0000:0000:0200   2     4      4    1\n"
		    "leaf2 switch 0000:0000:0000:0300   3     4      4    2\n",
		    "");
	live_expect("hosts --name host[34]", 0,
		    "NODE  TYPE NODE GUID           LID PORTS LINKED HOPS\n"
		    "host3 ca   0000:0000:0000:0500   5     1      1    3\n"
		    "host4 ca   0000:0000:0000:0600   6     1      1    3\n",
		    "");
	live_expect("routers", 0, "", "");
	live_expect("links -o +state", 0,
		    "NODE  PORT PEER  PEER PORT LANES SPEED RATE Gb/s STATE  COULD BE\n"
		    "leaf1    1 host1         1     4 QDR          40 active -\n"
		    "leaf1    2 host2         1     4 QDR          40 active -\n"
		    "leaf1    3 leaf2         3     4 QDR          40 active -\n"
		    "leaf1    4 leaf2         4     4 QDR          40 active -\n"
		    "leaf2    1 host3         1     4 QDR          40 active -\n"
		    "leaf2    2 host4         1     4 QDR          40 active -\n",
		    "");
	live_expect("links --switches-only --tsv", 0,
		    "node\tport\tpeer\tpeer_port\twidth_lanes\tspeed\trate_gbps\tstate\tcould_be\n"
		    "leaf1\t3\tleaf2\t3\t4\tQDR\t40\tactive\t\n"
		    "leaf1\t4\tleaf2\t4\t4\tQDR\t40\tactive\t\n",
		    "");
	live_expect("ports --tsv --no-headings --name leaf1 -o node,port,state,peer,peer_port", 0,
		    "leaf1\t1\tactive\thost1\t1\n"
		    "leaf1\t2\tactive\thost2\t1\n"
		    "leaf1\t3\tactive\tleaf2\t3\n"
		    "leaf1\t4\tactive\tleaf2\t4\n",
		    "");
	live_expect(
		"port leaf1/3", 0,
		"NODE  PORT STATE  PHYSICAL LANES SPEED WIDTH ENABLED SPEED ENABLED EXT ENABLED\n"
		"leaf1    3 active link-up      4 QDR   -             sdr,ddr,qdr   -\n"
		"leaf2    3 active link-up      4 QDR   -             sdr,ddr,qdr   -\n",
		"");
	live_expect("port 1/1 --jsonl -o node,port,lid", 0,
		    "{\"node\": \"host1\", \"port\": 1, \"lid\": 1}\n"
		    "{\"node\": \"leaf1\", \"port\": 1, \"lid\": 2}\n",
		    "");
}

/* Without a link a scan ends where it begins, which is not a success. */
static void port_down(void **state)
{
	static const char told[] =
		"rdmactl fabric: mlx5_0/1, which sends the requests, is down\n"
		"  rdmactl ports shows its state; --via DEV/PORT sends through another port\n";

	(void)state;
	fabric_unlink(&live.fabric, live.fabric.nodes[HOST1].first_port + 1);
	port_info_set_state(live.fabric.ports[live.fabric.nodes[HOST1].first_port + 1].info,
			    PORT_STATE_DOWN);
	port_info_set_physical_state(
		live.fabric.ports[live.fabric.nodes[HOST1].first_port + 1].info, 2);
	live.state = PORT_STATE_DOWN;
	live_expect("scan", 3, "", told);
	live_expect("nodes --tsv --no-headings -o node", 3, "host1\n", told);
	live_expect(
		"nodes --json -o node", 3,
		"{\"schema\": \"rdmactl/fabric_nodes/1\",\n"
		" \"fabric_nodes\": [\n"
		"  {\"node\": \"host1\"}],\n"
		" \"problems\": [\n"
		"  {\"object\": null, \"attribute\": null, \"source\": null, \"error\": "
		"\"mlx5_0/1, which sends the requests, is down\", \"hint\": \"rdmactl ports shows "
		"its state; --via DEV/PORT sends through another port\"}]}\n",
		told);
	/* Nothing is said to be right if nothing but the port itself could be asked. */
	live_expect("check", 3, "", told);
	live_expect("errors", 3, "", told);
	live_expect("port host2/1", 5, "",
		    "rdmactl fabric: the scan found no node 'host2'\n"
		    "  give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
		    "node,node_guid,lid,path lists them\n"
		    "rdmactl fabric: mlx5_0/1, which sends the requests, is down\n"
		    "  rdmactl ports shows its state; --via DEV/PORT sends through another port\n");
	/* The port itself answers. */
	live_expect("port 1/1 --jsonl -o node,state", 0,
		    "{\"node\": \"host1\", \"state\": \"down\"}\n", "");
}

/* The cables of a node are printed as soon as their other ends are known. */
static void stream(void **state)
{
	(void)state;
	live_expect("scan --jsonl -o node,port,peer,peer_port", 0,
		    "{\"node\": \"leaf1\", \"port\": 1, \"peer\": \"host1\", \"peer_port\": 1}\n"
		    "{\"node\": \"leaf1\", \"port\": 2, \"peer\": \"host2\", \"peer_port\": 1}\n"
		    "{\"node\": \"leaf1\", \"port\": 3, \"peer\": \"leaf2\", \"peer_port\": 3}\n"
		    "{\"node\": \"leaf1\", \"port\": 4, \"peer\": \"leaf2\", \"peer_port\": 4}\n"
		    "{\"node\": \"leaf2\", \"port\": 1, \"peer\": \"host3\", \"peer_port\": 1}\n"
		    "{\"node\": \"leaf2\", \"port\": 2, \"peer\": \"host4\", \"peer_port\": 1}\n"
		    "{\"node\": \"leaf2\", \"port\": 3, \"peer\": \"leaf1\", \"peer_port\": 3}\n"
		    "{\"node\": \"leaf2\", \"port\": 4, \"peer\": \"leaf1\", \"peer_port\": 4}\n",
		    "");
	live_add_fault((struct live_fault){.node = HOST4, .attribute = UMAD_SM_ATTR_NODE_DESC});
	live_expect(
		"scan --jsonl -o node,port,peer,peer_port", 3,
		"{\"node\": \"leaf1\", \"port\": 1, \"peer\": \"host1\", \"peer_port\": 1}\n"
		"{\"node\": \"leaf1\", \"port\": 2, \"peer\": \"host2\", \"peer_port\": 1}\n"
		"{\"node\": \"leaf1\", \"port\": 3, \"peer\": \"leaf2\", \"peer_port\": 3}\n"
		"{\"node\": \"leaf1\", \"port\": 4, \"peer\": \"leaf2\", \"peer_port\": 4}\n"
		"{\"node\": \"leaf2\", \"port\": 1, \"peer\": \"host3\", \"peer_port\": 1}\n"
		"{\"node\": \"leaf2\", \"port\": 2, \"peer\": \"0000:0000:0000:0600\", "
		"\"peer_port\": 1}\n"
		"{\"node\": \"leaf2\", \"port\": 3, \"peer\": \"leaf1\", \"peer_port\": 3}\n"
		"{\"node\": \"leaf2\", \"port\": 4, \"peer\": \"leaf1\", \"peer_port\": 4}\n",
		"rdmactl fabric: 0000:0000:0000:0600: NodeDescription: no answer, asked 4 times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
}

static void graph(void **state)
{
	(void)state;
	live_expect(
		"scan --json --hops 1 -o time,host,device,port,lid,from,most_hops,complete", 0,
		"{\"schema\": \"rdmactl/fabric/1\",\n"
		" \"fabric\": [\n"
		"  {\"time\": \"1970-01-01T00:00:01.000Z\", \"host\": \"testhost\", \"device\": "
		"\"mlx5_0\", \"port\": 1, \"lid\": 1, \"from\": null, \"most_hops\": 1, "
		"\"complete\": true}],\n"
		" \"problems\": []}\n",
		"");
}

/* What a list shows for a file of --save, and for the nodes themselves. */
static void saved(void **state)
{
	static const char *const lists[] = {
		"scan --details --tsv -o all",
		"scan --tsv -o all",
		"nodes --tsv -o all",
		"links --tsv -o all",
		"ports --tsv -o all",
		"tables --tsv -o all",
		"tables --multicast --tsv -o all",
		"balance --tsv -o all",
		"using leaf1/4 --pairs --tsv -o all",
	};
	char *text, *said, path[32];
	int file;

	(void)state;
	assert_int_equal(live_run("scan --details --routes --save -", &text, &said), 0);
	assert_string_equal(said, "");
	file = live_file(text, path);
	free(text);
	free(said);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		_cleanup_(freep) char *line = mem_format("%s --load %s", lists[i], path);
		const char *live_line = i ? lists[i] : "scan --details --routes --tsv -o all";

		assert_int_equal(live_run(live_line, &text, &said), 0);
		assert_string_equal(said, "");
		/* There is more than just the headings. */
		assert_true(strchr(text, '\n')[1]);
		live_expect(line, 0, text, "");
		free(text);
		free(said);
	}
	close(file);
}

/* What was not read is also in the file. */
static void saved_gaps(void **state)
{
	char *text, *said, path[32];
	_cleanup_(freep) char *line = NULL;
	int file;

	(void)state;
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_LINEAR_FT});
	live_add_fault((struct live_fault){.node = HOST4});
	assert_int_equal(live_run("scan --routes --save - --switch 3", &text, &said), 3);
	file = live_file(text, path);
	free(text);
	free(said);
	line = mem_format("scan --load %s", path);
	live_expect(
		line, 3,
		"NODE  PORT STATE  PHYSICAL LANES SPEED PEER  PEER PORT COULD BE\n"
		"leaf2    1 active link-up      4 QDR   host3         1 -\n"
		"leaf2    2 active link-up      4 QDR   -             - -\n"
		"leaf2    3 active link-up      4 QDR   leaf1         3 -\n"
		"leaf2    4 active link-up      4 QDR   leaf1         4 -\n"
		"leaf1    1 active link-up      4 QDR   -             - -\n"
		"leaf1    2 active link-up      4 QDR   -             - -\n"
		"leaf1    3 active link-up      4 QDR   leaf2         3 -\n"
		"leaf1    4 active link-up      4 QDR   leaf2         4 -\n",
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: leaf2/0: LinearForwardingTable: no answer, asked 4 times\n");
	close(file);
}

static const char tables_of_leaf2[] =
	"node\tport\ttable\tin_port\tentries\n"
	"leaf2\t0\tguids\t\t0000:0000:0000:0300\n"
	"leaf2\t0\tpkeys\t\t0xffff\n"
	"leaf2\t0\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t0\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t0\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t0\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t0\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t1\tpkeys\t\t0xffff\n"
	"leaf2\t1\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t1\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t1\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t1\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t1\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t1\tvlarb-low\t\t0:64\n"
	"leaf2\t1\tvlarb-high\t\t0:64\n"
	"leaf2\t2\tpkeys\t\t0xffff\n"
	"leaf2\t2\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t2\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t2\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t2\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t2\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t2\tvlarb-low\t\t0:64\n"
	"leaf2\t2\tvlarb-high\t\t0:64\n"
	"leaf2\t3\tpkeys\t\t0xffff\n"
	"leaf2\t3\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t3\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t3\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t3\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t3\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t3\tvlarb-low\t\t0:64\n"
	"leaf2\t3\tvlarb-high\t\t0:64\n"
	"leaf2\t4\tpkeys\t\t0xffff\n"
	"leaf2\t4\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t4\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t4\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t4\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t4\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf2\t4\tvlarb-low\t\t0:64\n"
	"leaf2\t4\tvlarb-high\t\t0:64\n"
	"host3\t1\tguids\t\t0000:0000:0000:0501\n"
	"host3\t1\tpkeys\t\t0xffff\n"
	"host3\t1\tsl2vl\t\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"host3\t1\tvlarb-low\t\t0:64\n"
	"host3\t1\tvlarb-high\t\t0:64\n"
	"host4\t1\tguids\t\t0000:0000:0000:0601\n"
	"host4\t1\tpkeys\t\t0xffff\n"
	"host4\t1\tsl2vl\t\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"host4\t1\tvlarb-low\t\t0:64\n"
	"host4\t1\tvlarb-high\t\t0:64\n"
	"leaf1\t0\tguids\t\t0000:0000:0000:0200\n"
	"leaf1\t0\tpkeys\t\t0xffff\n"
	"leaf1\t0\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t0\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t0\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t0\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t0\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t1\tpkeys\t\t0xffff\n"
	"leaf1\t1\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t1\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t1\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t1\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t1\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t1\tvlarb-low\t\t0:64\n"
	"leaf1\t1\tvlarb-high\t\t0:64\n"
	"leaf1\t2\tpkeys\t\t0xffff\n"
	"leaf1\t2\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t2\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t2\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t2\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t2\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t2\tvlarb-low\t\t0:64\n"
	"leaf1\t2\tvlarb-high\t\t0:64\n"
	"leaf1\t3\tpkeys\t\t0xffff\n"
	"leaf1\t3\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t3\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t3\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t3\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t3\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t3\tvlarb-low\t\t0:64\n"
	"leaf1\t3\tvlarb-high\t\t0:64\n"
	"leaf1\t4\tpkeys\t\t0xffff\n"
	"leaf1\t4\tsl2vl\t0\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t4\tsl2vl\t1\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t4\tsl2vl\t2\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t4\tsl2vl\t3\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t4\tsl2vl\t4\t0,1,2,3,0,1,2,3,0,0,0,0,0,0,0,0\n"
	"leaf1\t4\tvlarb-low\t\t0:64\n"
	"leaf1\t4\tvlarb-high\t\t0:64\n"
	"leaf2\t0\tlft\t\t-,3,4,0,4,1,2,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-"
	",-,-,-"
	",-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-\n"
	"leaf2\t0\tmft\t0\t0x0000,0x000e,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,"
	"0x0000,0x0"
	"000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,"
	"0x0000,0x0"
	"000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000\n"
	"leaf1\t0\tlft\t\t-,1,0,3,2,4,3,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-"
	",-,-,-"
	",-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-\n"
	"leaf1\t0\tmft\t0\t0x0000,0x000e,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,"
	"0x0000,0x0"
	"000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,"
	"0x0000,0x0"
	"000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000,0x0000\n";

static void details(void **state)
{
	(void)state;
	live_expect("scan --details --routes --switch 3 --tsv", 0, tables_of_leaf2, "");
}

static void counts(void **state)
{
	(void)state;
	live_expect("switches -v -o node", 0,
		    "NODE\n"
		    "leaf1\n"
		    "leaf2\n",
		    "rdmactl fabric: through port mlx5_0/1, LID 1\n"
		    "rdmactl fabric: 6 nodes, 29 requests, 0 retries, 0 ms\n");
}

static int lose_some(struct fake *fake, int agent, const struct mad_address *to,
		     const unsigned char *mad)
{
	return mad_attribute(mad) == UMAD_SM_ATTR_NODE_DESC ? -ENETDOWN
							    : live_answer(fake, agent, to, mad);
}

/* Requests that could not be sent do not count as retries. */
static void counts_of_unsent(void **state)
{
	char *out, *err;

	(void)state;
	live.fake.on_send = lose_some;
	assert_int_equal(live_run("switches -v -o node", &out, &err), 3);
	assert_non_null(strstr(err, "rdmactl fabric: 6 nodes, 29 requests, 0 retries, 0 ms\n"));
	free(out);
	free(err);
}

/* ---- Where it begins ---- */

static void starts(void **state)
{
	(void)state;
	live_expect("links --from 3 --hops 1 --tsv -o node,port,peer,peer_port", 0,
		    "node\tport\tpeer\tpeer_port\n"
		    "leaf2\t1\thost3\t1\n"
		    "leaf2\t2\thost4\t1\n"
		    "leaf2\t3\tleaf1\t3\n"
		    "leaf2\t4\tleaf1\t4\n",
		    "");
	live_expect("links --from 0,1,3,1 --tsv -o node,port,peer,peer_port", 0,
		    "node\tport\tpeer\tpeer_port\n"
		    "leaf2\t1\thost3\t1\n"
		    "leaf2\t2\thost4\t1\n"
		    "leaf2\t3\tleaf1\t3\n"
		    "leaf2\t4\tleaf1\t4\n"
		    "leaf1\t1\thost1\t1\n"
		    "leaf1\t2\thost2\t1\n",
		    "");
	live_expect("links --switch 0,1,3 --tsv -o node,port,peer,peer_port", 0,
		    "node\tport\tpeer\tpeer_port\n"
		    "leaf2\t1\thost3\t1\n"
		    "leaf2\t2\thost4\t1\n"
		    "leaf2\t3\tleaf1\t3\n"
		    "leaf2\t4\tleaf1\t4\n",
		    "");
	live_expect("links --switch 0000:0000:0000:0300 --hops 2 --tsv -o node,port,peer,peer_port",
		    0,
		    "node\tport\tpeer\tpeer_port\n"
		    "leaf2\t1\thost3\t1\n"
		    "leaf2\t2\thost4\t1\n"
		    "leaf2\t3\tleaf1\t3\n"
		    "leaf2\t4\tleaf1\t4\n"
		    "leaf1\t1\thost1\t1\n"
		    "leaf1\t2\thost2\t1\n",
		    "");
	live_expect("links --switch 4", 2, "",
		    "rdmactl fabric: '4' is not a switch\n"
		    "  rdmactl fabric switches lists the switches; --from DEST --hops 1 accepts "
		    "any node\n");
	live_expect("links --switch 0,1,2", 2, "",
		    "rdmactl fabric: '0,1,2' is not a switch\n"
		    "  rdmactl fabric switches lists the switches; --from DEST --hops 1 accepts "
		    "any node\n");
	live_expect(
		"links --from 40", 1, "",
		"rdmactl fabric: the route to LID 40 ends at leaf1, whose forwarding table has no "
		"port for it\n"
		"  perhaps no node has this LID: rdmactl fabric nodes lists them; a directed route "
		"needs no forwarding tables: 0,1,3\n");
	/* Its path has the LID of the router, which is another node. */
	live_expect(
		"links --from 2001::999", 1, "",
		"rdmactl fabric: cannot begin at 2001:0000:0000:0000:0000:0000:0000:0999: it is "
		"in another subnet, and SMPs do not cross routers\n"
		"  scan its subnet from a host there\n");
	live_expect("links --from 0000:0000:0000:0999", 1, "",
		    "rdmactl fabric: 0000:0000:0000:0999: the subnet administrator knows no path "
		    "to it\n"
		    "  check that it is the GUID of a port that is up: rdmactl sa nodes -o "
		    "+port_guid\n");
	live_expect("links --from 0,2", 1, "",
		    "rdmactl fabric: where the scan begins: NodeInfo: no answer, asked 4 times\n"
		    "  rdmactl smp nodeinfo sends the same query to one node\n");
	live.linear[LEAF1][6] = 9;
	live_expect("links --from 6", 1, "",
		    "rdmactl fabric: the route to LID 6 ends at leaf1, whose forwarding table "
		    "sends packets to port 9, which the switch does not have\n"
		    "  a directed route needs no forwarding tables: 0,1,3\n");
	live_add_fault((struct live_fault){.node = LEAF1, .attribute = UMAD_SM_ATTR_LINEAR_FT});
	live_expect("links --from 6", 1, "",
		    "rdmactl fabric: the route to LID 6 ends at leaf1: LinearForwardingTable: no "
		    "answer, "
		    "asked 4 times\n"
		    "  a directed route needs no forwarding tables: 0,1,3\n");
}

static uint64_t wanted_key;
static size_t without_key;

static int look_at_key(struct fake *fake, int agent, const struct mad_address *to,
		       const unsigned char *mad)
{
	without_key += mad_class_is_smp(mad_class(mad)) && mad_mkey(mad) != wanted_key;
	return live_answer(fake, agent, to, mad);
}

/* The walk to the place where a scan begins, the scan, and what is read after it. */
static void keys(void **state)
{
	char *out, *err;

	(void)state;
	live.fake.on_send = look_at_key;
	wanted_key = 0x1234567890abcdef;
	without_key = 0;
	assert_int_equal(live_run("scan --from 3 --details --routes --mkey 0x1234567890abcdef",
				  &out, &err),
			 0);
	assert_string_equal(err, "");
	assert_int_equal(without_key, 0);
	free(out);
	free(err);
	wanted_key = 0;
	live_expect("switches --tsv --no-headings -o node", 0, "leaf1\nleaf2\n", "");
	assert_int_equal(without_key, 0);
}

/* A scan that cannot be saved is not begun; if that turns out later, it is printed nevertheless. */
static void unsaved(void **state)
{
	(void)state;
	live_expect_unsaved("switches --tsv --no-headings -o node", "leaf1\nleaf2\n");
	live_add_fault((struct live_fault){.node = HOST1});
	live_expect_error("switches --save /no/such/file --tsv --no-headings -o node", 1, "",
			  "rdmactl fabric: cannot write /no/such/file: ", ENOENT, LIVE_NO_FOLDER);
}

/* ---- What does not answer ---- */

static void nobody(void **state)
{
	(void)state;
	live_add_fault((struct live_fault){.node = HOST1});
	live_expect("scan", 1, "",
		    "rdmactl fabric: where the scan begins: NodeInfo: no answer, asked 4 times\n"
		    "  rdmactl ports shows whether the port is up\n");
	live_expect("nodes --save -", 1, "",
		    "rdmactl fabric: where the scan begins: NodeInfo: no answer, asked 4 times\n"
		    "  rdmactl ports shows whether the port is up\n");
}

static void silent(void **state)
{
	(void)state;
	live_add_fault((struct live_fault){.node = HOST4});
	live_add_fault((struct live_fault){.node = HOST3, .attribute = UMAD_SM_ATTR_PORT_INFO});
	live_add_fault((struct live_fault){
		.node = HOST2, .attribute = UMAD_SM_ATTR_NODE_DESC, .status = 0x1c});
	live_expect(
		"scan", 3,
		"NODE  PORT STATE  PHYSICAL LANES SPEED PEER                PEER PORT COULD BE\n"
		"leaf1    1 active link-up      4 QDR   host1                       1 -\n"
		"leaf1    2 active link-up      4 QDR   0000:0000:0000:0400         1 -\n"
		"leaf1    3 active link-up      4 QDR   leaf2                       3 -\n"
		"leaf1    4 active link-up      4 QDR   leaf2                       4 -\n"
		"leaf2    1 active link-up      4 QDR   host3                       1 -\n"
		"leaf2    2 active link-up      4 QDR   -                           - -\n"
		"leaf2    3 active link-up      4 QDR   leaf1                       3 -\n"
		"leaf2    4 active link-up      4 QDR   leaf1                       4 -\n",
		"rdmactl fabric: 0000:0000:0000:0400: NodeDescription: refused with status "
		"0x001c: "
		"invalid-value\n"
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
	live_expect(
		"links", 3,
		"NODE  PORT PEER                PEER PORT LANES SPEED RATE Gb/s STATE  COULD BE\n"
		"leaf1    1 host1                       1     4 QDR          40 active -\n"
		"leaf1    2 0000:0000:0000:0400         1     4 QDR          40 active -\n"
		"leaf1    3 leaf2                       3     4 QDR          40 active -\n"
		"leaf1    4 leaf2                       4     4 QDR          40 active -\n"
		"leaf2    1 host3                       1     4 QDR          40 active -\n",
		"rdmactl fabric: 0000:0000:0000:0400: NodeDescription: refused with status "
		"0x001c: "
		"invalid-value\n"
		"rdmactl fabric: host3/1: PortInfo: no answer, asked 4 times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n");
	live_expect(
		"scan --tree", 3,
		"2 switches, 3 hosts, 5 cables\n"
		"leaf2\n"
		"|- host3, 4x QDR\n"
		"|- ! port 2: no answer\n"
		"`- leaf1, 2 cables, 4x QDR\n"
		"   `- 2 hosts, 4x QDR: 0000:0000:0000:0400,host1\n",
		"rdmactl fabric: 0000:0000:0000:0400: NodeDescription: refused with status "
		"0x001c: "
		"invalid-value\n"
		"rdmactl fabric: host3/1: PortInfo: no answer, asked 4 times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n");
}

static void silent_tables(void **state)
{
	(void)state;
	live_add_fault((struct live_fault){.node = LEAF1, .attribute = UMAD_SM_ATTR_PKEY_TABLE});
	live_add_fault((struct live_fault){
		.node = HOST1, .attribute = UMAD_SM_ATTR_VL_ARB_TABLE, .status = 0x0c});
	live_expect("scan --details --hops 1 --tsv -o node,port,table", 3,
		    "node\tport\ttable\n"
		    "host1\t1\tguids\n"
		    "host1\t1\tpkeys\n"
		    "host1\t1\tsl2vl\n"
		    "leaf1\t0\tguids\n"
		    "leaf1\t0\tsl2vl\n"
		    "leaf1\t0\tsl2vl\n"
		    "leaf1\t0\tsl2vl\n"
		    "leaf1\t0\tsl2vl\n"
		    "leaf1\t0\tsl2vl\n"
		    "leaf1\t1\tsl2vl\n"
		    "leaf1\t1\tsl2vl\n"
		    "leaf1\t1\tsl2vl\n"
		    "leaf1\t1\tsl2vl\n"
		    "leaf1\t1\tsl2vl\n"
		    "leaf1\t1\tvlarb-low\n"
		    "leaf1\t1\tvlarb-high\n"
		    "leaf1\t2\tsl2vl\n"
		    "leaf1\t2\tsl2vl\n"
		    "leaf1\t2\tsl2vl\n"
		    "leaf1\t2\tsl2vl\n"
		    "leaf1\t2\tsl2vl\n"
		    "leaf1\t2\tvlarb-low\n"
		    "leaf1\t2\tvlarb-high\n"
		    "leaf1\t3\tsl2vl\n"
		    "leaf1\t3\tsl2vl\n"
		    "leaf1\t3\tsl2vl\n"
		    "leaf1\t3\tsl2vl\n"
		    "leaf1\t3\tsl2vl\n"
		    "leaf1\t3\tvlarb-low\n"
		    "leaf1\t3\tvlarb-high\n"
		    "leaf1\t4\tsl2vl\n"
		    "leaf1\t4\tsl2vl\n"
		    "leaf1\t4\tsl2vl\n"
		    "leaf1\t4\tsl2vl\n"
		    "leaf1\t4\tsl2vl\n"
		    "leaf1\t4\tvlarb-low\n"
		    "leaf1\t4\tvlarb-high\n",
		    "rdmactl fabric: host1/1: VLArbitrationTable: refused with status 0x000c: "
		    "attribute-not-supported\n"
		    "rdmactl fabric: leaf1/4: P_KeyTable: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
}

/* The scan continues while it waits for a node: a terminal shows its progress. */
static void progress(void **state)
{
	(void)state;
	live.terminal = true;
	live_expect("switches -o node", 0,
		    "NODE\n"
		    "leaf1\n"
		    "leaf2\n",
		    "");
	live_add_fault((struct live_fault){.node = HOST4});
	live_expect(
		"switches -o node", 3,
		"NODE\n"
		"leaf1\n"
		"leaf2\n",
		"5 nodes, 26 datagrams answered, 86/s\r                                    "
		"\rrdmactl "
		"fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
	live_expect(
		"switches -o node -q", 3,
		"NODE\n"
		"leaf1\n"
		"leaf2\n",
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n");
}

/* At most every 100 ms, however often there is an answer, and not before 300 ms. */
static void progress_at_times(void **state)
{
	(void)state;
	live.terminal = true;
	live.delay_usec = 60000;
	live_expect("switches -o node", 0,
		    "NODE\n"
		    "leaf1\n"
		    "leaf2\n",
		    "3 nodes, 12 datagrams answered, 40/s\r                                    \r"
		    "5 nodes, 24 datagrams answered, 57/s\r                                    \r");
}

/* A scan saved with the details has them; one without details says so. */
static void details_of_a_file(void **state)
{
	static const char *const options[] = {"", " --details"};
	static const char *const said[] = {
		"rdmactl fabric: the scan in /proc/self/fd/40 has no details\n"
		"  rdmactl fabric scan --details --save FILE saves them\n",
		""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		_cleanup_(freep) char *scan = mem_format("scan --save -%s", options[i]);
		_cleanup_(freep) char *out = NULL, *err = NULL, *line = NULL;
		char path[32];
		int fd;

		assert_int_equal(live_run(scan, &out, &err), 0);
		fd = live_file(out, path);
		line = mem_format("scan --load %s --details --tsv", path);
		free(out);
		free(err);
		assert_int_equal(live_run(line, &out, &err), i ? 0 : 3);
		assert_string_equal(err, said[i]);
		close(fd);
	}
}

/* ---- Interrupted ---- */

static void interrupted(void **state)
{
	(void)state;
	live.stop_after = 1;
	live_expect("scan", 3, "", "rdmactl fabric: interrupted: the output is incomplete\n");
	live.stop_after = 12;
	live_expect("scan", 3,
		    "NODE                PORT STATE  PHYSICAL LANES SPEED PEER                PEER "
		    "PORT "
		    "COULD BE\n"
		    "leaf1                  1 active link-up      4 QDR   host1                    "
		    "   1 "
		    "-\n"
		    "leaf1                  2 active link-up      4 QDR   0000:0000:0000:0400      "
		    "   1 "
		    "-\n"
		    "leaf1                  3 active link-up      4 QDR   0000:0000:0000:0300      "
		    "   3 "
		    "-\n"
		    "leaf1                  4 active link-up      4 QDR   0000:0000:0000:0300      "
		    "   4 "
		    "-\n"
		    "0000:0000:0000:0300    3 -      -            - -     leaf1                    "
		    "   3 "
		    "-\n"
		    "0000:0000:0000:0300    4 -      -            - -     leaf1                    "
		    "   4 "
		    "-\n",
		    "rdmactl fabric: interrupted: the output is incomplete\n");
	live_expect("scan --jsonl -o node,port,peer", 3,
		    "{\"node\": \"leaf1\", \"port\": 1, \"peer\": \"host1\"}\n"
		    "{\"node\": \"leaf1\", \"port\": 2, \"peer\": \"0000:0000:0000:0400\"}\n"
		    "{\"node\": \"leaf1\", \"port\": 3, \"peer\": \"0000:0000:0000:0300\"}\n"
		    "{\"node\": \"leaf1\", \"port\": 4, \"peer\": \"0000:0000:0000:0300\"}\n"
		    "{\"node\": \"0000:0000:0000:0300\", \"port\": 3, \"peer\": \"leaf1\"}\n"
		    "{\"node\": \"0000:0000:0000:0300\", \"port\": 4, \"peer\": \"leaf1\"}\n",
		    "rdmactl fabric: interrupted: the output is incomplete\n");
	live_expect("scan --tree", 3,
		    "2 switches, 2 hosts, 3 cables\n"
		    "0000:0000:0000:0300\n"
		    "`- leaf1, 4x QDR\n"
		    "   |- 2 hosts, 4x QDR: 0000:0000:0000:0400,host1\n"
		    "   `- 1 port that this scan did not follow\n",
		    "rdmactl fabric: interrupted: the output is incomplete\n");
}

static void interrupted_tables(void **state)
{
	(void)state;
	live.stop_after = 60;
	live_expect("scan --details --tsv -o node,port", 3,
		    "node\tport\n"
		    "host1\t1\n"
		    "host1\t1\n"
		    "host1\t1\n"
		    "host1\t1\n"
		    "host1\t1\n"
		    "leaf1\t0\n"
		    "leaf1\t0\n"
		    "leaf1\t0\n"
		    "leaf1\t0\n"
		    "leaf1\t0\n"
		    "leaf1\t0\n"
		    "leaf1\t0\n"
		    "leaf1\t1\n"
		    "leaf1\t1\n"
		    "leaf1\t1\n"
		    "leaf1\t1\n"
		    "leaf1\t1\n"
		    "leaf1\t1\n"
		    "leaf1\t1\n"
		    "leaf1\t1\n"
		    "leaf1\t2\n"
		    "leaf1\t2\n"
		    "leaf1\t2\n"
		    "leaf1\t2\n"
		    "leaf1\t2\n"
		    "leaf1\t2\n"
		    "leaf1\t2\n"
		    "leaf1\t2\n"
		    "leaf1\t3\n"
		    "leaf1\t3\n"
		    "leaf1\t3\n",
		    "rdmactl fabric: interrupted: the output is incomplete\n");
	live.stop_after = 31;
	live_expect("scan --routes --switch 2 --tsv -o node,port", 3,
		    "node\tport\n"
		    "leaf1\t1\n"
		    "leaf1\t2\n"
		    "leaf1\t3\n"
		    "leaf1\t4\n"
		    "leaf2\t1\n"
		    "leaf2\t2\n"
		    "leaf2\t3\n"
		    "leaf2\t4\n",
		    "rdmactl fabric: interrupted: the output is incomplete\n");
	live.stop_after = 2;
	live_expect("links --from 6", 1, "", "rdmactl fabric: interrupted\n");
}

/* ---- Filters of the lists ---- */

static void filters(void **state)
{
	uint32_t port = fabric_port_at(&live.fabric, LEAF1, 4);

	(void)state;
	port_info_set_state(live.fabric.ports[port].info, 2);
	port_info_set_speed_active(live.fabric.ports[port].info, 1);
	port = fabric_port_at(&live.fabric, LEAF2, 4);
	port_info_set_speed_active(live.fabric.ports[port].info, 2);
	live_expect("ports --state init --tsv -o node,port", 0,
		    "node\tport\n"
		    "leaf1\t4\n",
		    "");
	live_expect("ports --speed-below QDR --tsv -o node,port,speed", 0,
		    "node\tport\tspeed\n"
		    "leaf1\t4\tSDR\n"
		    "leaf2\t4\tDDR\n",
		    "");
	live_expect("ports --speed-below DDR --tsv -o node,port,speed", 0,
		    "node\tport\tspeed\n"
		    "leaf1\t4\tSDR\n",
		    "");
	live_expect("links --state init --tsv -o node,port", 0,
		    "node\tport\n"
		    "leaf1\t4\n",
		    "");
	live_expect("nodes --speed-below QDR --tsv -o node", 0,
		    "node\n"
		    "leaf1\n"
		    "leaf2\n",
		    "");
	live_expect("switches --state init --tsv -o node", 0,
		    "node\n"
		    "leaf1\n",
		    "");
	live_expect("nodes --down --tsv -o node", 0, "node\n", "");
	live_expect(
		"ports --name nothing", 5, "",
		"rdmactl fabric: no node has a name like 'nothing'\n"
		"  give the full name, or part of it between asterisks; rdmactl fabric nodes lists "
		"them\n");
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_PORT_INFO});
	live_expect("ports --down --tsv -o node,port", 3, "node\tport\n",
		    "rdmactl fabric: leaf2/0: PortInfo: no answer, asked 4 times\n"
		    "  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		    "rdmactl fabric: leaf2/1: PortInfo: no answer, asked 4 times\n"
		    "rdmactl fabric: leaf2/2: PortInfo: no answer, asked 4 times\n"
		    "rdmactl fabric: leaf2/3: PortInfo: no answer, asked 4 times\n"
		    "rdmactl fabric: leaf2/4: PortInfo: no answer, asked 4 times\n");
}

/* Two hosts cabled to each other, without a switch. */
static void back_to_back(void **state)
{
	struct fabric *fabric = &live.fabric;

	(void)state;
	fabric_unlink(fabric, fabric_port_at(fabric, HOST1, 1));
	fabric_unlink(fabric, fabric_port_at(fabric, HOST4, 1));
	fabric_link(fabric, fabric_port_at(fabric, HOST1, 1), fabric_port_at(fabric, HOST4, 1));
	live_expect("scan", 0,
		    "NODE  PORT STATE  PHYSICAL LANES SPEED PEER  PEER PORT COULD BE\n"
		    "host1    1 active link-up      4 QDR   host4         1 -\n"
		    "host4    1 active link-up      4 QDR   host1         1 -\n",
		    "");
	live_expect("scan --jsonl -o node,port,peer", 0,
		    "{\"node\": \"host1\", \"port\": 1, \"peer\": \"host4\"}\n"
		    "{\"node\": \"host4\", \"port\": 1, \"peer\": \"host1\"}\n",
		    "");
	live_expect("links", 0,
		    "NODE  PORT PEER  PEER PORT LANES SPEED RATE Gb/s STATE  COULD BE\n"
		    "host1    1 host4         1     4 QDR          40 active -\n",
		    "");
	live_expect("check", 0, "nothing wrong\n", "");
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, live_begin, live_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tables),
		TEST(slower_than_fdr10),
		TEST(lists),
		TEST(port_down),
		TEST(stream),
		TEST(graph),
		TEST(saved),
		TEST(saved_gaps),
		TEST(details),
		TEST(counts),
		TEST(counts_of_unsent),
		TEST(starts),
		TEST(keys),
		TEST(unsaved),
		TEST(nobody),
		TEST(silent),
		TEST(silent_tables),
		TEST(progress),
		TEST(progress_at_times),
		TEST(details_of_a_file),
		TEST(interrupted),
		TEST(interrupted_tables),
		TEST(filters),
		TEST(back_to_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
