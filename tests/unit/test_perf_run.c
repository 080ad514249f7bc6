/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl perf over made-up nodes: which ports are read, what is cleared (the first 24 bytes of
 * each Set, by 16.1.3.5 and 16.1.4.11), rates, sampling, and all messages.
 */
#include "made_up_nodes.h"

#include "cmd/commands.h"
#include "mad/format/pm_counters.h"
#include "places.h"

/*
 * The subnet by LID: 2 this port, of an adapter; 5 a switch of 3 ports with an enhanced port 0,
 * whose agent has everything; 6 one with a base port 0 and narrow counters; 7 has no agent; 8 does
 * not answer, but its agent does; 9 an adapter of 2 ports; 10 refuses counters.
 */
static struct {
	unsigned int reads;   /* of each port's counters, which grow with it */
	int refused;	      /* status of a Set */
	int refused_extended; /* same for PortCountersExtended */
	bool dead_set, dies;
	unsigned int lost;	   /* readings of PortCountersExtended without an answer */
	unsigned char control[64]; /* PortSamplesControl */
	unsigned int busy;	   /* polls until the interval is over */
	bool other, zero, deaf;
	unsigned int slow_sec; /* duration of each reading */
	/* A signal comes with the first request for this attribute. */
	unsigned int stops_class, stops;
} agents;

/* PortCounters, 16.1.3.5 */
static void put_counters(unsigned int lid, unsigned int port, unsigned char *data)
{
	memset(data, 0, 192);
	data[1] = (unsigned char)port;
	put_16(data, 4, port + agents.reads);	       /* SymbolErrorCounter */
	data[6] = 2;				       /* LinkErrorRecoveryCounter */
	data[7] = 3;				       /* LinkDownedCounter */
	put_16(data, 8, 4);			       /* PortRcvErrors */
	put_16(data, 10, 5);			       /* PortRcvRemotePhysicalErrors */
	put_16(data, 12, 6);			       /* PortRcvSwitchRelayErrors */
	put_16(data, 14, lid == OUR_LID ? 7 : 0xffff); /* PortXmitDiscards */
	data[16] = 8;				       /* PortXmitConstraintErrors */
	data[17] = 9;				       /* PortRcvConstraintErrors */
	data[19] = 0xab;		     /* LocalLinkIntegrityErrors, ExcessiveBufferOverrun */
	put_16(data, 20, 12);		     /* QP1Dropped */
	put_16(data, 22, 13 + agents.reads); /* VL15Dropped */
	bits_set(data, 24 * 8, 32, 1000000000 * (1 + agents.reads)); /* PortXmitData */
	put_16(data, 30, 200);					     /* PortRcvData */
	put_16(data, 34, 300);					     /* PortXmitPkts */
	put_16(data, 38, 400);					     /* PortRcvPkts */
	put_16(data, 42, 500 + agents.reads);			     /* PortXmitWait */
}

/* PortCountersExtended, 16.1.4.11: 64 bits each. */
static void put_extended(unsigned int port, unsigned char *data)
{
	memset(data, 0, 192);
	data[1] = (unsigned char)port;
	for (size_t i = 0; i < 8; i++)
		put_64(data, 8 + 8 * i, 0x100000000 * (i + 1) + port + agents.reads * 1000);
}

static void put_class(unsigned int lid, unsigned char *data)
{
	memset(data, 0, 72);
	data[0] = data[1] = 1;
	put_16(data, 2,
	       lid == 5 ? PERF_CAP_ALL_PORT_SELECT | PERF_CAP_EXTENDED_WIDTH | PERF_CAP_XMIT_WAIT |
				  PERF_CAP_QP1_DROPPED
	       : lid == 9	? PERF_CAP_EXTENDED_WIDTH_NOIETF | PERF_CAP_RSFEC
	       : lid == 8	? PERF_CAP_ALL_PORT_SELECT
	       : lid == OUR_LID ? PERF_CAP_XMIT_WAIT
				: 0);
}

/* Other attributes: each 16-bit counter has its offset as value. */
static void put_numbers(unsigned char *data)
{
	data[0] = 0x64;
	for (size_t at = 4; at < 192; at += 2)
		put_16(data, at, at == 4 || at == 10 ? at : 0);
}

static int set_counters(const struct asked *asked)
{
	nodes_add_data(asked, 24);
	if (asked->attribute == MAD_PM_COUNTERS_EXTENDED && agents.refused_extended)
		return agents.refused_extended;
	return agents.dead_set ? NODES_SILENT : agents.refused;
}

/* PortSamplesControl and PortSamplesResult, 16.1.3.2 and 16.1.3.4 */
static int sample(const struct asked *asked, unsigned char *data)
{
	if (asked->attribute == MAD_PM_SAMPLES_CONTROL) {
		if (asked->method == UMAD_METHOD_SET && !agents.deaf)
			memcpy(agents.control, asked->data, sizeof(agents.control));
		if (asked->method == UMAD_METHOD_SET && agents.other)
			agents.control[37] ^= 1;
		memcpy(data, agents.control, sizeof(agents.control));
		return asked->method == UMAD_METHOD_SET ? agents.refused : 0;
	}
	memset(data, 0, 64);
	memcpy(data, agents.control + 36, 2);
	data[3] = agents.busy && agents.busy-- ? 2 : 0;
	for (size_t i = 0; i < 15; i++)
		data[7 + 4 * i] = (unsigned char)(11 * (i + 1));
	return 0;
}

static int answer_agent(const struct asked *asked, unsigned char *data)
{
	const unsigned int port = asked->data[1];

	if (asked->lid == 7)
		return NODES_SILENT;
	if (asked->attribute == UMAD_ATTR_CLASS_PORT_INFO) {
		put_class(asked->lid, data);
		return 0;
	}
	if (asked->lid == 10 || (agents.dies && agents.reads))
		return asked->lid == 10 ? 0x0c : NODES_SILENT;
	if (asked->attribute == MAD_PM_SAMPLES_CONTROL || asked->attribute == MAD_PM_SAMPLES_RESULT)
		return sample(asked, data);
	if (asked->method == UMAD_METHOD_SET)
		return set_counters(asked);
	if (asked->attribute == MAD_PM_COUNTERS) {
		put_counters(asked->lid, port, data);
		agents.reads += asked->lid == 2;
		fake_clock_nsec += agents.slow_sec * UINT64_C(1000000000);
	} else if (asked->attribute == MAD_PM_COUNTERS_EXTENDED && agents.lost) {
		agents.lost--;
		return NODES_SILENT;
	} else if (asked->attribute == MAD_PM_COUNTERS_EXTENDED) {
		put_extended(port, data);
	} else if (asked->lid == 9 || asked->attribute == MAD_PM_XMIT_DATA_SL) {
		put_numbers(data);
	} else {
		return 0x0c;
	}
	return 0;
}

static int answer(const struct asked *asked, unsigned char *data)
{
	const bool is_switch = asked->lid == 5 || asked->lid == 6;

	nodes.stopped |= asked->mgmt_class == agents.stops_class &&
			 asked->attribute == agents.stops;
	if (asked->mgmt_class == UMAD_CLASS_PERF_MGMT)
		return answer_agent(asked, data);
	/* The path to a GID of another subnet: its last byte is the router's LID. */
	if (asked->attribute == UMAD_SA_ATTR_PATH_REC) {
		put_16(data, 40, asked->data[23]);
		data[47] = 64;
		return 0;
	}
	if (asked->lid == 8)
		return NODES_SILENT;
	switch (asked->attribute) {
	case UMAD_SM_ATTR_NODE_INFO:
		put_node_info(data, is_switch ? 2 : 1, is_switch ? 3 : 2, asked->lid, 1);
		return 0;
	case UMAD_SM_ATTR_NODE_DESC:
		memset(data, 0, 64);
		snprintf((char *)data, 64, "node %u", asked->lid);
		return 0;
	case UMAD_SM_ATTR_SWITCH_INFO:
		memset(data, 0, 64);
		data[16] = asked->lid == 5 ? 0x08 : 0;
		return 0;
	case UMAD_SM_ATTR_PORT_INFO:
		memset(data, 0, 64);
		data[22] = 0x80;			 /* IsCapabilityMask2Supported is bit 15 */
		data[31] = asked->modifier == 1 ? 2 : 1; /* 4 lanes, or 1 */
		put_16(data, 60, 2);			 /* IsPortInfoExtendedSupported */
		return 0;
	case UMAD_SM_ATTR_PORT_INFO_EXT:
		memset(data, 0, 64);
		data[3] = 1;
		put_16(data, 4, asked->modifier == 1 ? 2 : 1); /* RS-FEC, or FC-FEC */
		return 0;
	default:
		return 0x0c;
	}
}

