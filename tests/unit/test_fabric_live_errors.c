/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl fabric errors and fabric check on a made-up subnet: which counters of its ports are
 * shown, how they grew, which of them are cleared, and what cannot be read.
 */
#include "live_subnet.h"

#include <fcntl.h>

/* Counters by their places in PortCounters and PortCountersExtended: 16.1.3.5, 16.1.4.11. */
enum {
	SYMBOL_ERRORS = 4 * 8,
	LINK_DOWNED = 7 * 8,
	RCV_ERRORS = 8 * 8,
	XMIT_DISCARDS = 14 * 8,
	XMIT_WAIT = 40 * 8,
	XMIT_DATA_64 = 8 * 8,
};

static void count(uint32_t node, unsigned int port, size_t bit, unsigned int width, uint64_t number)
{
	bits_set(live.counters[node][port], bit, width, number);
}

static int begin(void **state)
{
	live_begin(state);
	count(LEAF1, 3, SYMBOL_ERRORS, 16, 12);
	count(LEAF1, 3, RCV_ERRORS, 16, 65535);
	count(LEAF2, 3, LINK_DOWNED, 8, 5);
	count(LEAF2, 1, XMIT_DISCARDS, 16, 5);
	count(HOST3, 1, XMIT_WAIT, 32, 1000);
	count(HOST2, 1, SYMBOL_ERRORS, 16, 300);
	bits_set(live.extended[HOST2][1], XMIT_DATA_64, 64, UINT64_C(1) << 33);
	return 0;
}

static void shown(void **state)
{
	(void)state;
	live_expect("errors", 0,
		    "NODE  PORT PEER  PEER PORT COUNT XMIT WAIT TICKS ERRORS\n"
		    "leaf1    3 leaf2         3 65547               0 rcv_errors >=65535, "
		    "symbol_errors "
		    "12\n"
		    "host2    1 leaf1         2   300               0 symbol_errors 300\n"
		    "leaf2    1 host3         1     5               0 xmit_discards 5\n"
		    "leaf2    3 leaf1         3     5               0 link_downed 5\n",
		    "");
	live_expect("errors --tsv", 0,
		    "node\tport\tpeer\tpeer_port\terror_count\txmit_wait_ticks\terrors\n"
		    "leaf1\t3\tleaf2\t3\t65547\t0\trcv_errors >=65535, symbol_errors 12\n"
		    "host2\t1\tleaf1\t2\t300\t0\tsymbol_errors 300\n"
		    "leaf2\t1\thost3\t1\t5\t0\txmit_discards 5\n"
		    "leaf2\t3\tleaf1\t3\t5\t0\tlink_downed 5\n",
		    "");
	live_expect(
		"errors --json --top 2", 0,
		"{\"schema\": \"rdmactl/fabric_errors/1\",\n"
		" \"fabric_errors\": [\n"
		"  {\"node\": \"leaf1\", \"port\": 3, \"peer\": \"leaf2\", \"peer_port\": 3, "
		"\"node_guid\": \"0000:0000:0000:0200\", \"lid\": 2, \"peer_guid\": "
		"\"0000:0000:0000:0300\", \"error_count\": 65547, \"symbol_errors\": 12, "
		"\"link_error_recoveries\": 0, \"link_downed\": 0, \"rcv_errors\": 65535, "
		"\"rcv_remote_physical_errors\": 0, \"rcv_switch_relay_errors\": 0, "
		"\"xmit_discards\": 0, \"xmit_constraint_errors\": 0, \"rcv_constraint_errors\": "
		"0, "
		"\"local_link_integrity_errors\": 0, \"excessive_buffer_overruns\": 0, "
		"\"qp1_dropped\": null, \"vl15_dropped\": 0, \"xmit_wait_ticks\": 0, "
		"\"xmit_data_bytes\": 0, \"rcv_data_bytes\": 0, \"xmit_packets\": 0, "
		"\"rcv_packets\": 0, \"unicast_xmit_packets\": 0, \"unicast_rcv_packets\": 0, "
		"\"multicast_xmit_packets\": 0, \"multicast_rcv_packets\": 0, \"width_bits\": 64, "
		"\"saturated\": [\"rcv_errors\"], \"errors\": \"rcv_errors >=65535, symbol_errors "
		"12\", \"reasons\": null, \"details\": null},\n"
		"  {\"node\": \"host2\", \"port\": 1, \"peer\": \"leaf1\", \"peer_port\": 2, "
		"\"node_guid\": \"0000:0000:0000:0400\", \"lid\": 4, \"peer_guid\": "
		"\"0000:0000:0000:0200\", \"error_count\": 300, \"symbol_errors\": 300, "
		"\"link_error_recoveries\": 0, \"link_downed\": 0, \"rcv_errors\": 0, "
		"\"rcv_remote_physical_errors\": 0, \"rcv_switch_relay_errors\": 0, "
		"\"xmit_discards\": 0, \"xmit_constraint_errors\": 0, \"rcv_constraint_errors\": "
		"0, "
		"\"local_link_integrity_errors\": 0, \"excessive_buffer_overruns\": 0, "
		"\"qp1_dropped\": null, \"vl15_dropped\": 0, \"xmit_wait_ticks\": 0, "
		"\"xmit_data_bytes\": 34359738368, \"rcv_data_bytes\": 0, \"xmit_packets\": 0, "
		"\"rcv_packets\": 0, \"unicast_xmit_packets\": 0, \"unicast_rcv_packets\": 0, "
		"\"multicast_xmit_packets\": 0, \"multicast_rcv_packets\": 0, \"width_bits\": 64, "
		"\"saturated\": [], \"errors\": \"symbol_errors 300\", \"reasons\": null, "
		"\"details\": null}],\n"
		" \"problems\": []}\n",
		"");
	live_expect("errors --threshold 6", 0,
		    "NODE  PORT PEER  PEER PORT COUNT XMIT WAIT TICKS ERRORS\n"
		    "leaf1    3 leaf2         3 65547               0 rcv_errors >=65535, "
		    "symbol_errors "
		    "12\n"
		    "host2    1 leaf1         2   300               0 symbol_errors 300\n",
		    "");
	live_expect("errors --threshold 0 --tsv -o node,port,error_count", 0,
		    "node\tport\terror_count\n"
		    "leaf1\t3\t65547\n"
		    "host2\t1\t300\n"
		    "leaf2\t1\t5\n"
		    "leaf2\t3\t5\n"
		    "host1\t1\t0\n"
		    "leaf1\t1\t0\n"
		    "leaf1\t2\t0\n"
		    "leaf1\t4\t0\n"
		    "leaf2\t2\t0\n"
		    "leaf2\t4\t0\n"
		    "host3\t1\t0\n"
		    "host4\t1\t0\n",
		    "");
}

