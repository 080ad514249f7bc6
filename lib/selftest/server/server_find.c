/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The port that a server opens for a client: the one that the client names, or one that fits; and
 * the list of ports to choose from.
 */

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/inventory/inventory.h"
#include "selftest/rails/rails.h"
#include "selftest/server/server_client.h"

static char *say_unlisted(const struct problems *problems)
{
	return problems->count ? problem_line(&problems->items[0])
			       : mem_string("cannot list the RDMA devices");
}

int serve_find_port(const struct selftest_service *service, const struct ip_address *local,
		    const struct message_open *order, struct endpoint *ret_endpoint,
		    char **ret_reason, char **ret_hint)
{
	const struct inventory_request request = {
		.needs = ENDPOINT_NEEDS,
		.objects = service->objects,
		.uses_verbs = true,
	};
	const struct endpoint_wish wish = {
		.gid_index = order->with_gid_index ? number_of(order->gid_index)
						   : service->gid_index,
		.peer = &order->near,
		.named = service->objects->count,
	};
	_cleanup_(inventory_free) struct inventory inventory = {0};
	_cleanup_(problems_free) struct problems problems = {0};
	int rc = inventory_load(&inventory, &request, &problems, NULL);

	if (!rc && order->device[0])
		rc = endpoint_of_name(&inventory, order->device, order->port, &wish, ret_endpoint,
				      ret_reason, ret_hint);
	else if (!rc)
		rc = endpoint_of_address(&inventory, local, &wish, ret_endpoint, ret_reason,
					 ret_hint);
	else
		*ret_reason = say_unlisted(&problems);
	return rc;
}

int serve_list_ports(const struct selftest_service *service, uint32_t first,
		     struct message_listed *ret_ports, char **ret_reason)
{
	const struct inventory_request request = {
		.needs = RAIL_NEEDS,
		.objects = service->objects,
		.uses_verbs = true,
	};
	_cleanup_(freep) struct listed_port *ports = NULL;
	_cleanup_(inventory_free) struct inventory inventory = {0};
	_cleanup_(problems_free) struct problems problems = {0};
	size_t count = 0;
	int rc = inventory_load(&inventory, &request, &problems, NULL);

	if (rc) {
		*ret_reason = say_unlisted(&problems);
	} else {
		rails_list(&inventory, &service->gid_index, &ports, &count);
		*ret_ports = (struct message_listed){
			.total = (uint32_t)(count < MOST_RAILS ? count : MOST_RAILS)};
		for (size_t i = first; i < ret_ports->total && ret_ports->count < LIMIT_PORTS; i++)
			ret_ports->items[ret_ports->count++] = ports[i];
	}
	return rc;
}
