/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/mem.h"
#include "mad/format/sa_fields.h"
#include "mad/format/sm_port_info.h"

/* Where the attributes of subnet management begin behind the identifiers of their records. */
enum { EMBEDDED = 4 };

static void get_trap(const void *record, struct value *value)
{
	sm_get_trap(mad_data(record), value);
}

static void get_notice_details(const void *record, struct value *value)
{
	sm_get_hex(mad_data(record) + 10, 54, value);
}

/* 15.2.5.2; the description follows NodeInfo */
static const struct field node_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT, "LID of the port",
		     SA_COMPONENT(0)),
	MAD_TEXT(MAD_AT(EMBEDDED + NODE_INFO_BYTES, 0), 64 * 8, "node_description", "DESCRIPTION",
		 FIELD_DEFAULT, "what the node's owner calls it", SA_COMPONENT(14)),
	SM_NODE_INFO_ROWS(EMBEDDED),
};

const struct schema sa_node_schema = MAD_SCHEMA("sa_nodes", node_fields,
						"a node, at one of its ports, as the SA knows it");

SM_PORT_INFO_GETTERS(embedded, EMBEDDED)

/* 15.2.5.3 */
static const struct field port_info_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "endport_lid", "AT LID", FIELD_DEFAULT,
		     "LID of the port, of port 0 at a switch", SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 8, "port", "PORT", FIELD_DEFAULT, "number of the port",
		     SA_COMPONENT(1)),
	MAD_HEX(MAD_AT(3, 0), 8, "options", "OPTIONS", 0, "which form of PortInfo it holds",
		SA_COMPONENT(2)),
	SM_PORT_INFO_ROWS(EMBEDDED, embedded),
};

const struct schema sa_port_info_schema = MAD_SCHEMA("sa_ports", port_info_fields,
						     "a port as the SA knows it");

/* 15.2.5.5 */
static const struct field switch_info_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT, "LID of the switch",
		     SA_COMPONENT(0)),
	SM_SWITCH_INFO_ROWS(EMBEDDED),
};

const struct schema sa_switch_info_schema = MAD_SCHEMA("sa_switches", switch_info_fields,
						       "a switch as the SA knows it");

/* 15.2.5.10 */
static const struct field sm_info_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "lid", "LID", FIELD_DEFAULT,
		     "LID of the port that the subnet manager is at", SA_COMPONENT(0)),
	SM_INFO_ROWS(EMBEDDED),
};

const struct schema sa_sm_info_schema = MAD_SCHEMA("sa_sm", sm_info_fields,
						   "a subnet manager as the SA knows it");

/* 15.2.5.13 */
static const struct field link_fields[] = {
	MAD_UNSIGNED(MAD_AT(0, 0), 16, "from_lid", "FROM LID", FIELD_DEFAULT,
		     "LID of the near end, of port 0 at a switch", SA_COMPONENT(0)),
	MAD_UNSIGNED(MAD_AT(2, 0), 8, "from_port", "FROM PORT", FIELD_DEFAULT,
		     "port of the near end", SA_COMPONENT(1)),
	MAD_UNSIGNED(MAD_AT(4, 0), 16, "to_lid", "TO LID", FIELD_DEFAULT,
		     "LID of the far end, of port 0 at a switch", SA_COMPONENT(3)),
	MAD_UNSIGNED(MAD_AT(3, 0), 8, "to_port", "TO PORT", FIELD_DEFAULT, "port of the far end",
		     SA_COMPONENT(2)),
};

const struct schema sa_link_schema = MAD_SCHEMA("sa_links", link_fields, "a link, from one end");

/* 13.4.8.2, with the issuer that reports have */
static const struct field notice_fields[] = {
	SM_NOTICE_ROWS(get_trap, get_notice_details),
	MAD_GID(MAD_AT(64, 0), "issuer_gid", "ISSUER GID", 0, "GID of the port that issued it"),
};

const struct schema sa_notice_schema = MAD_SCHEMA("sa_notice", notice_fields,
						  "a notice that the SA reports");