static void filtered(void **state)
{
	(void)state;
	live_expect("errors --type switch --tsv -o node,port,error_count", 0,
		    "node\tport\terror_count\n"
		    "leaf1\t3\t65547\n"
		    "leaf2\t1\t5\n"
		    "leaf2\t3\t5\n",
		    "");
	live_expect("errors --name host* --tsv -o node,port,error_count", 0,
		    "node\tport\terror_count\n"
		    "host2\t1\t300\n",
		    "");
	live_expect("errors --name leaf* --type host", 0, "", "");
	live_expect("errors --name leaf* --type host --tsv --no-headings", 0, "", "");
	live_expect(
		"errors --name nothing", 5, "",
		"rdmactl fabric: no node has a name like 'nothing'\n"
		"  give the full name, or part of it between asterisks; rdmactl fabric nodes lists "
		"them\n");
	live_expect(
		"errors --ignore symbol_errors,rcv_errors --tsv -o node,port,error_count,errors", 0,
		"node\tport\terror_count\terrors\n"
		"leaf2\t1\t5\txmit_discards 5\n"
		"leaf2\t3\t5\tlink_downed 5\n",
		"");
	live_expect("errors --ignore x_errors", 2, "",
		    "rdmactl fabric: --ignore: 'x_errors' is not an error counter\n"
		    "  counters are named like the columns: rdmactl fabric errors --help\n");
}

/* That there are no errors is told only of all counters of all ports, and only to people. */
static void none(void **state)
{
	static const char *const partial[] = {
		"--name host1",
		"--type switch",
		"--threshold 301",
		"--thresholds /proc/self/fd/40",
		"--ignore symbol_errors",
		"--interval 1s",
		"--since /proc/self/fd/41",
		"--hops 1",
	};
	char *text, *said, path[32];
	int limits, saved;

	(void)state;
	memset(live.counters, 0, sizeof(live.counters));
	count(HOST2, 1, SYMBOL_ERRORS, 16, 300);
	limits = live_file("SymbolErrorCounter=300\n", path);
	assert_int_equal(live_run("errors --save -", &text, &said), 0);
	saved = live_file(text, path);
	free(text);
	free(said);
	for (size_t i = 0; i < ARRAY_SIZE(partial); i++) {
		_cleanup_(freep) char *line = mem_format("errors %s", partial[i]);

		live_expect(line, 0, "", "");
	}
	count(HOST2, 1, SYMBOL_ERRORS, 16, 0);
	live_expect("errors", 0, "no errors\n", "");
	live_expect("errors --details --top 1", 0, "no errors\n", "");
	live_expect("errors --no-headings -o node", 0, "", "");
	close(limits);
	close(saved);
}

static void detailed(void **state)
{
	(void)state;
	live_expect(
		"errors --details", 0,
		"NODE  PORT COUNT XMIT WAIT TICKS ERRORS                               REASONS\n"
		"leaf1    3 65547               0 rcv_errors >=65535, symbol_errors 12 "
		"local_physical_errors 21, xmit_flow_control_update_errors_vl5 1, "
		"xmit_flow_control_update_errors_vl6 2, xmit_flow_control_update_errors_vl7 3\n"
		"host2    1   300               0 symbol_errors 300                    "
		"xmit_flow_control_update_errors_vl5 1, xmit_flow_control_update_errors_vl6 2, "
		"xmit_flow_control_update_errors_vl7 3\n"
		"leaf2    1     5               0 xmit_discards 5                      "
		"inactive_discards 22, xmit_flow_control_update_errors_vl5 1, "
		"xmit_flow_control_update_errors_vl6 2, xmit_flow_control_update_errors_vl7 3\n"
		"leaf2    3     5               0 link_downed 5                        "
		"xmit_flow_control_update_errors_vl5 1, xmit_flow_control_update_errors_vl6 2, "
		"xmit_flow_control_update_errors_vl7 3\n",
		"");
	live_expect("errors --details --top 1 --jsonl -o node,port,details", 0,
		    "{\"node\": \"leaf1\", \"port\": 3, \"details\": [{\"counter\": "
		    "\"local_physical_errors\", \"value\": 21}, {\"counter\": "
		    "\"xmit_flow_control_update_errors_vl5\", \"value\": 1}, {\"counter\": "
		    "\"xmit_flow_control_update_errors_vl6\", \"value\": 2}, {\"counter\": "
		    "\"xmit_flow_control_update_errors_vl7\", \"value\": 3}]}\n",
		    "");
	live_add_fault((struct live_fault){.node = LEAF1,
					   .mgmt_class = UMAD_CLASS_PERF_MGMT,
					   .attribute = MAD_PM_RCV_ERROR_DETAILS,
					   .status = 0x0c});
	live_add_fault((struct live_fault){.node = LEAF2,
					   .mgmt_class = UMAD_CLASS_PERF_MGMT,
					   .attribute = MAD_PM_XMIT_DISCARD_DETAILS});
	live_expect(
		"errors --details", 3,
		"NODE  PORT COUNT XMIT WAIT TICKS ERRORS                               REASONS\n"
		"leaf1    3 65547               0 rcv_errors >=65535, symbol_errors 12 "
		"xmit_flow_control_update_errors_vl5 1, xmit_flow_control_update_errors_vl6 2, "
		"xmit_flow_control_update_errors_vl7 3\n"
		"host2    1   300               0 symbol_errors 300                    "
		"xmit_flow_control_update_errors_vl5 1, xmit_flow_control_update_errors_vl6 2, "
		"xmit_flow_control_update_errors_vl7 3\n"
		"leaf2    1     5               0 xmit_discards 5                      "
		"xmit_flow_control_update_errors_vl5 1, xmit_flow_control_update_errors_vl6 2, "
		"xmit_flow_control_update_errors_vl7 3\n"
		"leaf2    3     5               0 link_downed 5                        "
		"xmit_flow_control_update_errors_vl5 1, xmit_flow_control_update_errors_vl6 2, "
		"xmit_flow_control_update_errors_vl7 3\n",
		"rdmactl fabric: leaf1/3: PortRcvErrorDetails: refused with status 0x000c: "
		"attribute-not-supported\n"
		"rdmactl fabric: leaf2/1: PortXmitDiscardDetails: no answer, asked 4 times\n"
		"  the node is down, or its performance management agent hangs: rdmactl perf "
		"LID\n");
}

