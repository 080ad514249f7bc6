/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/attribute.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mad/format/header.h"
#include "mad/format/rows.h"

#define BIT(n) (UINT64_C(1) << (n))

/* Bits 0 and 1 mean the same in every class. */
#define COMMON_NAMES                     \
	{BIT(0), "trap"},                \
	{                                \
		BIT(1), "get-set-notice" \
	}

static const struct enum_name common_names[] = {COMMON_NAMES, {0, NULL}};
static const struct enum_name no_names[] = {{0, NULL}};

/* 16.1.3.1, and include/rdma/ib_pma.h */
static const struct enum_name perf_names[] = {
	COMMON_NAMES,
	{BIT(8), "all-port-select"},
	{BIT(9), "extended-width"},
	{BIT(10), "extended-width-noietf"},
	{BIT(11), "samples-only"},
	{BIT(12), "port-counters-xmit-wait"},
	{BIT(13), "inhibit-limited-pkey-multicast-constraint-errors"},
	{BIT(14), "rs-fec"},
	{BIT(15), "qp1-dropped"},
	{0, NULL},
};

static const struct enum_name perf_names2[] = {
	{BIT(0), "pm-key"},
	{BIT(1), "additional-extended-counters"},
	{0, NULL},
};

/* 15.2.5.1 ff., and infiniband/umad_sa.h */
static const struct enum_name sa_names[] = {
	COMMON_NAMES,
	{BIT(8), "optional-records"},
	{BIT(9), "ud-multicast"},
	{BIT(10), "multi-path"},
	{BIT(11), "reinit"},
	{BIT(12), "gid-scoped-multi-path"},
	{BIT(13), "port-info-cap-mask-match"},
	{BIT(14), "link-speed-width-pairs-records"},
	{BIT(15), "pa-services"},
	{0, NULL},
};

static const struct enum_name sa_names2[] = {
	{BIT(0), "unpath-repath"},
	{BIT(1), "qos"},
	{BIT(2), "reverse-path-pkey-membership"},
	{BIT(3), "multicast-top"},
	{BIT(4), "hierarchy-info"},
	{BIT(5), "additional-guids"},
	{BIT(6), "full-port-info-records"},
	{BIT(7), "extended-speeds"},
	{BIT(8), "multicast-service-records"},
	{BIT(9), "cable-info-records"},
	{BIT(10), "port-info-cap-mask2-match"},
	{BIT(11), "port-info-extended-records"},
	{0, NULL},
};

#define CLASS_FIELDS(names_, names2_)                                                              \
	MAD_OBJECT_FIELDS(SHOW),                                                                   \
		NUM(0, 0, 8, "base_version", "BASE VERSION", 0, "version of the datagram format"), \
		NUM(1, 0, 8, "class_version", "VERSION", SHOW, "version of the management class"), \
		HEX(2, 0, 16, "cap_mask", "CAP MASK", 0, "CapabilityMask"),                        \
		FLAGS(2, 0, 16, names_, "capabilities", "CAPABILITIES", SHOW,                      \
		      "CapabilityMask in words"),                                                  \
		HEX(4, 0, 27, "cap_mask2", "CAP MASK 2", 0, "CapabilityMask2"),                    \
		FLAGS(4, 0, 27, names2_, "capabilities2", "CAPABILITIES 2", SHOW,                  \
		      "CapabilityMask2 in words"),                                                 \
		REAL(7, 3, 5, time_usec_numbers, "response_time_usec", "RESPONSE us", SHOW,        \
		     "longest time to an answer"),                                                 \
		GID(8, "redirect_gid", "REDIRECT GID", 0, "GID to send requests to instead"),      \
		NUM(24, 0, 8, "redirect_traffic_class", "REDIRECT TCLASS", 0,                      \
		    "traffic class of requests sent there"),                                       \
		NUM(25, 0, 4, "redirect_sl", "REDIRECT SL", 0,                                     \
		    "service level of requests sent there"),                                       \
		HEX(25, 4, 20, "redirect_flow_label", "REDIRECT FLOW", 0,                          \
		    "flow label of requests sent there"),                                          \
		NUM(28, 0, 16, "redirect_lid", "REDIRECT LID", SHOW,                               \
		    "LID to send requests to instead; 0: none"),                                   \
		HEX(30, 0, 16, "redirect_pkey", "REDIRECT PKEY", 0,                                \
		    "partition key of requests sent there"),                                       \
		NUM(33, 0, 24, "redirect_qpn", "REDIRECT QP", SHOW,                                \
		    "queue pair to send requests to instead"),                                     \
		HEX(36, 0, 32, "redirect_qkey", "REDIRECT QKEY", 0,                                \
		    "queue key of requests sent there"),                                           \
		GID(40, "trap_gid", "TRAP GID", 0, "GID that traps are sent to"),                  \
		NUM(56, 0, 8, "trap_traffic_class", "TRAP TCLASS", 0, "traffic class of traps"),   \
		NUM(57, 0, 4, "trap_sl", "TRAP SL", 0, "service level of traps"),                  \
		HEX(57, 4, 20, "trap_flow_label", "TRAP FLOW", 0, "flow label of traps"),          \
		NUM(60, 0, 16, "trap_lid", "TRAP LID", SHOW,                                       \
		    "LID that traps are sent to; 0: none"),                                        \
		HEX(62, 0, 16, "trap_pkey", "TRAP PKEY", 0, "partition key of traps"),             \
		NUM(64, 0, 8, "trap_hop_limit", "TRAP HOPS", 0, "hop limit of traps"),             \
		NUM(65, 0, 24, "trap_qpn", "TRAP QP", 0, "queue pair that traps are sent to"),     \
		HEX(68, 0, 32, "trap_qkey", "TRAP QKEY", 0, "queue key of traps")

