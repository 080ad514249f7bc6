/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list of transports of UCX. */
#include <string.h>

#include "base/mem.h"
#include "doctor/limits/name_filter.h"

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
	for (size_t i = 0; i < filter->count; i++) {
		const char *name = filter->items[i].name;

		if (filter->items[i].port >= 0)
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

	for (size_t i = 0; i < ARRAY_SIZE(transports); i++)
		if (is_available(&transports[i], drivers) &&
		    (all || is_listed(&transports[i], filter) != filter->exclude))
			return true;
	return false;
}