static void thresholds(void **state)
{
	char path[32];
	_cleanup_(freep) char *line = NULL, *other = NULL;
	int file = live_file("SymbolErrorCounter=12\nLinkDownedCounter=5\n", path), wrong;

	(void)state;
	line = mem_format("errors --thresholds %s --tsv -o node,port,errors", path);
	wrong = live_file("SymbolErrorCounter=12\nNoCounter=5\n", path);
	other = mem_format("errors --thresholds %s", path);
	live_expect(line, 0,
		    "node\tport\terrors\n"
		    "leaf1\t3\trcv_errors >=65535, symbol_errors 12\n"
		    "host2\t1\tsymbol_errors 300\n"
		    "leaf2\t1\txmit_discards 5\n",
		    "");
	live_expect(
		other, 1, "",
		"rdmactl fabric: /proc/self/fd/41: line 2 does not set the threshold of a counter\n"
		"  each line has the form SymbolErrorCounter=10\n");
	live_expect_error("errors --thresholds /proc/self/no-such-file", 1, "",
			  "rdmactl fabric: cannot read /proc/self/no-such-file: ", ENOENT, "\n");
	close(file);
	close(wrong);
}

static const char drawing[] =
	"graph fabric {\n"
	"\tgraph [bgcolor=\"white\", fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, "
	"fontcolor=\"#1f2933\", labelloc=\"t\", labeljust=\"l\", "
	"outputorder=\"edgesfirst\", "
	"splines=\"line\", pad=0.2, nodesep=0.16, ranksep=0.47, label=<<table border=\"0\" "
	"cellborder=\"0\" cellspacing=\"0\" cellpadding=\"2\"><tr><td align=\"left\"><font "
	"point-size=\"15\"><b>2 switches, 4 hosts, 6 cables</b></font></td></tr><tr><td "
	"align=\"left\"><table border=\"0\" cellborder=\"0\" cellspacing=\"4\" "
	"cellpadding=\"0\"><tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
	"cellpadding=\"0\"><tr><td fixedsize=\"true\" width=\"26\" height=\"4\" "
	"bgcolor=\"#cbd2d9\"></td></tr></table></td><td align=\"left\">no errors: "
	"2</td></tr><tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
	"cellpadding=\"0\"><tr><td fixedsize=\"true\" width=\"26\" height=\"4\" "
	"bgcolor=\"#9aa5b1\"></td></tr></table></td><td align=\"left\">unknown errors: "
	"2</td></tr><tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
	"cellpadding=\"0\"><tr><td fixedsize=\"true\" width=\"26\" height=\"4\" "
	"bgcolor=\"#fca636\"></td></tr></table></td><td align=\"left\">1 to 9 errors: "
	"1</td></tr><tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
	"cellpadding=\"0\"><tr><td fixedsize=\"true\" width=\"26\" height=\"4\" "
	"bgcolor=\"#0d0887\"></td></tr></table></td><td align=\"left\">1000 errors or "
	"more: "
	"1</td></tr></table></td></tr></table>>];\n"
	"\tnode [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, "
	"fontcolor=\"#1f2933\", color=\"#616e7c\", shape=\"box\", "
	"style=\"rounded,filled\", "
	"fillcolor=\"white\", height=0.1, width=0.1, margin=\"0.09,0.05\"];\n"
	"\tedge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, minlen=2];\n"
	"\t{\n"
	"\t\trank=\"same\";\n"
	"\t\t\"S-0000000000000200\" [fillcolor=\"#e3eefa\", label=\"leaf1\"];\n"
	"\t}\n"
	"\t{\n"
	"\t\trank=\"same\";\n"
	"\t\t\"S-0000000000000300\" [fillcolor=\"#c6def5\", label=\"leaf2\"];\n"
	"\t}\n"
	"\t\"H-0000000000000100\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
	"label=\"host1\", tooltip=\"host1\"];\n"
	"\t\"S-0000000000000200\" -- \"H-0000000000000100\" [color=\"#cbd2d9\", "
	"penwidth=0.9, tooltip=\"leaf1 - host1: 4x QDR, port 1\"];\n"
	"\t\"H-0000000000000400\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
	"label=\"host2\", tooltip=\"host2\"];\n"
	"\t\"S-0000000000000200\" -- \"H-0000000000000400\" [color=\"#9aa5b1\", "
	"penwidth=1.5, tooltip=\"leaf1 - host2: 4x QDR, port 2\"];\n"
	"\t\"S-0000000000000300\" -- \"S-0000000000000200\" [color=\"#0d0887\", "
	"penwidth=4.0, tooltip=\"leaf2 - leaf1: 4x QDR, port 3,4\"];\n"
	"\t\"H-0000000000000500\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
	"label=\"host3\", tooltip=\"host3\"];\n"
	"\t\"S-0000000000000300\" -- \"H-0000000000000500\" [color=\"#fca636\", "
	"penwidth=2.1, tooltip=\"leaf2 - host3: 4x QDR, port 1\"];\n"
	"\t\"H-0000000000000600\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
	"label=\"host4\", tooltip=\"host4\"];\n"
	"\t\"S-0000000000000300\" -- \"H-0000000000000600\" [color=\"#9aa5b1\", "
	"penwidth=1.5, tooltip=\"leaf2 - host4: 4x QDR, port 2\"];\n"
	"}\n";