static void begin(void)
{
	memset(&agents, 0, sizeof(agents));
	/* Two counters, at 1000 ticks, requested by somebody else as 0x7777. */
	agents.control[2] = 5;
	put_16(agents.control, 34, 1000);
	put_16(agents.control, 36, 0x7777);
	put_16(agents.control, 38, 1);
	put_16(agents.control, 44, 5);
	nodes_begin(answer);
}

static void expect(const struct command_row *row)
{
	nodes_expect(&perf_command, row);
}

static void expect_all(const struct command_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin();
		expect(&rows[i]);
	}
}

/* Which ports are read, and the columns of each listing. */
static const struct command_row readings_rows[] = {
	{"perf --tsv -o all", STATUS_DONE,
	 "object\tnode\tobject_lid\tport\tsymbol_errors\tlink_error_recoveries"
	 "\tlink_downed\trcv_errors\trcv_remote_physical_errors"
	 "\trcv_switch_relay_errors\txmit_discards\txmit_constraint_errors"
	 "\trcv_constraint_errors\tlocal_link_integrity_errors"
	 "\texcessive_buffer_overruns\tqp1_dropped\tvl15_dropped\twidth_bits"
	 "\txmit_data_bytes\trcv_data_bytes\txmit_packets\trcv_packets"
	 "\tunicast_xmit_packets\tunicast_rcv_packets\tmulticast_xmit_packets"
	 "\tmulticast_rcv_packets\txmit_wait_ticks\tsaturated\tsummed_ports\tsummed_by\n"
	 "2\tnode 2\t2\t1\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10\t11\t\t13\t32\t4000000000"
	 "\t800\t300\t400\t\t\t\t\t500\t\t\t\n",
	 "",
	 "2 get NodeInfo 0x0\n"
	 "2 get ClassPortInfo 0x0\n"
	 "2 get NodeDescription 0x0\n"
	 "2 get PortCounters 0x0\n"},
	{"perf 0 1 --tsv -o object,port", STATUS_DONE, "object\tport\n2\t1\n", "",
	 "2 get NodeInfo 0x0\n"
	 "2 get ClassPortInfo 0x0\n"
	 "2 get PortCounters 0x0\n"},
	{"perf 9,0 1 --tsv -o object,port", STATUS_DONE, "object\tport\n9\t1\n2\t1\n", "",
	 "9 get NodeInfo 0x0\n"
	 "2 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "2 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "2 get PortCounters 0x0\n"},
	{"perf 9 2 --tsv -o all", STATUS_DONE,
	 "object\tnode\tobject_lid\tport\tsymbol_errors\tlink_error_recoveries"
	 "\tlink_downed\trcv_errors\trcv_remote_physical_errors"
	 "\trcv_switch_relay_errors\txmit_discards\txmit_constraint_errors"
	 "\trcv_constraint_errors\tlocal_link_integrity_errors"
	 "\texcessive_buffer_overruns\tqp1_dropped\tvl15_dropped\twidth_bits"
	 "\txmit_data_bytes\trcv_data_bytes\txmit_packets\trcv_packets"
	 "\tunicast_xmit_packets\tunicast_rcv_packets\tmulticast_xmit_packets"
	 "\tmulticast_rcv_packets\txmit_wait_ticks\tsaturated\tsummed_ports\tsummed_by\n"
	 "9\tnode 9\t9\t2\t2\t2\t3\t4\t5\t6\t65535\t8\t9\t10\t11\t\t13\t64"
	 "\t17179869192\t34359738376\t12884901890\t17179869186\t\t\t\t\t"
	 "\txmit_discards\t\t\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get NodeDescription 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 5 --tsv -o object,node,port,width_bits,symbol_errors,xmit_data_by"
	 "tes,xmit_wait_ticks",
	 STATUS_DONE,
	 "object\tnode\tport\twidth_bits\tsymbol_errors\txmit_data_bytes"
	 "\txmit_wait_ticks\n"
	 "5\tnode 5\t0\t64\t0\t17179869184\t500\n"
	 "5\tnode 5\t1\t64\t1\t17179869188\t500\n"
	 "5\tnode 5\t2\t64\t2\t17179869192\t500\n"
	 "5\tnode 5\t3\t64\t3\t17179869196\t500\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get NodeDescription 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"},
	{"perf 6 --tsv -o port,width_bits,xmit_data_bytes,xmit_wait_ticks,qp1_dropped", STATUS_DONE,
	 "port\twidth_bits\txmit_data_bytes\txmit_wait_ticks\tqp1_dropped\n"
	 "1\t32\t4000000000\t\t\n"
	 "2\t32\t4000000000\t\t\n"
	 "3\t32\t4000000000\t\t\n",
	 "",
	 "6 get NodeInfo 0x0\n"
	 "6 get ClassPortInfo 0x0\n"
	 "6 get SwitchInfo 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "6 get PortCounters 0x0\n"},
	{"perf 5 2-3 --sum --tsv -o all", STATUS_DONE,
	 "object\tnode\tobject_lid\tport\tsymbol_errors\tlink_error_recoveries"
	 "\tlink_downed\trcv_errors\trcv_remote_physical_errors"
	 "\trcv_switch_relay_errors\txmit_discards\txmit_constraint_errors"
	 "\trcv_constraint_errors\tlocal_link_integrity_errors"
	 "\texcessive_buffer_overruns\tqp1_dropped\tvl15_dropped\twidth_bits"
	 "\txmit_data_bytes\trcv_data_bytes\txmit_packets\trcv_packets"
	 "\tunicast_xmit_packets\tunicast_rcv_packets\tmulticast_xmit_packets"
	 "\tmulticast_rcv_packets\txmit_wait_ticks\tsaturated\tsummed_ports\tsummed_by\n"
	 "5\tnode 5\t5\t\t5\t4\t6\t8\t10\t12\t131070\t16\t18\t20\t22\t24\t26\t64"
	 "\t34359738388\t68719476756\t25769803781\t34359738373\t42949672965"
	 "\t51539607557\t60129542149\t68719476741\t1000\txmit_discards\t2\trdmactl\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get NodeDescription 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"},
	{"perf 5 --sum --tsv", STATUS_DONE,
	 "object\tsummed_ports\tsummed_by\tsymbol_errors\tlink_downed\trcv_errors"
	 "\txmit_discards\txmit_data_bytes\trcv_data_bytes\txmit_packets\trcv_packets"
	 "\txmit_wait_ticks\n"
	 "5\t3\tagent\t255\t3\t4\t65535\t17179870204\t34359739388\t12884902143"
	 "\t17179869439\t500\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"},
	{"perf 6,9 --sum --tsv", STATUS_DONE,
	 "object\tsummed_ports\tsummed_by\tsymbol_errors\tlink_downed\trcv_errors"
	 "\txmit_discards\txmit_data_bytes\trcv_data_bytes\txmit_packets\trcv_packets"
	 "\txmit_wait_ticks\n"
	 "6\t3\trdmactl\t6\t9\t12\t196605\t12000000000\t2400\t900\t1200\t\n"
	 "9\t2\trdmactl\t3\t6\t8\t131070\t34359738380\t68719476748\t25769803779"
	 "\t34359738371\t\n",
	 "",
	 "6 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "6 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "6 get SwitchInfo 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 9 --all-ports --tsv -o port,rcv_packets", STATUS_DONE,
	 "port\trcv_packets\n"
	 "1\t17179869185\n"
	 "2\t17179869186\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 9 --errors", STATUS_DONE,
	 "OBJECT PORT SYMBOL ERRORS RECOVERIES LINK DOWNED RCV ERRORS RCV REMOTE ERRORS "
	 "RELAY ERRORS XMIT DISCARDS XMIT CONSTRAINTS RCV CONSTRAINTS LINK INTEGRITY "
	 "BUFFER OVERRUNS QP1 DROPPED VL15 DROPPED\n"
	 "9         1             1          2           3          4                 5 "
	 "           6       >=65535                8               9             10    "
	 "          11           -           13\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 9 --traffic", STATUS_DONE,
	 "OBJECT PORT WIDTH  XMIT BYTES   RCV BYTES XMIT PACKETS RCV PACKETS UNICAST "
	 "XMIT UNICAST RCV MULTICAST XMIT MULTICAST RCV\n"
	 "9         1    64 17179869188 34359738372  12884901889 17179869185            "
	 "-           -              -             -\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 9 --errors --traffic --tsv", STATUS_DONE,
	 "object\tport\tsymbol_errors\tlink_error_recoveries\tlink_downed\trcv_errors"
	 "\trcv_remote_physical_errors\trcv_switch_relay_errors\txmit_discards"
	 "\txmit_constraint_errors\trcv_constraint_errors\tlocal_link_integrity_errors"
	 "\texcessive_buffer_overruns\tqp1_dropped\tvl15_dropped\twidth_bits"
	 "\txmit_data_bytes\trcv_data_bytes\txmit_packets\trcv_packets"
	 "\tunicast_xmit_packets\tunicast_rcv_packets\tmulticast_xmit_packets"
	 "\tmulticast_rcv_packets\n"
	 "9\t1\t1\t2\t3\t4\t5\t6\t65535\t8\t9\t10\t11\t\t13\t64\t17179869188"
	 "\t34359738372\t12884901889\t17179869185\t\t\t\t\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 9 --errors --sum --tsv", STATUS_DONE,
	 "object\tport\tsymbol_errors\tlink_error_recoveries\tlink_downed\trcv_errors"
	 "\trcv_remote_physical_errors\trcv_switch_relay_errors\txmit_discards"
	 "\txmit_constraint_errors\trcv_constraint_errors\tlocal_link_integrity_errors"
	 "\texcessive_buffer_overruns\tqp1_dropped\tvl15_dropped\n"
	 "9\t\t3\t4\t6\t8\t10\t12\t131070\t16\t18\t20\t22\t\t26\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 8 1 --tsv -o port,rcv_packets", STATUS_DONE,
	 "port\trcv_packets\n"
	 "1\t400\n",
	 "",
	 "8 get NodeInfo 0x0\n"
	 "8 get ClassPortInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get PortCounters 0x0\n"},
	{"perf 8 --sum --tsv", STATUS_DONE,
	 "object\tsummed_ports\tsummed_by\tsymbol_errors\tlink_downed\trcv_errors"
	 "\txmit_discards\txmit_data_bytes\trcv_data_bytes\txmit_packets\trcv_packets"
	 "\txmit_wait_ticks\n"
	 "8\t\tagent\t255\t3\t4\t65535\t4000000000\t800\t300\t400\t\n",
	 "",
	 "8 get NodeInfo 0x0\n"
	 "8 get ClassPortInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get PortCounters 0x0\n"},
	{"perf 9 --vl --tsv", STATUS_DONE,
	 "object\tport\tvl\txmit_wait_ticks\tflow_control_update_errors\top_packets"
	 "\top_data_bytes\n"
	 "9\t1\t0\t4\t0\t4\t1048576\n"
	 "9\t1\t1\t0\t0\t0\t40\n"
	 "9\t1\t3\t10\t0\t10\t0\n"
	 "9\t1\t6\t0\t1\t0\t0\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortVLXmitWaitCounters 0x0\n"
	 "9 get PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "9 get PortVLOpPackets 0x0\n"
	 "9 get PortVLOpData 0x0\n"},
	{"perf 9 --vl --all --tsv -o vl,xmit_wait_ticks,op_code", STATUS_DONE,
	 "vl\txmit_wait_ticks\top_code\n"
	 "0\t4\t0x64\n"
	 "1\t0\t0x64\n"
	 "2\t0\t0x64\n"
	 "3\t10\t0x64\n"
	 "4\t0\t0x64\n"
	 "5\t0\t0x64\n"
	 "6\t0\t0x64\n"
	 "7\t0\t0x64\n"
	 "8\t0\t0x64\n"
	 "9\t0\t0x64\n"
	 "10\t0\t0x64\n"
	 "11\t0\t0x64\n"
	 "12\t0\t0x64\n"
	 "13\t0\t0x64\n"
	 "14\t0\t0x64\n"
	 "15\t0\t0x64\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortVLXmitWaitCounters 0x0\n"
	 "9 get PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "9 get PortVLOpPackets 0x0\n"
	 "9 get PortVLOpData 0x0\n"},
	{"perf 9 1 --fec --tsv", STATUS_DONE,
	 "object\tport\tlane\tfec_active\tsync_header_errors\tunknown_blocks"
	 "\terror_detections\tcorrectable_blocks\tuncorrectable_blocks"
	 "\tcorrected_symbols\n"
	 "9\t1\t\trs\t0\t0\t\t0\t0\t0\n"
	 "9\t1\t0\trs\t\t\t\t\t\t0\n"
	 "9\t1\t1\trs\t\t\t\t\t\t0\n"
	 "9\t1\t2\trs\t\t\t\t\t\t0\n"
	 "9\t1\t3\trs\t\t\t\t\t\t0\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortInfo 0x1\n"
	 "9 get PortInfoExtended 0x1\n"
	 "9 get PortExtendedSpeedsCounters 0x0\n"},
	{"perf 9 2 --fec --tsv", STATUS_DONE,
	 "object\tport\tlane\tfec_active\tsync_header_errors\tunknown_blocks"
	 "\terror_detections\tcorrectable_blocks\tuncorrectable_blocks"
	 "\tcorrected_symbols\n"
	 "9\t2\t\tfirecode\t0\t0\t\t\t\t\n"
	 "9\t2\t0\tfirecode\t\t\t0\t0\t0\t\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortInfo 0x2\n"
	 "9 get PortInfoExtended 0x2\n"
	 "9 get PortExtendedSpeedsCounters 0x0\n"},
	{"perf 5,9 1 --fec --tsv -o object,lane,fec_active", STATUS_PARTIAL,
	 "object\tlane\tfec_active\n"
	 "9\t\trs\n"
	 "9\t0\trs\n"
	 "9\t1\trs\n"
	 "9\t2\trs\n"
	 "9\t3\trs\n",
	 "rdmactl perf: 5: cannot read PortExtendedSpeedsCounters: refused with status "
	 "0x000c: attribute-not-supported\n"
	 "  the node may not have it: rdmactl perf without options shows the counters that every "
	 "port has\n",
	 "5 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortInfo 0x1\n"
	 "9 get PortInfo 0x1\n"
	 "9 get PortInfoExtended 0x1\n"
	 "5 get PortExtendedSpeedsCounters 0x0\n"
	 "9 get PortExtendedSpeedsCounters 0x0\n"},
	{"perf 9 --congestion --tsv", STATUS_DONE,
	 "object\tport\tvl\tsl\txmit_wait_ticks\txmit_time_congested_ticks"
	 "\tcongestions\trcv_fecn_packets\trcv_becn_packets\n"
	 "9\t1\t\t\t\t262144\t\t262144\t10\n"
	 "9\t1\t0\t\t\t262144\t4\t\t\n"
	 "9\t1\t1\t\t\t10\t0\t\t\n"
	 "9\t1\t3\t\t\t0\t10\t\t\n"
	 "9\t1\t\t0\t\t\t\t262144\t262144\n"
	 "9\t1\t\t1\t\t\t\t10\t10\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 get SwPortVLCongestion 0x0\n"
	 "9 get PortRcvConCtrl 0x0\n"
	 "9 get PortSLRcvFECN 0x0\n"
	 "9 get PortSLRcvBECN 0x0\n"
	 "9 get PortXmitConCtrl 0x0\n"
	 "9 get PortVLXmitTimeCong 0x0\n"},
	{"perf 9 --by-sl --tsv", STATUS_DONE,
	 "object\tport\tsl\txmit_data_bytes\trcv_data_bytes\n"
	 "9\t1\t0\t1048576\t1048576\n"
	 "9\t1\t1\t40\t40\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortXmitDataSL 0x0\n"
	 "9 get PortRcvDataSL 0x0\n"},
	{"perf 5 1 --by-sl --tsv", STATUS_PARTIAL,
	 "object\tport\tsl\txmit_data_bytes\trcv_data_bytes\n"
	 "5\t1\t0\t1048576\t\n"
	 "5\t1\t1\t40\t\n",
	 "rdmactl perf: 5: cannot read PortRcvDataSL: refused with status 0x000c: "
	 "attribute-not-supported\n"
	 "  the node may not have it: rdmactl perf without options shows the counters that every "
	 "port has\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortXmitDataSL 0x0\n"
	 "5 get PortRcvDataSL 0x0\n"},
	{"perf 9 --details --tsv", STATUS_DONE,
	 "object\tport\tlocal_physical_errors\tmalformed_packet_errors"
	 "\tbuffer_overrun_errors\tdlid_mapping_errors\tvl_mapping_errors"
	 "\tlooping_errors\tinactive_discards\tneighbor_mtu_discards"
	 "\tswitch_lifetime_limit_discards\tswitch_hoq_lifetime_limit_discards\n"
	 "9\t1\t4\t0\t0\t10\t0\t0\t4\t0\t0\t10\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortRcvErrorDetails 0x0\n"
	 "9 get PortXmitDiscardDetails 0x0\n"},
	{"perf 9 --flow --tsv -o all", STATUS_DONE,
	 "object\tnode\tobject_lid\tport\txmit_flow_packets\trcv_flow_packets"
	 "\top_rcv_packets\top_rcv_data_bytes\top_code\tsaturated\n"
	 "9\tnode 9\t9\t1\t262144\t10\t262144\t40\t0x64\t\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get NodeDescription 0x0\n"
	 "9 get PortFlowCtlCounters 0x0\n"
	 "9 get PortOpRcvCounters 0x0\n"},
};

static void readings(void **state)
{
	(void)state;
	expect_all(readings_rows, ARRAY_SIZE(readings_rows));
}

static const struct command_row complaints_rows[] = {
	{"perf 0,1", STATUS_USAGE, "",
	 "rdmactl perf: performance management cannot be reached by directed route\n"
	 "  give a LID, a port GUID or a GID: rdmactl smp nodeinfo -D 0,1 shows the "
	 "GUID\n",
	 ""},
	{"perf -D 5", STATUS_USAGE, "",
	 "rdmactl perf: performance management cannot be reached by directed route\n"
	 "  give a LID, a port GUID or a GID: rdmactl smp nodeinfo -D 0,1 shows the "
	 "GUID\n",
	 ""},
	{"perf 9 x", STATUS_USAGE, "",
	 "rdmactl perf: 'x' is not a port or a range of ports\n"
	 "  ports: 1 2 5-8\n",
	 ""},
	{"perf 9 1-255", STATUS_USAGE, "",
	 "rdmactl perf: '1-255' is not a port or a range of ports\n"
	 "  ports: 1 2 5-8\n",
	 ""},
	{"perf 9 1 --all-ports", STATUS_USAGE, "",
	 "rdmactl perf: --all-ports cannot be used with ports by number\n", ""},
	{"perf 5 3-4 --tsv -o port", STATUS_PARTIAL,
	 "port\n"
	 "3\n",
	 "rdmactl perf: 5: cannot read ports: its last port is 3\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"},
	{"perf 9 3", STATUS_FAILED, "", "rdmactl perf: 9: cannot read ports: its last port is 2\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"},
	{"perf 7", STATUS_FAILED, "",
	 "rdmactl perf: 7: cannot read ClassPortInfo: no answer, asked 4 times\n"
	 "  no port has this LID, the node is down, or it has no agent of that class: rdmactl mad "
	 "classes DEST\n",
	 "7 get NodeInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"},
	{"perf 7,9 --tsv -o object,port", STATUS_PARTIAL,
	 "object\tport\n"
	 "9\t1\n",
	 "rdmactl perf: 7: cannot read ClassPortInfo: no answer, asked 4 times\n"
	 "  no port has this LID, the node is down, or it has no agent of that class: rdmactl mad "
	 "classes DEST\n",
	 "7 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 8", STATUS_FAILED, "",
	 "rdmactl perf: 8: cannot read NodeInfo: no answer, asked 4 times, so the ports "
	 "of the node are unknown\n"
	 "  give the ports: rdmactl perf DEST 1-36\n",
	 "8 get NodeInfo 0x0\n"
	 "8 get ClassPortInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"},
	{"perf 2001::8", STATUS_FAILED, "",
	 "rdmactl perf: 2001:0000:0000:0000:0000:0000:0000:0008: cannot read NodeInfo: it is in "
	 "another subnet, and SMPs do not cross routers, so the ports of the node are unknown\n"
	 "  give the ports: rdmactl perf DEST 1-36\n",
	 "1 get PathRecord 0x0\n"
	 "8 get ClassPortInfo 0x0\n"},
	{"perf 2001::8 1 --tsv -o object,object_lid,port,rcv_packets", STATUS_DONE,
	 "object\tobject_lid\tport\trcv_packets\n"
	 "2001:0000:0000:0000:0000:0000:0000:0008\t\t1\t400\n",
	 "",
	 "1 get PathRecord 0x0\n"
	 "8 get ClassPortInfo 0x0\n"
	 "8 get PortCounters 0x0\n"},
	{"perf 8 --all-ports", STATUS_FAILED, "",
	 "rdmactl perf: 8: cannot read NodeInfo: no answer, asked 4 times, so the ports "
	 "of the node are unknown\n"
	 "  give the ports: rdmactl perf DEST 1-36\n",
	 "8 get NodeInfo 0x0\n"
	 "8 get ClassPortInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"
	 "8 get NodeInfo 0x0\n"},
	{"perf 10", STATUS_FAILED, "",
	 "rdmactl perf: 10: cannot read PortCounters of port 1: refused with status "
	 "0x000c: attribute-not-supported\n",
	 "10 get NodeInfo 0x0\n"
	 "10 get ClassPortInfo 0x0\n"
	 "10 get PortCounters 0x0\n"},
	{"perf 10 1-2", STATUS_FAILED, "",
	 "rdmactl perf: 10: cannot read PortCounters of port 1: refused with status "
	 "0x000c: attribute-not-supported\n"
	 "rdmactl perf: 10: cannot read PortCounters of port 2: refused with status "
	 "0x000c: attribute-not-supported\n",
	 "10 get NodeInfo 0x0\n"
	 "10 get ClassPortInfo 0x0\n"
	 "10 get PortCounters 0x0\n"
	 "10 get PortCounters 0x0\n"},
	{"perf 5 1 --vl", STATUS_FAILED, "",
	 "rdmactl perf: 5: cannot read 4 values (PortVLXmitWaitCounters, "
	 "PortVLXmitFlowCtlUpdateErrors, PortVLOpPackets ...; -v lists them): refused "
	 "with status 0x000c: attribute-not-supported\n"
	 "  the node may not have it: rdmactl perf without options shows the counters that every "
	 "port has\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortVLXmitWaitCounters 0x0\n"
	 "5 get PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "5 get PortVLOpPackets 0x0\n"
	 "5 get PortVLOpData 0x0\n"},
	{"perf 5 1 --details", STATUS_FAILED, "",
	 "rdmactl perf: 5: cannot read PortRcvErrorDetails: refused with status 0x000c: "
	 "attribute-not-supported\n"
	 "  the node may not have it: rdmactl perf without options shows the counters that every "
	 "port has\n"
	 "rdmactl perf: 5: cannot read PortXmitDiscardDetails: refused with status "
	 "0x000c: attribute-not-supported\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortRcvErrorDetails 0x0\n"
	 "5 get PortXmitDiscardDetails 0x0\n"},
	{"perf 9 --reset --counters symbol_error", STATUS_USAGE, "",
	 "rdmactl perf: --counters: 'symbol_error' is neither a counter nor a mask\n"
	 "  did you mean 'symbol_errors'?\n",
	 ""},
	{"perf 9 --reset --counters 0x400000", STATUS_USAGE, "",
	 "rdmactl perf: --counters: '0x400000' is neither a counter nor a mask\n"
	 "  give columns: symbol_errors,link_downed; or a mask as for perfquery: 0xfff\n",
	 ""},
	{"perf 9 --sample xmit,x", STATUS_USAGE, "",
	 "rdmactl perf: --sample: 'xmit' is not a quantity\n"
	 "  xmit-data, rcv-data, xmit-packets, rcv-packets, xmit-wait, or a number\n",
	 ""},
	{"perf 9 --sample 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", STATUS_USAGE, "",
	 "rdmactl perf: --sample: a port counts at most 15 quantities\n"
	 "  xmit-data, rcv-data, xmit-packets, rcv-packets, xmit-wait, or a number\n",
	 ""},
	{"perf 9 --sample 0", STATUS_USAGE, "",
	 "rdmactl perf: --sample: '0' is not a quantity\n"
	 "  xmit-data, rcv-data, xmit-packets, rcv-packets, xmit-wait, or a number\n",
	 ""},
};

static const struct command_row complaints_no_lid = {
	"perf", STATUS_FAILED, "",
	"rdmactl perf: the port has no LID: no subnet manager has configured it\n"
	"  rdmactl ports shows its state\n",
	""};

/* Ports of Omni-Path may have LIDs that are too long for datagrams. */
static const struct command_row complaints_long_lid = {
	"perf", STATUS_FAILED, "",
	"rdmactl perf: the port has no LID from 1 to 49151: it reports 73728\n"
	"  rdmactl ports shows its state; 65535 means that no subnet manager has configured it\n",
	""};

/* Only a line of the input can have a route among other destinations. */
static const struct command_row complaints_route = {
	"perf -", STATUS_USAGE, "",
	"rdmactl perf: performance management cannot be reached by directed route\n"
	"  give LIDs, port GUIDs or GIDs\n",
	""};

static void complaints(void **state)
{
	const int file = memfd_create("input", MFD_CLOEXEC);

	(void)state;
	expect_all(complaints_rows, ARRAY_SIZE(complaints_rows));
	assert_true(dprintf(file, "0\n0,1\n") > 0);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
	close(file);
	begin();
	expect(&complaints_route);
	begin();
	nodes.no_lid = true;
	expect(&complaints_no_lid);
	begin();
	nodes.no_lid = true;
	nodes.reported_lid = 0x12000;
	expect(&complaints_long_lid);
}

static const struct command_row resets_rows[] = {
	{"perf 9 --reset --tsv -o port,symbol_errors", STATUS_DONE,
	 "port\tsymbol_errors\n"
	 "1\t1\n",
	 "rdmactl perf: cleared all counters of 1 port, for every reader\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 set PortCounters 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortCountersExtended 0x0\n"
	 "0001000f0000000000000000000000000000000000000000\n"},
	{"perf 5 1 --reset --tsv -o port,symbol_errors", STATUS_DONE,
	 "port\tsymbol_errors\n"
	 "1\t1\n",
	 "rdmactl perf: cleared all counters of 1 port, for every reader\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 set PortCounters 0x0\n"
	 "0001ffff0000000000000000000000000000030000000000\n"
	 "5 set PortCountersExtended 0x0\n"
	 "000100ff0000000000000000000000000000000000000000\n"},
	{"perf 5 1,2 --reset --errors --tsv -o port", STATUS_DONE,
	 "port\n"
	 "1\n"
	 "2\n",
	 "rdmactl perf: cleared the error counters of 2 ports, for every reader\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 set PortCounters 0x0\n"
	 "00010fff0000000000000000000000000000020000000000\n"
	 "5 set PortCounters 0x0\n"
	 "00020fff0000000000000000000000000000020000000000\n"},
	{"perf 5 1 --reset --traffic --tsv -o port", STATUS_DONE,
	 "port\n"
	 "1\n",
	 "rdmactl perf: cleared the traffic counters of 1 port, for every reader\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 set PortCounters 0x0\n"
	 "0001f0000000000000000000000000000000000000000000\n"
	 "5 set PortCountersExtended 0x0\n"
	 "000100ff0000000000000000000000000000000000000000\n"},
	{"perf 5 1 --reset --errors --traffic --tsv -o port", STATUS_DONE,
	 "port\n"
	 "1\n",
	 "rdmactl perf: cleared all counters of 1 port, for every reader\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 set PortCounters 0x0\n"
	 "0001ffff0000000000000000000000000000030000000000\n"
	 "5 set PortCountersExtended 0x0\n"
	 "000100ff0000000000000000000000000000000000000000\n"},
	{"perf 5 1 --reset --counters symbol_errors,unicast_rcv_packets --tsv -o port", STATUS_DONE,
	 "port\n"
	 "1\n",
	 "rdmactl perf: cleared the named counters of 1 port, for every reader\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 set PortCounters 0x0\n"
	 "000100010000000000000000000000000000000000000000\n"
	 "5 set PortCountersExtended 0x0\n"
	 "000100200000000000000000000000000000000000000000\n"},
	{"perf 9 --reset --counters 0x20001 --tsv -o port", STATUS_PARTIAL,
	 "port\n"
	 "1\n",
	 "rdmactl perf: cleared the named counters of 1 port, for every reader\n"
	 "rdmactl perf: 9: the node does not have qp1_dropped: not cleared\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 set PortCounters 0x0\n"
	 "000100010000000000000000000000000000000000000000\n"},
	{"perf 9 --reset --counters xmit_wait_ticks --tsv -o port", STATUS_PARTIAL,
	 "port\n"
	 "1\n",
	 "rdmactl perf: 9: nothing to clear: port 1 has none of these counters\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 5 --reset --sum --tsv -o summed_ports", STATUS_DONE,
	 "summed_ports\n"
	 "3\n",
	 "rdmactl perf: cleared all counters of 3 ports, for every reader\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 set PortCounters 0x0\n"
	 "00ffffff0000000000000000000000000000030000000000\n"
	 "5 set PortCountersExtended 0x0\n"
	 "00ff00ff0000000000000000000000000000000000000000\n"},
	{"perf 5,9 1 --reset --counters symbol_errors,qp1_dropped --tsv -o object", STATUS_PARTIAL,
	 "object\n"
	 "5\n"
	 "9\n",
	 "rdmactl perf: cleared the named counters of 2 ports, for every reader\n"
	 "rdmactl perf: 9: the node does not have qp1_dropped: not cleared\n",
	 "5 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "5 set PortCounters 0x0\n"
	 "000100010000000000000000000000000000020000000000\n"
	 "9 set PortCounters 0x0\n"
	 "000100010000000000000000000000000000000000000000\n"},
	{"perf 10,9 --reset --tsv -o object", STATUS_PARTIAL,
	 "object\n"
	 "9\n",
	 "rdmactl perf: cleared all counters of 1 port, for every reader\n"
	 "rdmactl perf: 10: cannot read PortCounters of port 1: refused with status "
	 "0x000c: attribute-not-supported\n",
	 "10 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "10 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "10 get PortCounters 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 set PortCounters 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortCountersExtended 0x0\n"
	 "0001000f0000000000000000000000000000000000000000\n"},
	{"perf 9 --reset --quiet --tsv -o port", STATUS_DONE,
	 "port\n"
	 "1\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 set PortCounters 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortCountersExtended 0x0\n"
	 "0001000f0000000000000000000000000000000000000000\n"},
	{"perf 9 --reset --jsonl -o port", STATUS_DONE, "{\"port\": 1}\n",
	 "rdmactl perf: cleared all counters of 1 port, for every reader\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 set PortCounters 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortCountersExtended 0x0\n"
	 "0001000f0000000000000000000000000000000000000000\n"},
	{"perf 9 --reset -o port", STATUS_DONE,
	 "PORT\n"
	 "   1\n",
	 "rdmactl perf: cleared all counters of 1 port, for every reader\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 set PortCounters 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortCountersExtended 0x0\n"
	 "0001000f0000000000000000000000000000000000000000\n"},
	{"perf 9 --reset --vl --tsv -o vl", STATUS_DONE,
	 "vl\n"
	 "0\n"
	 "1\n"
	 "3\n"
	 "6\n",
	 "rdmactl perf: cleared the listed counters of 1 port, for every reader\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortVLXmitWaitCounters 0x0\n"
	 "9 get PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "9 get PortVLOpPackets 0x0\n"
	 "9 get PortVLOpData 0x0\n"
	 "9 set PortVLXmitWaitCounters 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortVLOpPackets 0x0\n"
	 "6401ffff0000000000000000000000000000000000000000\n"
	 "9 set PortVLOpData 0x0\n"
	 "6401ffff0000000000000000000000000000000000000000\n"},
	{"perf 9 1 --reset --fec --tsv -o lane", STATUS_DONE,
	 "lane\n"
	 "\n"
	 "0\n"
	 "1\n"
	 "2\n"
	 "3\n",
	 "rdmactl perf: cleared the listed counters of 1 port, for every reader\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortInfo 0x1\n"
	 "9 get PortInfoExtended 0x1\n"
	 "9 get PortExtendedSpeedsCounters 0x0\n"
	 "9 set PortExtendedSpeedsCounters 0x0\n"
	 "0001000000000000ffffffffffffffff0000000000000000\n"},
	{"perf 9 --reset --congestion --tsv -o vl", STATUS_DONE,
	 "vl\n"
	 "\n"
	 "0\n"
	 "1\n"
	 "3\n"
	 "\n"
	 "\n",
	 "rdmactl perf: cleared the listed counters of 1 port, for every reader\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 get SwPortVLCongestion 0x0\n"
	 "9 get PortRcvConCtrl 0x0\n"
	 "9 get PortSLRcvFECN 0x0\n"
	 "9 get PortSLRcvBECN 0x0\n"
	 "9 get PortXmitConCtrl 0x0\n"
	 "9 get PortVLXmitTimeCong 0x0\n"
	 "9 set SwPortVLCongestion 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortRcvConCtrl 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortSLRcvFECN 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortSLRcvBECN 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortXmitConCtrl 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"
	 "9 set PortVLXmitTimeCong 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"},
	{"perf 5 1 --reset --by-sl --tsv -o sl", STATUS_PARTIAL,
	 "sl\n"
	 "0\n"
	 "1\n",
	 "rdmactl perf: cleared the listed counters of 1 port, for every reader\n"
	 "rdmactl perf: 5: cannot read PortRcvDataSL: refused with status 0x000c: "
	 "attribute-not-supported\n"
	 "  the node may not have it: rdmactl perf without options shows the counters that every "
	 "port has\n",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortXmitDataSL 0x0\n"
	 "5 get PortRcvDataSL 0x0\n"
	 "5 set PortXmitDataSL 0x0\n"
	 "0001ffff0000000000000000000000000000000000000000\n"},
	{"perf 10 --reset", STATUS_FAILED, "",
	 "rdmactl perf: 10: cannot read PortCounters of port 1: refused with status "
	 "0x000c: attribute-not-supported\n",
	 "10 get NodeInfo 0x0\n"
	 "10 get ClassPortInfo 0x0\n"
	 "10 get PortCounters 0x0\n"},
};

static const struct command_row resets_refused = {
	"perf 5 1-2 --reset --tsv -o port", STATUS_PARTIAL,
	"port\n"
	"1\n"
	"2\n",
	"rdmactl perf: 5: clearing the counters of port 1: refused with status 0x001c: "
	"invalid-value\n"
	"  rdmactl perf shows which counters are still there\n"
	"rdmactl perf: 5: clearing the counters of port 2: refused with status 0x001c: "
	"invalid-value\n",
	"5 get NodeInfo 0x0\n"
	"5 get ClassPortInfo 0x0\n"
	"5 get SwitchInfo 0x0\n"
	"5 get PortCounters 0x0\n"
	"5 get PortCountersExtended 0x0\n"
	"5 get PortCounters 0x0\n"
	"5 get PortCountersExtended 0x0\n"
	"5 set PortCounters 0x0\n"
	"0001ffff0000000000000000000000000000030000000000\n"
	"5 set PortCountersExtended 0x0\n"
	"000100ff0000000000000000000000000000000000000000\n"
	"5 set PortCounters 0x0\n"
	"0002ffff0000000000000000000000000000030000000000\n"
	"5 set PortCountersExtended 0x0\n"
	"000200ff0000000000000000000000000000000000000000\n"};

static const struct command_row resets_dead = {
	"perf 9 --reset --tsv -o port --retries 0", STATUS_PARTIAL,
	"port\n"
	"1\n",
	"rdmactl perf: 9: clearing the counters of port 1: no answer, asked once\n"
	"  rdmactl perf shows which counters are still there\n",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortCounters 0x0\n"
	"9 get PortCountersExtended 0x0\n"
	"9 set PortCounters 0x0\n"
	"0001ffff0000000000000000000000000000000000000000\n"
	"9 set PortCountersExtended 0x0\n"
	"0001000f0000000000000000000000000000000000000000\n"};

/* Both attributes of the port are reported if they failed differently. */
static const struct command_row resets_twice = {
	"perf 9 --reset --tsv -o port", STATUS_PARTIAL,
	"port\n"
	"1\n",
	"rdmactl perf: 9: clearing the counters of port 1: refused with status 0x001c: "
	"invalid-value\n"
	"  rdmactl perf shows which counters are still there\n"
	"rdmactl perf: 9: clearing the counters of port 1: refused with status 0x000c: "
	"attribute-not-supported\n",
	NULL};

/* A port in state init passes no performance management, whichever node is queried. */
static void port_in_init(void **state)
{
	static const struct command_row row = {
		"perf 7 --retries 0", STATUS_FAILED, "",
		"rdmactl perf: 7: cannot read ClassPortInfo: no answer, asked once\n"
		"  no port has this LID, the node is down, or it has no agent of that class: "
		"rdmactl mad classes DEST\n"
		"rdmactl perf: m0/3, which sends the requests, is in state init: only subnet "
		"management gets through\n"
		"  a subnet manager makes it active: rdmactl fabric check\n",
		NULL};

	(void)state;
	begin();
	nodes.state = PORT_STATE_INIT;
	expect(&row);
}

/* PortSelect 255 is not a port: 16.1.3.5. */
static const struct command_row resets_sum = {
	"perf 5 --sum --reset --tsv -o summed_ports", STATUS_PARTIAL,
	"summed_ports\n"
	"3\n",
	"rdmactl perf: 5: clearing the counters of all ports: refused with status 0x001c: "
	"invalid-value\n"
	"  rdmactl perf shows which counters are still there\n",
	NULL};

/* A signal while the counters are read, with answers and without. */
static const struct command_row resets_stopped[] = {
	{"perf 9 --reset --tsv -o port", STATUS_FAILED, "port\n1\n",
	 "rdmactl perf: interrupted: nothing was cleared\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 7 --reset --tsv -o port", STATUS_FAILED, "",
	 "rdmactl perf: interrupted: nothing was cleared\n",
	 "7 get NodeInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"},
};

static void resets(void **state)
{
	(void)state;
	expect_all(resets_rows, ARRAY_SIZE(resets_rows));
	begin();
	agents.refused = 0x1c;
	agents.refused_extended = 0x0c;
	expect(&resets_twice);
	begin();
	agents.refused = 0x1c;
	expect(&resets_refused);
	expect(&resets_sum);
	begin();
	agents.dead_set = true;
	expect(&resets_dead);
	begin();
	agents.stops_class = UMAD_CLASS_PERF_MGMT;
	agents.stops = MAD_PM_COUNTERS;
	expect(&resets_stopped[0]);
	agents.stops_class = UMAD_CLASS_SUBN_LID_ROUTED;
	agents.stops = UMAD_SM_ATTR_NODE_INFO;
	expect(&resets_stopped[1]);
}

/* Counters grow by 1 per reading, PortXmitData by 10^9 words; a round takes 1000 seconds. */
static const struct command_row rates_rows[] = {
	{"perf --watch --interval 1000s -c 2 --tsv -o "
	 "object,node,object_lid,port,xmit_gbps,rcv_gbps,xmit_packets_per_sec,er"
	 "rors_per_sec,xmit_wait_ticks_per_sec,saturated",
	 STATUS_DONE,
	 "object\tnode\tobject_lid\tport\txmit_gbps\trcv_gbps\txmit_packets_per_sec"
	 "\terrors_per_sec\txmit_wait_ticks_per_sec\tsaturated\n"
	 "2\tnode 2\t2\t1\t0.032\t0\t0\t0.002\t0.001\t\n"
	 "2\tnode 2\t2\t1\t0.032\t0\t0\t0.002\t0.001\t\n",
	 "",
	 "2 get NodeInfo 0x0\n"
	 "2 get ClassPortInfo 0x0\n"
	 "2 get NodeDescription 0x0\n"
	 "2 get PortCounters 0x0\n"
	 "2 get PortCounters 0x0\n"
	 "2 get PortCounters 0x0\n"},
	{"perf --watch --interval 1000s -c 2 -o object,port,rcv_packets_per_sec", STATUS_DONE,
	 "OBJECT PORT RCV PACKETS/s\n"
	 "2         1             0\n"
	 "OBJECT PORT RCV PACKETS/s\n"
	 "2         1             0\n",
	 "",
	 "2 get NodeInfo 0x0\n"
	 "2 get ClassPortInfo 0x0\n"
	 "2 get PortCounters 0x0\n"
	 "2 get PortCounters 0x0\n"
	 "2 get PortCounters 0x0\n"},
	{"perf --watch --interval 1000s -c 1 --jsonl -o port,rcv_packets_per_sec", STATUS_DONE,
	 "{\"port\": 1, \"rcv_packets_per_sec\": 0}\n", "",
	 "2 get NodeInfo 0x0\n"
	 "2 get ClassPortInfo 0x0\n"
	 "2 get PortCounters 0x0\n"
	 "2 get PortCounters 0x0\n"},
	{"perf 5 --watch --interval 1000s -c 1 --sum --tsv -o "
	 "object,port,rcv_packets_per_sec",
	 STATUS_DONE,
	 "object\tport\trcv_packets_per_sec\n"
	 "5\t\t0\n",
	 "",
	 "5 get NodeInfo 0x0\n"
	 "5 get ClassPortInfo 0x0\n"
	 "5 get SwitchInfo 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"
	 "5 get PortCounters 0x0\n"
	 "5 get PortCountersExtended 0x0\n"},
	{"perf 6,9 1-2 --watch --interval 1000s -c 1 --sum --tsv -o "
	 "object,port,rcv_packets_per_sec",
	 STATUS_DONE,
	 "object\tport\trcv_packets_per_sec\n"
	 "6\t\t0\n"
	 "9\t\t0\n",
	 "",
	 "6 get NodeInfo 0x0\n"
	 "9 get NodeInfo 0x0\n"
	 "6 get ClassPortInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "6 get SwitchInfo 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "6 get PortCounters 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"
	 "9 get PortCounters 0x0\n"
	 "9 get PortCountersExtended 0x0\n"},
	{"perf 9 --watch --vl --interval 1000s -c 1 --tsv -o "
	 "port,vl,xmit_wait_ticks_per_sec",
	 STATUS_DONE,
	 "port\tvl\txmit_wait_ticks_per_sec\n"
	 "1\t0\t0\n"
	 "1\t1\t0\n"
	 "1\t3\t0\n"
	 "1\t6\t0\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortVLXmitWaitCounters 0x0\n"
	 "9 get PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "9 get PortVLOpPackets 0x0\n"
	 "9 get PortVLOpData 0x0\n"
	 "9 get PortVLXmitWaitCounters 0x0\n"
	 "9 get PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "9 get PortVLOpPackets 0x0\n"
	 "9 get PortVLOpData 0x0\n"},
	{"perf 9 --watch --vl -a --interval 1000s -c 1 --tsv -o "
	 "vl,xmit_wait_ticks_per_sec",
	 STATUS_DONE,
	 "vl\txmit_wait_ticks_per_sec\n"
	 "0\t0\n"
	 "1\t0\n"
	 "2\t0\n"
	 "3\t0\n"
	 "4\t0\n"
	 "5\t0\n"
	 "6\t0\n"
	 "7\t0\n"
	 "8\t0\n"
	 "9\t0\n"
	 "10\t0\n"
	 "11\t0\n"
	 "12\t0\n"
	 "13\t0\n"
	 "14\t0\n"
	 "15\t0\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortVLXmitWaitCounters 0x0\n"
	 "9 get PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "9 get PortVLOpPackets 0x0\n"
	 "9 get PortVLOpData 0x0\n"
	 "9 get PortVLXmitWaitCounters 0x0\n"
	 "9 get PortVLXmitFlowCtlUpdateErrors 0x0\n"
	 "9 get PortVLOpPackets 0x0\n"
	 "9 get PortVLOpData 0x0\n"},
	{"perf 9 2 --watch --fec --interval 1000s -c 1 --tsv -o "
	 "lane,error_detections_per_sec",
	 STATUS_DONE,
	 "lane\terror_detections_per_sec\n"
	 "\t\n"
	 "0\t0\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortInfo 0x2\n"
	 "9 get PortInfoExtended 0x2\n"
	 "9 get PortExtendedSpeedsCounters 0x0\n"
	 "9 get PortExtendedSpeedsCounters 0x0\n"},
	{"perf 7 --watch", STATUS_FAILED, "",
	 "rdmactl perf: 7: cannot read ClassPortInfo: no answer, asked 4 times\n"
	 "  no port has this LID, the node is down, or it has no agent of that class: rdmactl mad "
	 "classes DEST\n",
	 "7 get NodeInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"},
	{"perf 10 --watch", STATUS_FAILED, "",
	 "rdmactl perf: 10: cannot read PortCounters of port 1: refused with status "
	 "0x000c: attribute-not-supported\n",
	 "10 get NodeInfo 0x0\n"
	 "10 get ClassPortInfo 0x0\n"
	 "10 get PortCounters 0x0\n"},
};

static const struct command_row rates_dies = {
	"perf --watch --interval 1000s -c 2 --tsv -o port,rcv_packets_per_sec "
	"--retries 0",
	STATUS_PARTIAL,
	"port\trcv_packets_per_sec\n"
	"1\t\n"
	"1\t\n",
	"rdmactl perf: 2: cannot read PortCounters of port 1: no answer, asked once\n"
	"  no port has this LID, the node is down, or it has no agent of that class: rdmactl mad "
	"classes DEST\n",
	"2 get NodeInfo 0x0\n"
	"2 get ClassPortInfo 0x0\n"
	"2 get PortCounters 0x0\n"
	"2 get PortCounters 0x0\n"
	"2 get PortCounters 0x0\n"};

static const struct command_row rates_stopped = {
	"perf --watch --interval 1000s --tsv -o port,rcv_packets_per_sec", STATUS_DONE,
	"port\trcv_packets_per_sec\n"
	"1\t0\n"
	"1\t0\n",
	"",
	"2 get NodeInfo 0x0\n"
	"2 get ClassPortInfo 0x0\n"
	"2 get PortCounters 0x0\n"
	"2 get PortCounters 0x0\n"
	"2 get PortCounters 0x0\n"};

/* From the middle of one reading to that of the next, even at first; readings cause no drift. */
static const struct command_row rates_slow = {
	"perf --watch --interval 1000s -c 2 --tsv -o port,interval_sec", STATUS_DONE,
	"port\tinterval_sec\n"
	"1\t1000\n"
	"1\t1000\n",
	"",
	"2 get NodeInfo 0x0\n"
	"2 get ClassPortInfo 0x0\n"
	"2 get PortCounters 0x0\n"
	"2 get PortCounters 0x0\n"
	"2 get PortCounters 0x0\n"};

/* A 32-bit counter is not compared with a 64-bit one. */
static const struct command_row rates_lost = {
	"perf 9 --watch --interval 1000s -c 2 --tsv -o port,xmit_gbps,xmit_packets_per_sec "
	"--retries 0",
	STATUS_PARTIAL,
	"port\txmit_gbps\txmit_packets_per_sec\n"
	"1\t\t\n"
	"1\t0\t0\n",
	"rdmactl perf: 9: cannot read PortCountersExtended of port 1: no answer, asked once\n"
	"  no port has this LID, the node is down, or it has no agent of that class: rdmactl mad "
	"classes DEST\n",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortCounters 0x0\n"
	"9 get PortCountersExtended 0x0\n"
	"9 get PortCounters 0x0\n"
	"9 get PortCountersExtended 0x0\n"
	"9 get PortCounters 0x0\n"
	"9 get PortCountersExtended 0x0\n"};

static void rates(void **state)
{
	(void)state;
	expect_all(rates_rows, ARRAY_SIZE(rates_rows));
	begin();
	agents.slow_sec = 400;
	expect(&rates_slow);
	begin();
	agents.dies = true;
	expect(&rates_dies);
	begin();
	agents.lost = 1;
	expect(&rates_lost);
	begin();
	nodes.waits = 3;
	expect(&rates_stopped);
	assert_int_equal(nodes.waited, 3);
}

static const struct command_row samples_rows[] = {
	{"perf 9 --samples --tsv -o object,node,object_lid,port,counter,quantity"
	 ",value,sample_status,interval_ticks,tick,tag,own",
	 STATUS_DONE,
	 "object\tnode\tobject_lid\tport\tcounter\tquantity\tvalue\tsample_status"
	 "\tinterval_ticks\ttick\ttag\town\n"
	 "9\tnode 9\t9\t1\t0\txmit-data\t11\tdone\t1000\t5\t0x7777\t\n"
	 "9\tnode 9\t9\t1\t3\txmit-wait\t44\tdone\t1000\t5\t0x7777\t\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get NodeDescription 0x0\n"
	 "9 get PortSamplesControl 0x0\n"
	 "9 get PortSamplesResult 0x0\n"},
	{"perf 9 1-2 --sample xmit-wait,rcv-data --tsv -o "
	 "port,counter,quantity,value,interval_ticks,own",
	 STATUS_DONE,
	 "port\tcounter\tquantity\tvalue\tinterval_ticks\town\n"
	 "1\t0\txmit-wait\t11\t1000\tyes\n"
	 "1\t1\trcv-data\t22\t1000\tyes\n"
	 "2\t0\txmit-wait\t11\t1000\tyes\n"
	 "2\t1\trcv-data\t22\t1000\tyes\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortSamplesControl 0x0\n"
	 "9 set PortSamplesControl 0x0\n"
	 "9 get PortSamplesResult 0x0\n"
	 "9 get PortSamplesControl 0x0\n"
	 "9 set PortSamplesControl 0x0\n"
	 "9 get PortSamplesResult 0x0\n"},
	{"perf 9 --sample 0x8001 --ticks 70000 --start 9 --op-code 4 --tsv -o "
	 "quantity_code,value,interval_ticks",
	 STATUS_DONE,
	 "quantity_code\tvalue\tinterval_ticks\n"
	 "0x8001\t11\t70000\n",
	 "",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortSamplesControl 0x0\n"
	 "9 set PortSamplesControl 0x0\n"
	 "9 get PortSamplesResult 0x0\n"},
	{"perf 7 --sample xmit-wait", STATUS_FAILED, "",
	 "rdmactl perf: 7: cannot read ClassPortInfo: no answer, asked 4 times\n"
	 "  no port has this LID, the node is down, or it has no agent of that class: rdmactl mad "
	 "classes DEST\n",
	 "7 get NodeInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"
	 "7 get ClassPortInfo 0x0\n"},
	{"perf 10 --samples", STATUS_FAILED, "",
	 "rdmactl perf: 10: cannot read PortSamplesControl of port 1: refused with "
	 "status 0x000c: attribute-not-supported\n",
	 "10 get NodeInfo 0x0\n"
	 "10 get ClassPortInfo 0x0\n"
	 "10 get PortSamplesControl 0x0\n"},
};

static const struct command_row samples_done = {
	"perf 9 --sample xmit-wait --tsv -o value,sample_status", STATUS_DONE,
	"value\tsample_status\n"
	"11\tdone\n",
	"",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortSamplesControl 0x0\n"
	"9 set PortSamplesControl 0x0\n"
	"9 get PortSamplesResult 0x0\n"
	"9 get PortSamplesResult 0x0\n"
	"9 get PortSamplesResult 0x0\n"};

static const struct command_row samples_busy = {
	"perf 9 --sample xmit-wait --tsv -o value,sample_status,own", STATUS_PARTIAL,
	"value\tsample_status\town\n"
	"\trunning\tyes\n",
	"rdmactl perf: 9: port 1 is still sampling after 10 s\n"
	"  rdmactl perf --samples shows the result later\n",
	NULL};

static const struct command_row samples_runs = {
	"perf 9 --sample xmit-wait --tsv", STATUS_FAILED, "",
	"rdmactl perf: 9: port 1 reports that it is already sampling\n"
	"  rdmactl perf --samples shows its result when it is done\n",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortSamplesControl 0x0\n"};

static const struct command_row samples_shown = {
	"perf 9 --samples --tsv -o counter,value,sample_status,own", STATUS_DONE,
	"counter\tvalue\tsample_status\town\n"
	"0\t\trunning\t\n"
	"3\t\trunning\t\n",
	"",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortSamplesControl 0x0\n"
	"9 get PortSamplesResult 0x0\n"};

static const struct command_row samples_other = {
	"perf 9 --sample xmit-wait --tsv -o value", STATUS_FAILED, "",
	"rdmactl perf: 9: port 1 is sampling for another request\n"
	"  rdmactl perf --samples shows its result when it is done\n",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortSamplesControl 0x0\n"
	"9 set PortSamplesControl 0x0\n"};

static const struct command_row samples_zero = {
	"perf 9 --sample xmit-wait --tsv -o value", STATUS_FAILED, "",
	"rdmactl perf: 9: the interval of port 1 is 0 ticks\n"
	"  give an interval: --ticks N\n",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortSamplesControl 0x0\n"};

static const struct command_row samples_refused = {
	"perf 9 --sample xmit-wait --tsv -o value", STATUS_FAILED, "",
	"rdmactl perf: 9: starting to sample port 1: refused with status 0x001c: "
	"invalid-value\n",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortSamplesControl 0x0\n"
	"9 set PortSamplesControl 0x0\n"};

static const struct command_row samples_stopped = {
	"perf 9 --sample xmit-wait --tsv -o value,sample_status", STATUS_PARTIAL,
	"value\tsample_status\n"
	"\trunning\n",
	"rdmactl perf: interrupted: not all results were read\n"
	"  rdmactl perf --samples shows them later\n",
	"9 get NodeInfo 0x0\n"
	"9 get ClassPortInfo 0x0\n"
	"9 get PortSamplesControl 0x0\n"
	"9 set PortSamplesControl 0x0\n"
	"9 get PortSamplesResult 0x0\n"
	"9 get PortSamplesResult 0x0\n"};

/* A signal before a port begins to sample, before the second one does, and while they are read. */
static const struct command_row samples_stopped_early[] = {
	{"perf 9 --sample xmit-wait --tsv -o value", STATUS_FAILED, "",
	 "rdmactl perf: interrupted: no port was asked to sample\n",
	 "9 get NodeInfo 0x0\n"
	 "9 get ClassPortInfo 0x0\n"
	 "9 get PortSamplesControl 0x0\n"},
	{"perf 9 1-2 --sample xmit-wait --tsv -o port,value", STATUS_PARTIAL,
	 "port\tvalue\n1\t11\n",
	 "rdmactl perf: interrupted: not all results were read\n"
	 "  rdmactl perf --samples shows them later\n",
	 NULL},
	{"perf 9 1-2 --samples --tsv -o port,value", STATUS_PARTIAL, "port\tvalue\n1\t11\n",
	 "rdmactl perf: interrupted: not all results were read\n", NULL},
	{"perf 7 --sample xmit-wait --tsv -o value", STATUS_FAILED, "",
	 "rdmactl perf: interrupted: no port was asked to sample\n", NULL},
	{"perf 7 --samples --tsv -o value", STATUS_FAILED, "",
	 "rdmactl perf: interrupted: not all results were read\n", NULL},
	{"perf 9 x --samples", STATUS_USAGE, "",
	 "rdmactl perf: 'x' is not a port or a range of ports\n"
	 "  ports: 1 2 5-8\n",
	 ""},
	/* The last result was read: nothing was prevented. */
	{"perf 9 --samples --tsv -o port,value", STATUS_DONE, "port\tvalue\n1\t11\n", "", NULL},
};

static void samples(void **state)
{
	(void)state;
	expect_all(samples_rows, ARRAY_SIZE(samples_rows));
	begin();
	expect(&samples_rows[2]);
	assert_int_equal(agents.control[0], 4);			   /* OpCode */
	assert_int_equal(bits_get(agents.control, 28 * 8, 32), 9); /* SampleStart */
	/* It takes three polls, 50 ms apart. */
	begin();
	agents.busy = 2;
	expect(&samples_done);
	assert_int_equal(nodes.waited, 2);
	begin();
	agents.busy = 1000;
	expect(&samples_busy);
	assert_int_equal(nodes.waited, 10000 / 50);
	/* SampleStatus of the control: a sampling is already running. */
	begin();
	agents.control[11] = 1;
	expect(&samples_runs);
	agents.busy = 1;
	expect(&samples_shown);
	begin();
	agents.other = true;
	expect(&samples_other);
	begin();
	put_16(agents.control, 34, 0);
	expect(&samples_zero);
	begin();
	agents.refused = 0x1c;
	expect(&samples_refused);
	begin();
	agents.busy = 9;
	nodes.waits = 2;
	expect(&samples_stopped);
	begin();
	agents.stops_class = UMAD_CLASS_PERF_MGMT;
	agents.stops = MAD_PM_SAMPLES_CONTROL;
	expect(&samples_stopped_early[0]);
	agents.stops = MAD_PM_SAMPLES_RESULT;
	expect(&samples_stopped_early[1]);
	expect(&samples_stopped_early[2]);
	expect(&samples_stopped_early[6]);
	agents.stops_class = UMAD_CLASS_SUBN_LID_ROUTED;
	agents.stops = UMAD_SM_ATTR_NODE_INFO;
	for (size_t i = 3; i < 6; i++)
		expect(&samples_stopped_early[i]);
}

/* No round follows one that could not be printed. */
static void full_output(void **state)
{
	(void)state;
	if (!has_full_device())
		skip();
	begin();
	assert_int_equal(command_into_full(&perf_command, "perf --watch --interval 1000s -c 9",
					   &agents.reads),
			 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings),    cmocka_unit_test(complaints),
		cmocka_unit_test(resets),      cmocka_unit_test(port_in_init),
		cmocka_unit_test(rates),       cmocka_unit_test(samples),
		cmocka_unit_test(full_output),
	};

	return cmocka_run_group_tests_name("perf_run", tests, command_set_up, command_tear_down);
}
