/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/port_counters.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/* The specification's names, spelled as in libibmad/src/fields.c of rdma-core. */
static const struct {
	const char *name, *key;
} names[] = {
	{"SymbolErrorCounter", "symbol_errors"},
	{"LinkErrorRecoveryCounter", "link_error_recoveries"},
	{"LinkDownedCounter", "link_downed"},
	{"PortRcvErrors", "rcv_errors"},
	{"PortRcvRemotePhysicalErrors", "rcv_remote_physical_errors"},
	{"PortRcvSwitchRelayErrors", "rcv_switch_relay_errors"},
	{"PortXmitDiscards", "xmit_discards"},
	{"PortXmitConstraintErrors", "xmit_constraint_errors"},
	{"PortRcvConstraintErrors", "rcv_constraint_errors"},
	{"LocalLinkIntegrityErrors", "local_link_integrity_errors"},
	{"ExcessiveBufferOverrunErrors", "excessive_buffer_overruns"},
	{"QP1Dropped", "qp1_dropped"},
	{"VL15Dropped", "vl15_dropped"},
	{"PortXmitWait", "xmit_wait_ticks"},
};

static void init(const struct schema *schema, uint64_t least, uint64_t *limits)
{
	for (size_t i = 0; i < schema->field_count && i < ERROR_LIMITS_MOST; i++)
		limits[i] = schema->fields[i].tag == PERF_GROUP_ERRORS ? least : ERROR_LIMIT_NEVER;
}

void error_limits_init(struct error_limits *limits, uint64_t least)
{
	*limits = (struct error_limits){.by_counter = {0}};
	if (least == ERROR_LIMIT_NEVER)
		least--;
	init(&perf_schema, least, limits->by_counter);
	init(&perf_counters_schema, least, limits->by_part);
}

/* Returns false if the schema has no such counter that can be an error. */
static bool set_in(const struct schema *schema, const char *key, uint64_t least, uint64_t *limits)
{
	for (size_t i = 0; i < schema->field_count && i < ERROR_LIMITS_MOST; i++) {
		const unsigned int group = schema->fields[i].tag;

		if ((group != PERF_GROUP_ERRORS && group != PERF_GROUP_CONGESTION) ||
		    strcmp(schema->fields[i].key, key))
			continue;
		limits[i] = least;
		return true;
	}
	return false;
}

/* Sets the limit of one counter. Returns -ENOENT if there is no such counter. */
static int set(struct error_limits *limits, const char *name, uint64_t least)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name))
			name = names[i].key;
	if (!set_in(&perf_schema, name, least, limits->by_counter))
		return -ENOENT;
	set_in(&perf_counters_schema, name, least, limits->by_part);
	return 0;
}

int error_limits_ignore(struct error_limits *limits, const char *list, char **ret_wrong)
{
	_cleanup_(freep) char *copy = mem_string(list);
	char *rest = copy, *name;

	while ((name = strsep(&rest, ","))) {
		if (!set(limits, name, ERROR_LIMIT_NEVER))
			continue;
		*ret_wrong = text_clean(name, strlen(name));
		return -ENOENT;
	}
	return 0;
}

static int parse_line(struct error_limits *limits, char *line)
{
	char *name = line + strspn(line, " \t\r"), *value = strchr(name, '=');
	uint64_t most;

	if (!*name || *name == '#')
		return 0;
	if (!value)
		return -EINVAL;
	*value++ = '\0';
	name[strcspn(name, " \t")] = '\0';
	value += strspn(value, " \t");
	value[strcspn(value, " \t\r#")] = '\0';
	if (text_parse_u64(value, 0, ERROR_LIMIT_NEVER - 2, &most) || set(limits, name, most + 1))
		return -EINVAL;
	return 0;
}

int error_limits_parse(struct error_limits *limits, const char *text, unsigned int *ret_line)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line;
	unsigned int number = 0;

	while ((line = strsep(&rest, "\n"))) {
		number++;
		if (!parse_line(limits, line))
			continue;
		*ret_line = number;
		return -EINVAL;
	}
	return 0;
}