static void unread(void **state)
{
	(void)state;
	live_add_fault((struct live_fault){.node = HOST2, .mgmt_class = UMAD_CLASS_PERF_MGMT});
	live_add_fault((struct live_fault){
		.node = LEAF2, .mgmt_class = UMAD_CLASS_PERF_MGMT, .port = 3, .status = 0x1c});
	port_info_set_lid(live.fabric.ports[fabric_port_at(&live.fabric, HOST4, 1)].info, 0);
	live_expect(
		"errors --tsv -o node,port,error_count", 3,
		"node\tport\terror_count\n"
		"leaf1\t3\t65547\n"
		"leaf2\t1\t5\n",
		"rdmactl fabric: leaf2/3: PortCounters: refused with status 0x001c: invalid-value\n"
		"rdmactl fabric: host2/1: PortCounters: no answer, asked 4 times\n"
		"  the node is down, or its performance management agent hangs: rdmactl perf LID\n"
		"rdmactl fabric: host4/1 has no LID or is not active: its counters cannot be read\n"
		"  a subnet manager assigns LIDs: rdmactl fabric check shows whether there is "
		"one\n");
	live_expect(
		"errors --interval 1s", 3,
		"NODE  PORT PEER  PEER PORT COUNT WAIT TICKS/s ERRORS\n"
		"leaf1    3 leaf2         3     0            0 rcv_errors stopped at 65535\n",
		"rdmactl fabric: leaf2/3: PortCounters: refused with status 0x001c: invalid-value\n"
		"rdmactl fabric: host2/1: ClassPortInfo: no answer, asked 4 times\n"
		"  the node is down, or its performance management agent hangs: rdmactl perf LID\n"
		"rdmactl fabric: host4/1 has no LID or is not active: its counters cannot be read\n"
		"  a subnet manager assigns LIDs: rdmactl fabric check shows whether there is "
		"one\n");
	live_expect(
		"check", 4,
		"warning  the port has no LID although there is a subnet manager [no-lid]\n"
		"         host4 port 1: the subnet manager is at LID 1\n"
		"         -> look for the port in the subnet manager's log\n"
		"warning  the counters of the port cannot be read [no-counters]\n"
		"         host2 port 1: PortCounters: no answer, asked 4 times\n"
		"         -> check the node: rdmactl perf LID\n"
		"notice   error counters of the port have stopped at their maximum "
		"[counter-saturated]\n"
		"         leaf1 port 3: rcv_errors >=65535, symbol_errors 12\n"
		"         -> reset them so that they count again: rdmactl perf LID PORT --reset\n"
		"info     something could not be checked [not-checked]\n"
		"         host4/1 has no LID or is not active: its counters cannot be read\n"
		"         -> remove the cause given in the evidence, then check again\n",
		"");
	live_expect(
		"scan --format dot --scheme errors", 3, drawing,
		"rdmactl fabric: leaf2/3: PortCounters: refused with status 0x001c: invalid-value\n"
		"rdmactl fabric: host2/1: ClassPortInfo: no answer, asked 4 times\n"
		"  the node is down, or its performance management agent hangs: rdmactl perf LID\n"
		"rdmactl fabric: host4/1 has no LID or is not active: its counters cannot be read\n"
		"  a subnet manager assigns LIDs: rdmactl fabric check shows whether there is "
		"one\n");
}

/* Runs between the two readings. */
static void grow(void)
{
	count(LEAF1, 3, SYMBOL_ERRORS, 16, 32);
	count(LEAF2, 3, LINK_DOWNED, 8, 6);
	count(HOST2, 1, SYMBOL_ERRORS, 16, 4);
	bits_set(live.extended[HOST2][1], XMIT_DATA_64, 64, (UINT64_C(1) << 33) + 1000);
}

static void again(void **state)
{
	live_end(state);
	begin(state);
	live.meanwhile = grow;
}

static void growing(void **state)
{
	again(state);
	live_expect(
		"errors --interval 10s", 0,
		"NODE  PORT PEER  PEER PORT COUNT WAIT TICKS/s ERRORS\n"
		"leaf1    3 leaf2         3    20            0 symbol_errors +20 (2/s), rcv_errors "
		"stopped at 65535\n"
		"host2    1 leaf1         2     4            0 symbol_errors 4 since it was reset\n"
		"leaf2    3 leaf1         3     1            0 link_downed +1 (0.1/s)\n",
		"");
	again(state);
	live_expect("errors --interval 10s --tsv --top 2 -o node,port,error_count,errors", 0,
		    "node\tport\terror_count\terrors\n"
		    "leaf1\t3\t20\tsymbol_errors +20 (2/s), rcv_errors stopped at 65535\n"
		    "host2\t1\t4\tsymbol_errors 4 since it was reset\n",
		    "");
	again(state);
	live_expect(
		"errors --interval 10s --threshold 5 --json -o "
		"node,port,error_count,saturated,errors",
		0,
		"{\"schema\": \"rdmactl/fabric_error_growth/1\",\n"
		" \"fabric_error_growth\": [\n"
		"  {\"node\": \"leaf1\", \"port\": 3, \"error_count\": 20, \"saturated\": "
		"[\"rcv_errors\"], \"errors\": \"symbol_errors +20 (2/s), rcv_errors stopped at "
		"65535\"}],\n"
		" \"problems\": []}\n",
		"");
	again(state);
	live_expect(
		"check --interval 10s", 4,
		"warning  error counters of the port grow [errors]\n"
		"         leaf1 port 3: symbol_errors +20 (2/s), rcv_errors stopped at 65535, in "
		"10 "
		"s\n"
		"         host2 port 1: symbol_errors 4 since it was reset, in 10 s\n"
		"         leaf2 port 3: link_downed +1 (0.1/s), in 10 s\n"
		"         -> reseat or replace the cable; rdmactl perf LID PORT --errors shows the "
		"counters\n",
		"");
	again(state);
	live_expect("check --interval 10s --threshold 21 --tsv", 0,
		    "severity\tfinding\tnode\tport\tpeer\tpeer_port\tevidence\n"
		    "notice\tcounter-saturated\tleaf1\t3\tleaf2\t3\tsymbol_errors +20 (2/s), "
		    "rcv_errors "
		    "stopped at 65535, in 10 s\n",
		    "");
}

