/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "roce/table/roce.h"

#include <stdlib.h>

#include "base/mem.h"
#include "roce/cma.h"
#include "schema/rows.h"

static const struct enum_name source_names[] = {
	{TOS_ASKED, "asked", TONE_PLAIN, "requested by --tos or --dscp"},
	{TOS_GLOBAL, "global", TONE_PLAIN, "NVIDIA's own driver gives it to every queue pair"},
	{TOS_CONFIGURED, "configured", TONE_PLAIN, "the default of rdma_cm"},
	{TOS_UNTOUCHED, "assumed", TONE_WARNING,
	 "the default of rdma_cm cannot be seen; this is what an untouched device has"},
	{0},
};

#define RECORD struct roce_port
static const struct field fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "RDMA device"),
	NUMBER(port, "PORT", SHOWN, 0, "port number"),
	TEXT(netdev, "NETDEV", SHOWN, 0, "netdev with the settings; of a bond, each member"),
	TEXT(bond, "BOND", 0, 0, "bond that the netdev is a member of"),
	WORD(default_mode, roce_mode_names, "DEFAULT MODE", 0, 0,
	     "default RoCE version of rdma_cm's connections"),
	NUMBER(default_tos, "DEFAULT TOS", 0, 0, "default TOS of rdma_cm's connections"),
	NUMBER(global_tos, "GLOBAL TOS", 0, 0,
	       "traffic class that NVIDIA's own driver gives to every queue pair"),
	NUMBER(tos, "TOS", 0, 0, "TOS that is traced"),
	WORD(tos_source, source_names, "TOS SOURCE", 0, 0, "where the TOS comes from"),
	TEXT(trust, "TRUST", SHOWN, 0, "what the port takes the priority from: dscp or pcp"),
	NUMBER_AS("dscp", chain.dscp, "DSCP", SHOWN, 0, "DSCP of the TOS"),
	NUMBER_AS("priority", chain.priority, "PRIO", SHOWN, 0, "priority of the DSCP"),
	NUMBER_AS("traffic_class", chain.traffic_class, "CLASS", SHOWN, 0,
		  "traffic class of the priority"),
	TEXT(dscp_priority, "DSCP PRIORITY", 0, 0, "priority of each DSCP that has one"),
	TEXT(priority_class, "PRIORITY CLASS", 0, 0, "traffic class of each priority"),
	TEXT(class_algorithm, "CLASS ALGORITHM", 0, 0, "how each traffic class is served"),
	TEXT(class_bandwidth, "CLASS BANDWIDTH", 0, 0,
	     "percent of the bandwidth for each traffic class that is served by ets"),
	TEXT(maxrate, "MAXRATE", 0, 0, "rate limit of each traffic class"),
	TEXT(pfc, "PFC", SHOWN, 0, "priorities that are paused instead of dropped"),
	TEXT(pfc_delay, "PFC DELAY", 0, 0,
	     "allowance for the cable, in bit times; mlx5: its length in metres"),
	TEXT(priority_buffer, "PRIORITY BUFFER", 0, 0, "receive buffer of each priority"),
	TEXT(buffer_size, "BUFFER SIZE", 0, 0, "bytes of each receive buffer"),
	TEXT(dcbx, "DCBX", 0, 0, "who negotiates these settings with the switch"),
	YES_NO_AS("ecn", chain.ecn, "ECN", SHOWN, 0,
		  "whether congestion control is on for the priority"),
	TEXT(ecn_send, "ECN SEND", 0, 0, "priorities whose senders slow down"),
	TEXT(ecn_receive, "ECN RECEIVE", 0, 0, "priorities whose receivers notify of congestion"),
	NUMBER(cnp_dscp, "CNP DSCP", 0, 0, "DSCP of the packets that notify of congestion"),
	NUMBER(cnp_priority, "CNP PRIORITY", 0, 0, "priority of those packets"),
	TEXT(pause, "PAUSE", SHOWN, 0, "pause frames of the whole link: none, rx, tx or both"),
	NUMBER(netdev_mtu_bytes, "MTU", SHOWN, 0, "MTU of the netdev"),
	NUMBER(rdma_mtu_bytes, "RDMA MTU", 0, 0,
	       "RDMA MTU that the netdev leaves room for; 0 for none"),
	NUMBER(active_mtu_bytes, "ACTIVE MTU", 0, 0, "RDMA MTU of the port"),
	YES_NO_AS("lossless", chain.lossless, "LOSSLESS", SHOWN, 0,
		  "whether no packet with the TOS is lost when a queue is full"),
	WORD_AS("breaks_at", chain.breaks_at, roce_step_names, "BREAKS AT", SHOWN, 0,
		"first step that loses packets or is not known"),
	TEXT_AS("reason", chain.reason, "REASON", 0, 0, "what is wrong there"),
	TEXT_AS("next_step", chain.next_step, "NEXT STEP", 0, 0, "what to do about it"),
	HELD_RECORDS_FIELD(RECORD, chain.steps, &roce_step_schema, "chain", 0,
			   "the steps from the TOS to the lossless class"),
};
#undef RECORD

const struct schema roce_schema = SCHEMA("roce", struct roce_port, fields,
					 "what makes a RoCE port lossless or not");

void roce_list_clear(struct roce_list *list)
{
	for_each (port, list) {
		port->device = port->netdev = port->bond = NULL; /* borrowed */
		record_clear(&roce_schema, port);
	}
	free(list->items);
	*list = (struct roce_list){.items = NULL};
}
