/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet whose nodes answer as the input says, and stop answering at its end: the scan, its
 * details, tables, counters, modules and managers, and the checks of them. All of it ends, cables
 * have two ends, and the result can be written and read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "fabric/check/check.h"
#include "fabric/scan/cable_info.h"
#include "fabric/scan/port_counters.h"
#include "graph_file.h"

#define HEADROOM   16u
#define WINDOW	   4u
#define MOST_PORTS 400u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct subnet {
	const uint8_t *data;
	size_t left;
	unsigned char sent[WINDOW][MAD_BYTES]; /* requests that are not answered yet */
	size_t waiting;
	struct fabric fabric;
	struct fabric_scan_options options;
	struct mad_engine *engine;
};

static uint8_t draw(struct subnet *subnet)
{
	if (!subnet->left)
		return 0;
	subnet->left--;
	return *subnet->data++;
}

static int add_agent(void *context, const struct mad_agent *agent)
{
	(void)context;
	(void)agent;
	return 1;
}

static int send_mad(void *context, int agent, const struct mad_address *to, unsigned char *buffer,
		    size_t bytes, unsigned int timeout_msec)
{
	struct subnet *subnet = context;

	(void)agent;
	(void)to;
	(void)timeout_msec;
	if (bytes != MAD_BYTES || subnet->waiting == WINDOW)
		abort();
	memcpy(subnet->sent[subnet->waiting++], buffer + HEADROOM, MAD_BYTES);
	return 0;
}

/* Few nodes with few ports, so that the same ones appear again; then some bytes are arbitrary. */
static void make_data(struct subnet *subnet, unsigned int attribute, unsigned char *data,
		      size_t bytes)
{
	unsigned int changes = draw(subnet) % 8;

	memset(data, 0, bytes);
	if (attribute == UMAD_SM_ATTR_NODE_INFO) {
		data[2] = (unsigned char)(NODE_TYPE_CA + draw(subnet) % 3);
		data[3] = draw(subnet) % 9;
		data[19] = draw(subnet) % 16;
		data[36] = draw(subnet) % 9;
	} else if (attribute == UMAD_SM_ATTR_PORT_INFO) {
		data[17] = draw(subnet) % 16; /* LID */
		data[19] = draw(subnet) % 16; /* MasterSMLID */
		data[32] = draw(subnet);
		data[33] = PHYSICAL_LINK_UP << 4;
	} else if (attribute == UMAD_SM_ATTR_SWITCH_INFO) {
		data[1] = data[5] = draw(subnet); /* lengths of the tables */
		data[7] = draw(subnet);
	}
	while (changes--) {
		size_t at = draw(subnet) % bytes;

		data[at] = draw(subnet);
	}
}

static int receive_mad(void *context, unsigned char *buffer, size_t *bytes, struct mad_arrival *ret)
{
	struct subnet *subnet = context;
	unsigned char *mad = buffer + HEADROOM;
	unsigned int kind = draw(subnet);

	if (!subnet->waiting)
		return -EAGAIN;
	memcpy(mad, subnet->sent[0], MAD_BYTES);
	memmove(subnet->sent[0], subnet->sent[1], --subnet->waiting * MAD_BYTES);
	*bytes = MAD_BYTES;
	*ret = (struct mad_arrival){.agent = 1};
	if (!subnet->left || kind == 255) {
		ret->error = ETIMEDOUT;
		return 0;
	}
	mad[3] |= UMAD_METHOD_RESP_MASK;
	if (kind >= 250)
		mad[5] = (unsigned char)(4 * (kind - 249));
	make_data(subnet, (unsigned int)(mad[16] << 8 | mad[17]), mad + MAD_SMP_DATA_AT,
		  MAD_BYTES - MAD_SMP_DATA_AT);
	return 0;
}

static int wait_mad(void *context, int timeout_msec)
{
	const struct subnet *subnet = context;
	const struct timespec moment = {.tv_nsec = 1000000};

	(void)timeout_msec;
	if (subnet->waiting)
		return 0;
	nanosleep(&moment, NULL);
	return -ETIMEDOUT;
}

static void close_subnet(void *context)
{
	(void)context;
}

static void check_graph(const struct fabric *fabric)
{
	if (fabric->port_count > MOST_PORTS)
		abort();
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_port *port = &fabric->ports[i];

		if (port->peer != FABRIC_NONE &&
		    (port->peer >= fabric->port_count || fabric->ports[port->peer].peer != i))
			abort();
	}
	for (size_t i = 0; i < fabric->failure_count; i++) {
		const struct fabric_view view = {.fabric = fabric};
		char *object, *message;

		fabric_failure_text(&view, &fabric->failures[i], &object, &message);
		check_clean(object);
		check_clean(message);
		free(object);
		free(message);
	}
}