static void since(void **state)
{
	_cleanup_(freep) char *line = NULL, *check = NULL, *bad = NULL;
	char *text, *said, path[32], other[32];
	int file, empty;

	(void)state;
	assert_int_equal(live_run("errors --save -", &text, &said), 0);
	assert_string_equal(said, "");
	file = live_file(text, path);
	empty = live_file("{}", other);
	free(text);
	free(said);
	grow();
	line = mem_format("errors --since %s --tsv", path);
	check = mem_format("check --since %s", path);
	bad = mem_format("errors --since %s", other);
	live_expect(line, 0,
		    "node\tport\tpeer\tpeer_port\terror_count\txmit_wait_ticks_per_sec\terrors\n"
		    "leaf1\t3\tleaf2\t3\t20\t\tsymbol_errors +20, rcv_errors stopped at 65535\n"
		    "host2\t1\tleaf1\t2\t4\t\tsymbol_errors 4 since it was reset\n"
		    "leaf2\t3\tleaf1\t3\t1\t\tlink_downed +1\n",
		    "");
	live_expect(
		check, 4,
		"warning  error counters of the port grow [errors]\n"
		"         leaf1 port 3: symbol_errors +20, rcv_errors stopped at 65535\n"
		"         host2 port 1: symbol_errors 4 since it was reset\n"
		"         leaf2 port 3: link_downed +1\n"
		"         -> reseat or replace the cable; rdmactl perf LID PORT --errors shows the "
		"counters\n",
		"");
	live_expect(bad, 1, "",
		    "rdmactl fabric: cannot use /proc/self/fd/41: its format is not that of "
		    "rdmactl fabric errors --save\n"
		    "  rdmactl fabric errors --save FILE writes one\n");
	live.fabric.nodes[HOST2].guid++;
	node_info_set_node_guid(live.fabric.nodes[HOST2].info, 0x444);
	live_expect(
		line, 3,
		"node\tport\tpeer\tpeer_port\terror_count\txmit_wait_ticks_per_sec\terrors\n"
		"leaf1\t3\tleaf2\t3\t20\t\tsymbol_errors +20, rcv_errors stopped at 65535\n"
		"leaf2\t3\tleaf1\t3\t1\t\tlink_downed +1\n"
		"host2\t1\tleaf1\t2\t0\t\tsymbol_errors 4, not read before\n",
		"rdmactl fabric: the file has 1 port of nodes that are gone, or whose GUID is not "
		"unique\n"
		"  rdmactl fabric scan --diff shows what is gone\n");
	close(file);
	close(empty);
}

static void file_of_counters(void **state)
{
	static const char start[] = " \"schema\": \"rdmactl/saved_port_counters/1\",\n"
				    " \"saved_port_counters\": [\n"
				    "  {\"node_guid\": 1024, \"port\": 1, \"cap_mask\": 4864, "
				    "\"cap_mask2\": 0, \"port_counters\": \"00010000012c0000";
	char *text, *said;
	const char *records;

	(void)state;
	assert_int_equal(live_run("errors --save - --name host2", &text, &said), 0);
	assert_string_equal(said, "");
	/* The lines before it depend on the machine's boot. */
	records = strstr(text, " \"schema\"");
	assert_non_null(records);
	assert_memory_equal(records, start, sizeof(start) - 1);
	/* One port. */
	assert_ptr_equal(strstr(text, "node_guid"), strrchr(text, '{') + 2);
	free(text);
	free(said);
}

/* The attribute, and PortSelect and CounterSelect before the counters: 16.1.3.5. */
static const char cleared_log[] = "0x12 LID 2: 00010fff00000000\n"
				  "0x12 LID 2: 00020fff00000000\n"
				  "0x12 LID 2: 00030fff00000000\n"
				  "0x12 LID 2: 00040fff00000000\n"
				  "0x12 LID 1: 0001f00000000000\n"
				  "0x1d LID 1: 000100ff00000000\n"
				  "0x12 LID 4: 0001f00000000000\n"
				  "0x1d LID 4: 000100ff00000000\n"
				  "0x12 LID 5: 0001f00000000000\n"
				  "0x1d LID 5: 000100ff00000000\n"
				  "0x12 LID 6: 0001f00000000000\n"
				  "0x1d LID 6: 000100ff00000000\n"
				  "0x12 LID 4: 0001ffff00000000\n"
				  "0x1d LID 4: 000100ff00000000\n"
				  "0x12 LID 5: 0001ffff00000000\n"
				  "0x1d LID 5: 000100ff00000000\n"
				  "0x15 LID 5: 0001003f00000000\n"
				  "0x16 LID 5: 0001000f00000000\n";

/* The files are in a separate directory. */
static void cleared(void **state)
{
	char folder[] = "/tmp/rdmactl-live-XXXXXX";
	int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_true(before >= 0);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	live_expect("errors --clear errors", 2,
		    "NODE  PORT PEER  PEER PORT COUNT XMIT WAIT TICKS ERRORS\n"
		    "leaf1    3 leaf2         3 65547               0 rcv_errors >=65535, "
		    "symbol_errors "
		    "12\n"
		    "host2    1 leaf1         2   300               0 symbol_errors 300\n"
		    "leaf2    1 host3         1     5               0 xmit_discards 5\n"
		    "leaf2    3 leaf1         3     5               0 link_downed 5\n",
		    "rdmactl fabric: nothing was cleared: there is no terminal to confirm it on\n"
		    "  --yes clears them without asking\n");
	live_expect("errors --clear errors --yes --name leaf1 -o node,port", 0,
		    "NODE  PORT\n"
		    "leaf1    3\n",
		    "rdmactl fabric: cleared the error counters of 4 ports, for every reader; the "
		    "values "
		    "before are in fabric-errors-1970-01-01T00:00:01.000Z.json\n");
	live_expect(
		"errors --clear traffic --yes --name host* --save a -o node,port", 0,
		"NODE  PORT\n"
		"host2    1\n",
		"rdmactl fabric: cleared the traffic counters of 4 ports, for every reader; the "
		"values before are in a\n");
	live_expect("errors --clear all --yes --name host2 --save a -o node,port", 0,
		    "NODE  PORT\n"
		    "host2    1\n",
		    "rdmactl fabric: cleared all counters of 1 port, for every reader; the values "
		    "before "
		    "are in a\n");
	live_expect("errors --clear all --yes --details --name host3 --save a -q -o node,port", 0,
		    "", "");
	assert_string_equal(live.log, cleared_log);
	live.log[0] = '\0';
	live_add_fault((struct live_fault){.node = HOST2,
					   .mgmt_class = UMAD_CLASS_PERF_MGMT,
					   .attribute = MAD_PM_COUNTERS_EXTENDED,
					   .status = 0x1c});
	live_expect(
		"errors --clear all --yes --name host2 --save a -o node,port", 3,
		"NODE  PORT\n"
		"host2    1\n",
		"rdmactl fabric: host2/1: PortCountersExtended: refused with status 0x001c: "
		"invalid-value\n"
		"rdmactl fabric: host2/1: not cleared: PortCountersExtended: refused with status "
		"0x001c: invalid-value\n");
	live_expect_error("errors --clear all --yes --name host4 --save no/such/file -o node,port",
			  1, "", "rdmactl fabric: cannot write no/such/file: ", ENOENT,
			  LIVE_NO_FOLDER);
	live_add_fault((struct live_fault){
		.node = HOST2, .mgmt_class = UMAD_CLASS_PERF_MGMT, .attribute = MAD_PM_COUNTERS});
	live_expect("errors --clear all --yes --name host2 --save a -o node,port", 3, "",
		    "rdmactl fabric: host2/1: PortCounters: no answer, asked 4 times\n"
		    "  the node is down, or its performance management agent hangs: rdmactl perf "
		    "LID\n");
	unlink("a");
	assert_int_equal(unlink("fabric-errors-1970-01-01T00:00:01.000Z.json"), 0);
	/* Now no file can be written in the current directory. */
	assert_int_equal(rmdir(folder), 0);
	live.fake.sends = 0;
	live_expect_error("errors --clear all --yes", 1, "",
			  "rdmactl fabric: cannot write "
			  "fabric-errors-1970-01-01T00:00:01.000Z.json: ",
			  ENOENT, LIVE_NO_FOLDER);
	assert_int_equal(live.fake.sends, 0);
	assert_int_equal(fchdir(before), 0);
	close(before);
}

