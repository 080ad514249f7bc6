/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/limits/name_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

enum { ENTRIES_MOST = 1024 }; /* a range may cover more names than anyone has */

void name_filter_clear(struct name_filter *filter)
{
	for_each (entry, filter)
		free(entry->name);
	free(filter->items);
	*filter = (struct name_filter){.count = 0};
}

/* Adds NAME or NAME:PORT; NCCL takes a non-numeric port as 0, like atoi() does. */
static void add_entry(struct name_filter *filter, const char *text)
{
	const size_t length = strcspn(text, ":");
	const char *port = text[length] ? text + length + 1 : "";
	struct name_entry *entry;

	if (!length || filter->count == ENTRIES_MOST)
		return;
	entry = mem_append(&filter->items, &filter->count, sizeof(*entry));
	entry->name = mem_format("%.*s", (int)length, text);
	entry->port = *port && *port != ':' ? (int)strtol(port, NULL, 10) : -1;
}

void name_filter_parse_nccl(struct name_filter *filter, const char *value)
{
	const bool exclude = *value == '^', exact = value[exclude] == '=';
	_cleanup_(freep) char *copy = mem_string(value + exclude + exact);
	char *rest = copy, *entry;

	*filter = (struct name_filter){.exclude = exclude, .exact = exact};
	while ((entry = strsep(&rest, ",")))
		add_entry(filter, entry);
}

/*
 * Expands PREFIX[FIRST-LAST]SUFFIX with one range; anything else is a single name. Digits only: %u
 * takes -1 for the last number of all, after which no loop ends.
 */
static void add_range(struct name_filter *filter, const char *entry)
{
	const char *bracket = strchr(entry, '[');
	char from[6], to[6];
	unsigned long first, last;
	int length = 0;

	if (!bracket || sscanf(bracket, "[%5[0-9]-%5[0-9]]%n", from, to, &length) != 2 || !length) {
		add_entry(filter, entry);
		return;
	}
	first = strtoul(from, NULL, 10);
	last = strtoul(to, NULL, 10);
	if (first > last)
		add_entry(filter, entry);
	for (; first <= last && filter->count < ENTRIES_MOST; first++) {
		_cleanup_(freep) char *name = mem_format("%.*s%lu%s", (int)(bracket - entry), entry,
							 first, bracket + length);

		add_entry(filter, name);
	}
}

void name_filter_parse_ucx(struct name_filter *filter, const char *value)
{
	const bool exclude = *value == '^';
	_cleanup_(freep) char *copy = mem_string(value + exclude);
	char *rest = copy, *entry;

	*filter = (struct name_filter){.exclude = exclude, .exact = true};
	if (!strcmp(copy, "all"))
		return;
	while ((entry = strsep(&rest, ","))) {
		entry += strspn(entry, " \t");
		entry[strcspn(entry, " \t")] = '\0';
		add_range(filter, entry);
	}
}

static bool name_matches(const struct name_filter *filter, const char *wanted, const char *name,
			 size_t length)
{
	const size_t wanted_length = strlen(wanted);

	return (filter->exact ? wanted_length == length : wanted_length <= length) &&
	       !memcmp(wanted, name, wanted_length);
}

bool name_entry_matches(const struct name_filter *filter, const struct name_entry *entry,
			const struct strings *names, const struct strings *ports)
{
	for (size_t i = 0; i < names->count; i++)
		if ((entry->port < 0 || !ports) &&
		    name_matches(filter, entry->name, names->items[i], strlen(names->items[i])))
			return true;
	for (size_t i = 0; ports && entry->port >= 0 && i < ports->count; i++) {
		const char *slash = strrchr(ports->items[i], '/');

		if (slash && strtol(slash + 1, NULL, 10) == entry->port &&
		    name_matches(filter, entry->name, ports->items[i],
				 (size_t)(slash - ports->items[i])))
			return true;
	}
	return false;
}

/* setEnvFile() in NCCL's src/misc/param.cc: white space is kept, and the first value wins. */
char *nccl_conf_find(const char *text, const char *name)
{
	_cleanup_(freep) char *label = mem_format("%s=", name);
	const char *value = text_line(text, label);

	return value ? mem_format("%.*s", (int)strcspn(value, "\n"), value) : NULL;
}

/*
 * The transports that carry messages between hosts, and their other names: ucp_tl_aliases in UCX's
 * src/ucp/core/ucp_context.c. Those with mlx5 in their names need a device with that interface
 * (UCT_IB_DEVICE_FLAG_MLX5_PRM), srd one of EFA (uct_srd_query_tl_devices()), and rc_verbs one with
 * reliable connections, which EFA lacks. gga_mlx5 and rc_gda have no UCT_IFACE_FLAG_AM_BCOPY.
 */
static const struct transport {
	const char *name, *aliases[3];
	const char *only, *never; /* drivers */
} transports[] = {
	{"rc_verbs", {"rc_v", "rc", "ib"}, NULL, "efa"},
	{"rc_mlx5", {"rc_x", "rc", "ib"}, "mlx5_core", NULL},
	{"dc_mlx5", {"dc_x", "dc", "ib"}, "mlx5_core", NULL},
	{"ud_verbs", {"ud_v", "ud", "ib"}, NULL, NULL},
	{"ud_mlx5", {"ud_x", "ud", "ib"}, "mlx5_core", NULL},
	{"srd", {"ib"}, "efa", NULL},
};

static bool has_transport(const char *driver, const struct transport *transport)
{
	if (!strcmp(driver, DRIVER_UNKNOWN))
		return true;
	if (transport->only)
		return !strcmp(driver, transport->only);
	return !transport->never || strcmp(driver, transport->never) != 0;
}

static bool is_available(const struct transport *transport, const struct strings *drivers)
{
	for (size_t i = 0; i < drivers->count; i++)
		if (has_transport(drivers->items[i], transport))
			return true;
	return !drivers->count;
}

/* A name with a suffix (ud:aux) is that of an auxiliary transport, which connects others. */
static bool is_listed(const struct transport *transport, const struct name_filter *filter)
{
	for_each (entry, filter) {
		const char *name = entry->name;

		if (entry->port >= 0)
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(transport->aliases); j++)
			if (transport->aliases[j] && !strcmp(name, transport->aliases[j]))
				return true;
		/* A backslash means that the name is not an alias. */
		if (!strcmp(name + (*name == '\\'), transport->name))
			return true;
	}
	return false;
}

/* ucp_is_resource_in_transports_list(), without auxiliary transports. */
bool ucx_transports_have_rdma(const struct name_filter *filter, const struct strings *drivers)
{
	const bool all = !filter->count;

	for_each_in (transport, transports, ARRAY_SIZE(transports))
		if (is_available(transport, drivers) &&
		    (all || is_listed(transport, filter) != filter->exclude))
			return true;
	return false;
}
