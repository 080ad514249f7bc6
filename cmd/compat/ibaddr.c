/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibaddr(8) of infiniband-diags: LIDs and GID of a port, from NodeInfo and PortInfo. */
#include "cmd/compat/ibaddr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "mad/session.h"
#include "mad/engine/gather.h"
#include "mad/engine/engine.h"
#include "schema/bits.h"

#define ABI_FILE "/sys/class/infiniband_mad/abi_version"

/* The tool tries three times. */
enum { TRIES = 3, ABI_MOST = 4096 };

struct resolver {
	const struct ibaddr_args *args;
	struct mad_port port;
	struct mad_engine *engine;
	struct mad_place place;
	uint16_t source_lid; /* of a directed route, in messages */
};

/* Formats the destination as the tool does. */
static char *place_text(const struct resolver *resolver)
{
	const struct mad_target *target = &resolver->place.target;
	char *text;

	if (target->kind != TARGET_DIRECT)
		return mem_format("Lid %u", resolver->place.address.lid);
	text = mem_format("DR path slid %u; dlid %u; 0", resolver->source_lid,
			  resolver->source_lid);
	for (unsigned int hop = 1; hop <= target->hops; hop++)
		mem_extend(&text, ",%u", target->path[hop]);
	return text;
}

/* Prints the library's messages about a failed request and its earlier tries. */
static void report_failure(const struct ibaddr_args *args, const char *function, int error,
			   const char *place)
{
	const int msec = args->timeout_msec;

	if (args->errors && error == -ETIMEDOUT) {
		for (int try = 1; try < TRIES; try++)
			compat_ibwarn("_do_madrpc", "retry %d (timeout %d ms)", try, msec);
		compat_ibwarn("_do_madrpc", "timeout after %d retries, %d ms", TRIES, TRIES * msec);
	} else if (args->errors) {
		compat_ibwarn("_do_madrpc", "send failed; %s", strerror(-error));
	}
	compat_ibwarn(function, "_do_madrpc failed; dport (%s)", place);
}

static bool ask(struct resolver *resolver, uint16_t attribute, uint32_t modifier,
		struct mad_item *item)
{
	const struct ibaddr_args *args = resolver->args;
	_cleanup_(freep) char *place = place_text(resolver);
	int rc;

	mad_smp_request(&resolver->place, UMAD_METHOD_GET, attribute, modifier, &item->request);
	item->request.key = args->mkey;
	if (args->debug)
		compat_ibwarn("smp_query_status_via", "attr 0x%x mod 0x%x route %s", attribute,
			      modifier, place);
	rc = mad_gather(resolver->engine, item, 1);
	if (rc || item->error)
		report_failure(args, "mad_rpc", rc ? rc : item->error, place);
	else if (item->status && args->errors)
		compat_ibwarn("mad_rpc", "MAD completed with error status 0x%x; dport (%s)",
			      item->status, place);
	return !rc && !item->error && !item->status;
}

static bool show_address(struct resolver *resolver, unsigned int port)
{
	const struct ibaddr_args *args = resolver->args;
	struct mad_item node = {.error = 0}, port_info = {.error = 0};
	char text[INET6_ADDRSTRLEN];
	unsigned int lid, last;
	struct gid gid;

	if (!ask(resolver, UMAD_SM_ATTR_NODE_INFO, 0, &node) ||
	    !ask(resolver, UMAD_SM_ATTR_PORT_INFO, port, &port_info))
		return false;
	bits_set(gid.raw, 0, 64, port_info_gid_prefix(port_info.data));
	bits_set(gid.raw, 64, 64, node_info_port_guid(node.data));
	lid = port_info_lid(port_info.data);
	last = lid + (1u << port_info_lmc(port_info.data)) - 1;
	if (args->gid)
		printf("GID %s ", inet_ntop(AF_INET6, gid.raw, text, sizeof(text)));
	if (args->lid > 0)
		printf("LID start 0x%x end 0x%x", lid, last);
	else if (args->lid < 0)
		printf("LID start %u end %u", lid, last);
	putchar('\n');
	return true;
}

/* Asks the subnet administrator for the path to the port with that GUID. */
static bool find_guid(struct resolver *resolver)
{
	const struct ibaddr_args *args = resolver->args;
	struct mad_route route = resolver->port.route;
	const uint16_t sm_lid = args->sm_lid ? args->sm_lid : route.sm_lid;
	_cleanup_(freep) char *manager = mem_format("Lid %u", sm_lid);
	struct mad_place *place = &resolver->place;

	route.sm_lid = sm_lid;
	route.sm_sl = args->sm_lid ? 0 : route.sm_sl;
	route.subnet_manager = sm_lid;
	route.pkey_index = args->pkey_index;
	if (args->debug && sm_lid)
		compat_ibwarn("sa_rpc_call", "attr 0x%x mod 0x0 route %s", UMAD_SA_ATTR_PATH_REC,
			      manager);
	mad_find_places(resolver->engine, &route, place, 1);
	if (!place->error)
		return true;
	if (place->error == -ENODATA)
		compat_ibwarn("sa_rpc_call", "only lid routes are supported");
	else if (place->error != -ENXIO)
		report_failure(args, "mad_rpc_rmpp", place->error, manager);
	else if (args->errors && place->status)
		compat_ibwarn("mad_rpc_rmpp", "MAD completed with error status 0x%x; dport (%s)",
			      place->status, manager);
	compat_ibwarn("ib_path_query_via", "sa call path_query failed");
	return false;
}