/* Values that turn out late to be unsaved are shown, but not cleared. */
static void unsaved(void **state)
{
	static const char rows[] = "node\tport\n"
				   "host2\t1\n";

	(void)state;
	live_expect_unsaved("errors --name host2 --tsv -o node,port", rows);
	live_expect_unsaved("errors --name host2 --tsv -o node,port --clear all --yes", rows);
	assert_string_equal(live.log, "");
	live_expect_unsaved("errors --name host2 --tsv -o node,port --interval 1s", "");
}

static unsigned int by_level[16]; /* number of requests for counters */

static int count_levels(struct fake *fake, int agent, const struct mad_address *to,
			const unsigned char *mad)
{
	if (mad_class(mad) == UMAD_CLASS_PERF_MGMT)
		by_level[to->sl]++;
	return live_answer(fake, agent, to, mad);
}

/* The counters of every port are requested on the service level of its path, or on 0. */
static void service_levels(void **state)
{
	(void)state;
	live.fake.on_send = count_levels;
	memset(by_level, 0, sizeof(by_level));
	live.path_sl = 3;
	live_expect("errors --sl-from-sa --tsv -o node,port", 0,
		    "node\tport\n"
		    "leaf1\t3\n"
		    "host2\t1\n"
		    "leaf2\t1\n"
		    "leaf2\t3\n",
		    "");
	assert_int_equal(by_level[0], 0);
	assert_true(by_level[3] > 0);
	/* With an LMC, the path may lead to another LID of the port. */
	live.path_lid = 16;
	live_expect("errors --sl-from-sa --tsv -o node,port --top 1", 0,
		    "node\tport\n"
		    "leaf1\t3\n",
		    "");
	assert_int_equal(by_level[0], 0);
	live.path_lid = 0;
	live_add_fault((struct live_fault){.node = HOST1, .mgmt_class = UMAD_CLASS_SUBN_ADM});
	live_expect(
		"errors --sl-from-sa --tsv -o node,port", 3,
		"node\tport\n"
		"leaf1\t3\n"
		"host2\t1\n"
		"leaf2\t1\n"
		"leaf2\t3\n",
		"rdmactl fabric: no path to 6 of 6 ports: the subnet administrator did not answer; "
		"service level 0 is used\n"
		"  rdmactl smp sminfo shows whether the subnet manager is alive\n");
	live.fault_count = 0;
	live_add_fault((struct live_fault){
		.node = HOST1, .mgmt_class = UMAD_CLASS_SUBN_ADM, .status = 0x300});
	live_expect("errors --sl-from-sa --tsv -o node,port", 3,
		    "node\tport\n"
		    "leaf1\t3\n"
		    "host2\t1\n"
		    "leaf2\t1\n"
		    "leaf2\t3\n",
		    "rdmactl fabric: no path to 6 of 6 ports: the subnet administrator knows none; "
		    "service level 0 is used\n");
	assert_true(by_level[0] > 0);
	live.sm_lid = 0;
	live_expect(
		"errors --sl-from-sa --tsv -o node,port", 3,
		"node\tport\n"
		"leaf1\t3\n"
		"host2\t1\n"
		"leaf2\t1\n"
		"leaf2\t3\n",
		"rdmactl fabric: no path to 6 of 6 ports: the port knows no subnet manager to ask; "
		"service level 0 is used\n"
		"  rdmactl smp sminfo shows whether the subnet manager is alive\n");
}