static void check_modules(struct subnet *subnet)
{
	const struct fabric_view view = {.fabric = &subnet->fabric};
	const struct mad_address address = {.lid = 0};
	struct fabric_plugs plugs = {.items = NULL};

	fabric_plugs_read(subnet->engine, &subnet->options, &subnet->fabric, NULL, &plugs);
	fabric_plugs_read_registers(subnet->engine, &address, &subnet->fabric, &plugs);
	for (size_t i = 0; i < plugs.count; i++) {
		struct fabric_cable_row row;

		fabric_cable_row_make(&view, &plugs.items[i], NULL, &row);
		check_clean(row.plug.vendor);
		fabric_cable_row_clear(&row);
	}
	fabric_plugs_clear(&plugs);
}

static void read_details(struct subnet *subnet, const struct port_errors_options *options,
			 struct port_errors *errors)
{
	const struct fabric_view view = {.fabric = &subnet->fabric};
	struct error_limits limits;

	error_limits_init(&limits, 1);
	for (size_t i = 0; i < errors->count; i++) {
		struct port_errors_row row;

		if (!port_errors_row_make(&view, &errors->items[i], &limits, &row))
			continue;
		port_details_read(subnet->engine, &subnet->fabric, options, &row, 1, errors);
		check_clean(row.errors);
		check_clean(row.said_details);
		port_errors_row_clear(&row);
	}
}

static void check_all(struct subnet *subnet, const struct forwarding *forwarding)
{
	const struct fabric_view view = {.fabric = &subnet->fabric};
	const struct port_errors_options options = {.all = true};
	struct fabric_managers managers = {.items = NULL};
	struct port_errors errors = {.items = NULL};
	struct fabric_findings findings = {.items = NULL};
	struct credit_study credit = {.question = CREDIT_OF_SLS, .sls = 1, .lanes_read = true};
	const struct fabric_check_input input = {
		.view = &view,
		.managers = &managers,
		.forwarding = forwarding,
		.credit = &credit,
		.counters = &errors,
		.least = 1,
	};

	fabric_managers_read(subnet->engine, &subnet->options, &subnet->fabric, 1, &managers);
	port_errors_read(subnet->engine, &subnet->fabric, &options, &errors);
	credit_study_begin(&subnet->fabric, forwarding, &credit);
	fabric_details_read(subnet->engine, &subnet->options, &subnet->fabric, credit.any.ports);
	credit_study_end(&subnet->fabric, forwarding, &credit);
	fabric_check(&input, &findings);
	for (size_t i = 0; i < findings.count; i++) {
		check_clean(findings.items[i].finding.evidence);
		check_clean(findings.items[i].finding.next_step);
	}
	read_details(subnet, &options, &errors);
	fabric_findings_clear(&findings);
	credit_study_clear(&credit);
	port_errors_clear(&errors);
	fabric_managers_clear(&managers);
}

static void read_subnet(struct subnet *subnet)
{
	struct forwarding forwarding = {.tables = NULL};
	struct fabric *fabric = &subnet->fabric;

	if (fabric_scan(subnet->engine, &subnet->options, fabric)) {
		if (fabric->node_count)
			abort();
		return;
	}
	check_graph(fabric);
	forwarding_read(subnet->engine, &subnet->options, fabric, NULL, 0,
			FORWARDING_LINEAR | FORWARDING_MULTICAST, &forwarding);
	check_all(subnet, &forwarding);
	check_modules(subnet);
	fabric_details_read(subnet->engine, &subnet->options, fabric, NULL);
	forwarding_store(&forwarding, fabric);
	check_round_trip(fabric);
	forwarding_clear(&forwarding);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct subnet *subnet = mem_alloc_zero(1, sizeof(*subnet));
	const struct mad_transport transport = {
		.context = subnet,
		.headroom = HEADROOM,
		.add_agent = add_agent,
		.send = send_mad,
		.receive = receive_mad,
		.wait = wait_mad,
		.close = close_subnet,
	};
	const struct mad_engine_options options = {
		.window = WINDOW, .timeout_msec = 60000, .retries_given = true};

	subnet->data = data;
	subnet->left = size;
	subnet->options.most_ports = MOST_PORTS;
	subnet->options.most_hops = draw(subnet) % 8;
	subnet->options.path_hops = draw(subnet) % 3;
	subnet->engine = mad_engine_new(&transport, &options);
	read_subnet(subnet);
	mad_engine_free(subnet->engine);
	fabric_clear(&subnet->fabric);
	free(subnet);
	return 0;
}