static const struct field common_fields[] = {CLASS_FIELDS(common_names, no_names)};
static const struct field perf_fields[] = {CLASS_FIELDS(perf_names, perf_names2)};
static const struct field sa_fields[] = {CLASS_FIELDS(sa_names, sa_names2)};

const struct schema class_port_info_schema = MAD_SCHEMA(
	"class_port_info", common_fields, "the capabilities and addresses of the agent of a class");
const struct schema perf_class_port_info_schema = MAD_SCHEMA(
	"perf_class_port_info", perf_fields,
	"the capabilities and addresses of the performance management agent");
const struct schema sa_class_port_info_schema = MAD_SCHEMA(
	"sa_classportinfo", sa_fields, "the capabilities and addresses of subnet administration");

const struct mad_attribute class_attributes[] = {
	CLASS_PORT_INFO(0, "cpi", &class_port_info_schema),
	{.schema = NULL},
};

static const struct mad_attribute *find(const struct mad_attribute *attributes, unsigned int id)
{
	for (; attributes->schema; attributes++)
		if (attributes->id == id)
			return attributes;
	return NULL;
}

const struct mad_attribute *mad_attribute_find(unsigned int mgmt_class, unsigned int id)
{
	const struct mad_attribute *attribute = find(mad_attributes_of(mgmt_class), id);

	/*
	 * Subnet management has no ClassPortInfo: it shares no attribute with other classes,
	 * 14.2.5.
	 */
	if (!attribute && !mad_class_is_smp(mgmt_class))
		attribute = find(class_attributes, id);
	return attribute;
}

const struct mad_attribute *sa_attribute_of_query(const struct mad_attribute *attribute)
{
	return attribute->id == UMAD_SA_ATTR_TRACE_REC ? find(sa_attributes, UMAD_SA_ATTR_PATH_REC)
						       : attribute;
}

const struct mad_attribute *sa_attribute_of_answer(const struct mad_attribute *attribute)
{
	return attribute->id == UMAD_SA_ATTR_MULTI_PATH_REC
		       ? find(sa_attributes, UMAD_SA_ATTR_PATH_REC)
		       : attribute;
}

const struct mad_attribute *mad_attribute_at(const struct mad_attribute *attributes, size_t number)
{
	for (; attributes->schema; attributes++)
		if (attributes->word && !number--)
			return attributes;
	return NULL;
}

const struct mad_attribute *mad_attribute_find_word(const struct mad_attribute *attributes,
						    const char *word)
{
	for (; attributes->schema; attributes++) {
		if (attributes->word && !strcmp(attributes->word, word))
			return attributes;
		if (attributes->alias && !strcmp(attributes->alias, word))
			return attributes;
	}
	return NULL;
}

char *mad_attribute_example(unsigned int mgmt_class)
{
	/* No table is empty, and the first attribute of each has a word. */
	const struct mad_attribute *first = mad_attributes_of(mgmt_class);
	const struct mad_attribute *usual = mad_attribute_find_word(first, "portcounters") ?: first;

	return mem_format("a number up to 0xffff, or a name such as %s or %s", usual->name,
			  usual->word);
}

void mad_record_clear(struct mad_record *record)
{
	free(record->object);
	free(record->node);
	free(record->destination);
	*record = (struct mad_record){.object = NULL};
}