/* The nodes of a file are identified before their counters are read. */
static void loaded(void **state)
{
	_cleanup_(freep) char *line = NULL;
	char *text, *said, path[32];
	int file;

	(void)state;
	assert_int_equal(live_run("scan --save -", &text, &said), 0);
	file = live_file(text, path);
	free(text);
	free(said);
	line = mem_format("errors --load %s --tsv -o node,port,error_count", path);
	live_expect(line, 0,
		    "node\tport\terror_count\n"
		    "leaf1\t3\t65547\n"
		    "host2\t1\t300\n"
		    "leaf2\t1\t5\n"
		    "leaf2\t3\t5\n",
		    "");
	live_add_fault((struct live_fault){
		.node = HOST3, .attribute = UMAD_SM_ATTR_NODE_INFO, .status = 0x1c});
	live_expect(line, 3,
		    "node\tport\terror_count\n"
		    "leaf1\t3\t65547\n"
		    "host2\t1\t300\n"
		    "leaf2\t1\t5\n"
		    "leaf2\t3\t5\n",
		    "rdmactl fabric: host3: refused with status 0x001c: invalid-value\n");
	node_info_set_node_guid(live.fabric.nodes[HOST2].info, 0x444);
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_NODE_INFO});
	live_expect(line, 3,
		    "node\tport\terror_count\n"
		    "leaf1\t3\t65547\n",
		    "rdmactl fabric: host2: the scan is out of date: LID 4 belongs to node "
		    "0000:0000:0000:0444 now\n"
		    "  rdmactl fabric scan --save FILE saves a new scan\n"
		    "rdmactl fabric: leaf2: no answer, asked 4 times\n"
		    "  without --load, rdmactl fabric errors scans by directed routes\n"
		    "rdmactl fabric: host3: refused with status 0x001c: invalid-value\n");
	live.stop_after = 3;
	live_expect(line, 3, "node\tport\terror_count\n",
		    "rdmactl fabric: interrupted before all nodes were identified\n"
		    "rdmactl fabric: host2: the scan is out of date: LID 4 belongs to node "
		    "0000:0000:0000:0444 now\n"
		    "  rdmactl fabric scan --save FILE saves a new scan\n");
	close(file);
}

static void interrupted(void **state)
{
	(void)state;
	live.stop_after = 45;
	live_expect("errors --tsv -o node,port", 3,
		    "node\tport\n"
		    "leaf1\t3\n"
		    "host2\t1\n"
		    "leaf2\t1\n",
		    "rdmactl fabric: interrupted: not all counters were read\n");
	live_expect("errors --interval 1s", 3, "",
		    "rdmactl fabric: interrupted: not all counters were read\n"
		    "rdmactl fabric: interrupted before the second reading\n");
	live_expect("errors --clear all --yes --save -", 3, "",
		    "rdmactl fabric: interrupted: not all counters were read\n");
	live.stop_after = 34;
	live_expect("check --tsv -o finding,evidence", 3,
		    "finding\tevidence\n"
		    "not-checked\tcredit-loop: not all routes were followed: interrupted\n",
		    "rdmactl fabric: interrupted: not all counters were read\n"
		    "rdmactl fabric: interrupted: not all routes were searched for credit loops\n");
	/* It is unknown whether something is wrong. */
	memset(live.counters, 0, sizeof(live.counters));
	live_expect("check", 3,
		    "info     something could not be checked [not-checked]\n"
		    "         credit-loop: not all routes were followed: interrupted\n"
		    "         -> remove the cause given in the evidence, then check again\n",
		    "rdmactl fabric: interrupted: not all counters were read\n"
		    "rdmactl fabric: interrupted: not all routes were searched for credit loops\n");
}

/* Only the search looks for a signal, before each LID of a host and after the last one. */
static void interrupted_search(void **state)
{
	enum { LOOKS = 4 + 1 };

	(void)state;
	memset(live.counters, 0, sizeof(live.counters));
	for (live.stop_at_look = 1; live.stop_at_look <= LOOKS; live.stop_at_look++)
		live_expect(
			"check", 3,
			"info     something could not be checked [not-checked]\n"
			"         credit-loop: not all routes were followed: interrupted\n"
			"         -> remove the cause given in the evidence, then check again\n",
			"rdmactl fabric: interrupted: not all routes were searched for credit "
			"loops\n");
	live_expect("check", 0, "nothing wrong\n", "");
}

/* ---- Checks ---- */

static void healthy(void **state)
{
	(void)state;
	memset(live.counters, 0, sizeof(live.counters));
	live_expect("check", 0, "nothing wrong\n", "");
	live_expect("check -v", 0, "nothing wrong\n",
		    "rdmactl fabric: through port mlx5_0/1, LID 1\n"
		    "rdmactl fabric: 6 nodes, 29 requests, 0 retries, 0 ms\n"
		    "rdmactl fabric: only counters that have stopped at their maximum are checked\n"
		    "  --interval TIME or --since FILE shows which errors grow\n");
	live_expect("check --tsv", 0, "severity\tfinding\tnode\tport\tpeer\tpeer_port\tevidence\n",
		    "");
	live_expect("check --json", 0,
		    "{\"schema\": \"rdmactl/fabric_check/1\",\n"
		    " \"fabric_check\": [],\n"
		    " \"problems\": []}\n",
		    "");
	count(LEAF1, 3, SYMBOL_ERRORS, 16, 65535);
	count(LEAF1, 4, SYMBOL_ERRORS, 16, 65534);
	live_expect(
		"check --fail-on notice", 4,
		"notice   error counters of the port have stopped at their maximum "
		"[counter-saturated]\n"
		"         leaf1 port 3: symbol_errors >=65535\n"
		"         -> reset them so that they count again: rdmactl perf LID PORT --reset\n",
		"");
	live_expect(
		"check", 0,
		"notice   error counters of the port have stopped at their maximum "
		"[counter-saturated]\n"
		"         leaf1 port 3: symbol_errors >=65535\n"
		"         -> reset them so that they count again: rdmactl perf LID PORT --reset\n",
		"");
}

static void unmanaged(void **state)
{
	(void)state;
	live.manager_state = 2;
	live_expect(
		"check --tsv", 4,
		"severity\tfinding\tnode\tport\tpeer\tpeer_port\tevidence\n"
		"error\tno-sm\thost1\t1\tleaf1\t1\tthe subnet manager at LID 1 is in state "
		"standby\n"
		"notice\tcounter-saturated\tleaf1\t3\tleaf2\t3\trcv_errors >=65535, symbol_errors "
		"12\n",
		"");
	live_add_fault((struct live_fault){.node = HOST1, .attribute = UMAD_SM_ATTR_SM_INFO});
	live_expect(
		"check", 4,
		"error    the subnet has no master subnet manager that answers [no-sm]\n"
		"         host1 port 1: SMInfo (LID 1): no answer, asked 4 times\n"
		"         -> the port still reports a subnet manager: restart it there, for "
		"example opensm\n"
		"notice   error counters of the port have stopped at their maximum "
		"[counter-saturated]\n"
		"         leaf1 port 3: rcv_errors >=65535, symbol_errors 12\n"
		"         -> reset them so that they count again: rdmactl perf LID PORT --reset\n",
		"");
	for (uint32_t i = 0; i < live.fabric.port_count; i++)
		port_info_set_sm_lid(live.fabric.ports[i].info, 0);
	port_info_set_cap_mask(live.fabric.ports[fabric_port_at(&live.fabric, HOST1, 1)].info, 0);
	live_expect("check --tsv -o finding,node,port,evidence", 0,
		    "finding\tnode\tport\tevidence\n"
		    "counter-saturated\tleaf1\t3\trcv_errors >=65535, symbol_errors 12\n",
		    "");
}