/* Parses a list of numbers as atoi(3) does; the first is this node. */
static bool parse_route(const char *text, struct mad_target *target)
{
	const char *comma = text;

	if (!*text)
		return false;
	for (target->hops = 0; (comma = strchr(comma, ',')); target->hops++) {
		comma++;
		/* No number follows a comma at the end. */
		if (!*comma)
			return true;
		if (target->hops == MAD_HOPS_MOST)
			return false;
		target->path[target->hops + 1] = (uint8_t)strtol(comma, NULL, 10);
	}
	return true;
}

static bool find_named(struct resolver *resolver, const char *word)
{
	struct mad_place *place = &resolver->place;

	place->target.kind = resolver->args->kind;
	switch (place->target.kind) {
	case TARGET_DIRECT:
		if (resolver->args->debug)
			compat_ibwarn("str2drpath", "DR str: %s", word);
		resolver->source_lid = MAD_LID_PERMISSIVE;
		return parse_route(word, &place->target);
	case TARGET_GUID:
		place->target.guid = strtoull(word, NULL, 0);
		return place->target.guid && find_guid(resolver);
	default:
		place->target.lid = place->address.lid = ibaddr_parse_lid(word);
		return place->address.lid;
	}
}

/* Without a LID, the local port is reached by a directed route without hops. */
static void find_self(struct resolver *resolver)
{
	struct mad_place *place = &resolver->place;
	const uint16_t lid = resolver->port.route.lid;

	place->target = (struct mad_target){.kind = lid ? TARGET_LID : TARGET_DIRECT, .lid = lid};
	place->address.lid = lid;
}

static void keep_port(struct inventory *inventory, int number)
{
	for (size_t i = 0; number > 0 && i < inventory->devices.count; i++) {
		struct device *device = &inventory->devices.items[i];
		size_t left = 0;

		for (size_t j = 0; j < device->port_count; j++)
			if (device->ports[j].port.value == (uint64_t)number)
				device->ports[left++] = device->ports[j];
			else
				port_clear(&device->ports[j]);
		device->port_count = left;
	}
}

/* Takes an Ethernet port only if there is no other, and then sets *ret_ethernet. */
static int choose_port(struct resolver *resolver, bool *ret_ethernet)
{
	const struct ibaddr_args *args = resolver->args;
	struct object object = {.device = args->adapter, .port = -1};
	const struct objects objects = {&object, args->adapter ? 1 : 0};
	const struct inventory_request request = {.needs = MAD_PORT_NEEDS, .objects = &objects};
	_cleanup_(inventory_free) struct inventory inventory = {0};
	int rc = inventory_load(&inventory, &request, NULL, NULL);

	keep_port(&inventory, args->port);
	for (int try = 0; !rc && try < 2; try++) {
		_cleanup_(freep) char *reason = NULL, *hint = NULL;

		*ret_ethernet = try;
		if (!mad_port_choose(&inventory, try, &resolver->port, &reason, &hint))
			break;
		if (try)
			rc = -ENODEV;
	}
	return rc;
}

/* The tool's library looks at this file first, and names the module if it is missing. */
static void report_abi(void)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	int rc = file_read(ABI_FILE, ABI_MOST, &text, &length);

	if (rc)
		compat_ibwarn("get_abi_version",
			      "can't read ABI version from " ABI_FILE " (%s): is ib_umad module "
			      "loaded?",
			      strerror(-rc));
}

/* Returns 0 or -errno, after printing the message of the tool's library. */
static int open_port(struct resolver *resolver)
{
	const struct ibaddr_args *args = resolver->args;
	/* The engine doubles each timeout: 1 + 2 + 4 parts equal the tool's three timeouts. */
	const struct mad_engine_options options = {
		.timeout_msec = ((unsigned int)args->timeout_msec * 3u + 6) / 7,
		.retries_given = true,
		.retries = TRIES - 1,
	};
	const struct mad_port *port = &resolver->port;
	bool ethernet = false;
	int rc = choose_port(resolver, &ethernet);

	if (!rc)
		rc = mad_open(port->device, port->port, port->smi_device, port->smi_port, &options,
			      &resolver->engine);
	if (rc)
		report_abi();
	if (rc)
		compat_ibwarn("mad_rpc_open_port", "can't open UMAD port (%s:%d)",
			      args->adapter ? args->adapter : "(null)", args->port);
	else if (ethernet)
		compat_ibwarn("mad_rpc_open_port", "client_register for mgmt %d failed",
			      UMAD_CLASS_SUBN_LID_ROUTED);
	return rc ? rc : ethernet ? -EOPNOTSUPP : 0;
}

static int resolve(struct resolver *resolver, char **words)
{
	const struct ibaddr_args *args = resolver->args;
	unsigned int port = 0;

	if (open_port(resolver))
		return compat_ibexit(args->program, args->debug, "main",
				     "Failed to open '%s' port '%d'",
				     args->adapter ? args->adapter : "(null)", args->port);
	if (words[0] && words[1])
		port = (unsigned int)strtoul(words[1], NULL, 0);
	if (words[0] && !find_named(resolver, words[0]))
		return compat_ibexit(args->program, args->debug, "main",
				     "can't resolve destination port %s", words[0]);
	if (!words[0]) {
		find_self(resolver);
		port = resolver->port.port;
	}
	if (!show_address(resolver, port))
		return compat_ibexit(args->program, args->debug, "main",
				     "can't resolve requested address");
	return 0;
}

int ibaddr_run(const struct personality_call *call, int argc, char **argv)
{
	struct ibaddr_args args;
	struct resolver resolver = {.args = &args};
	int status = ibaddr_parse(&args, call, argc, argv);

	if (status < 0 && call->root)
		status = compat_ibexit(args.program, args.debug, "main",
				       "a saved tree answers no management datagrams");
	if (status < 0)
		status = resolve(&resolver, argv + optind);
	mad_engine_free(resolver.engine);
	mad_port_clear(&resolver.port);
	ibaddr_args_clear(&args);
	return status;
}