static void misrouted(void **state)
{
	(void)state;
	live.linear[LEAF2][5] = MAD_LINEAR_NOWHERE;
	live_expect(
		"check", 4,
		"error    a switch forwards packets to a LID to a dead end [lft-hole]\n"
		"         leaf2: LID 5 of host3/1 goes nowhere\n"
		"         -> make the subnet manager recompute its routes: send SIGHUP to opensm; "
		"if that does not "
		"help, restart it, which writes all tables again\n"
		"notice   error counters of the port have stopped at their maximum "
		"[counter-saturated]\n"
		"         leaf1 port 3: rcv_errors >=65535, symbol_errors 12\n"
		"         -> reset them so that they count again: rdmactl perf LID PORT --reset\n",
		"");
	live.linear[LEAF2][5] = 3;
	live_expect(
		"check", 4,
		"error    switches forward packets to a LID in a loop [lft-loop]\n"
		"         leaf1 port 4: LID 5 of host3/1 goes to port 4 and is back here after 2 "
		"hops\n"
		"         -> make the subnet manager recompute its routes: send SIGHUP to opensm; "
		"if that does not "
		"help, restart it, which writes all tables again\n"
		"notice   error counters of the port have stopped at their maximum "
		"[counter-saturated]\n"
		"         leaf1 port 3: rcv_errors >=65535, symbol_errors 12\n"
		"         -> reset them so that they count again: rdmactl perf LID PORT --reset\n",
		"");
	live_add_fault((struct live_fault){.node = LEAF2, .attribute = UMAD_SM_ATTR_LINEAR_FT});
	live_expect(
		"check", 4,
		"error    a node did not answer a query of the scan [unanswered]\n"
		"         leaf2 port 0: LinearForwardingTable: no answer, asked 4 times\n"
		"         -> check the node at the port: rdmactl smp nodeinfo -D PATH\n"
		"notice   error counters of the port have stopped at their maximum "
		"[counter-saturated]\n"
		"         leaf1 port 3: rcv_errors >=65535, symbol_errors 12\n"
		"         -> reset them so that they count again: rdmactl perf LID PORT --reset\n"
		"info     something could not be checked [not-checked]\n"
		"         credit-loop: not all loops can be found: it is unknown where some "
		"packets "
		"go from leaf2\n"
		"         -> remove the cause given in the evidence, then check again\n",
		"");
}

static void damaged(void **state)
{
	char path[32];
	_cleanup_(freep) char *line = NULL;
	int file = live_file("leaf2/2\nleaf1/4 # slow\n\n#\nleaf1/9\nnode\n", path);
	uint8_t *info = live.fabric.ports[fabric_port_at(&live.fabric, LEAF1, 4)].info;

	(void)state;
	memset(live.counters, 0, sizeof(live.counters));
	live_add_fault((struct live_fault){.node = HOST4});
	port_info_set_state(info, 2);
	port_info_set_speed_active(info, 1);
	port_info_set_neighbor_mtu(info, 3);
	live_expect(
		"check", 4,
		"error    a node did not answer a query of the scan [unanswered]\n"
		"         leaf2 port 2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times; route 0,1,3,2\n"
		"         -> check the node at the port: rdmactl smp nodeinfo -D PATH\n"
		"warning  the link is up, but the subnet manager has not configured it "
		"[port-init]\n"
		"         leaf1 port 4: the link is up; its state is init here and active at the "
		"other end\n"
		"         -> look for the port in the subnet manager's log; SIGHUP makes opensm "
		"sweep again\n"
		"warning  the link is narrower or slower than both ends support [link-below-best]\n"
		"         leaf1 port 4: the link runs at 4x SDR; both ends support 4x QDR\n"
		"         -> see what is enabled: rdmactl smp portinfo; enable what is missing: "
		"rdmactl ports set; if nothing is, reseat or replace the cable\n"
		"warning  the ends of a link run at different widths or speeds [rate-mismatch]\n"
		"         leaf1 port 4: 4x SDR here, 4x QDR at the other end\n"
		"         -> scan again; if the finding stays, reseat or replace the cable\n"
		"info     something could not be checked [not-checked]\n"
		"         credit-loop: not all loops can be found: a part of the subnet is "
		"unknown\n"
		"         -> remove the cause given in the evidence, then check again\n",
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n");
	line = mem_format("check --expected-down %s --tsv -o finding,node,port,evidence", path);
	live_expect(
		line, 4,
		"finding\tnode\tport\tevidence\n"
		"link-below-best\tleaf1\t4\tthe link runs at 4x SDR; both ends support 4x QDR\n"
		"rate-mismatch\tleaf1\t4\t4x SDR here, 4x QDR at the other end\n"
		"not-checked\t\t\tcredit-loop: not all loops can be found: a part of the subnet "
		"is unknown\n",
		"rdmactl fabric: leaf2/2: the node at its other end: NodeInfo: no answer, asked 4 "
		"times\n"
		"  the node is down, its agent hangs, or it needs its M_Key (--mkey)\n"
		"rdmactl fabric: expected-down, line 5: the node has no port 9\n"
		"  each line is a NODE/PORT: rdmactl fabric ports --down --tsv "
		"--no-headings -o node,port | tr '\\t' /\n"
		"rdmactl fabric: expected-down, line 6: the line is not NODE/PORT\n");
	close(file);
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, begin, live_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shown),	TEST(none),	   TEST(filtered),
		TEST(detailed), TEST(thresholds),  TEST(unread),
		TEST(growing),	TEST(since),	   TEST(file_of_counters),
		TEST(cleared),	TEST(unsaved),	   TEST(service_levels),
		TEST(loaded),	TEST(interrupted), TEST(interrupted_search),
		TEST(healthy),	TEST(unmanaged),   TEST(misrouted),
		TEST(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
