/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "metric/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "counter/counters.h"
#include "counter/pma_probe.h"
#include "host/need.h"
#include "metric/metric_parts.h"

#define NEEDS                                                                              \
	(NEED_NODE_TYPE | NEED_FIRMWARE | NEED_NODE_GUID | NEED_BOARD_ID | NEED_HCA_TYPE | \
	 NEED_DRIVER | NEED_PCI_ADDRESS | NEED_NUMA | NEED_LINK_LAYER | NEED_STATE |       \
	 NEED_PHYSICAL_STATE | NEED_RATE | COUNTERS_NEEDS_NETDEV)

#define NSEC_PER_SEC 1e9

struct scrape {
	const struct metrics_request *request;
	struct metrics *metrics;
	struct problems *problems;
	struct inventory inventory;
};

static void label_number(struct metric_sample *sample, const char *name,
			 const struct number *number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number->value);
	metric_label(sample, name, number->known ? text : NULL);
}

void metric_label_port(struct metric_sample *sample, const struct port *port)
{
	metric_label(sample, "device", port->device);
	label_number(sample, "port", &port->port);
}

static void add_device(struct scrape *scrape, const struct device *device)
{
	const struct field *field = schema_find(&device_schema, "node_guid");
	struct metric_sample *sample = metric_add(
		metrics_family(scrape->metrics, "rdma_device", METRIC_INFO, NULL,
			       "What the device is; the value is always 1."),
		1);
	struct value guid;

	metric_label(sample, "device", device->name);
	metric_label(sample, "driver", device->driver);
	metric_label(sample, "firmware", device->firmware);
	metric_label(sample, "board_id", device->board_id);
	metric_label(sample, "hca_type", device->hca_type);
	field_get(field, device, &guid);
	metric_label(sample, "node_guid", guid.kind == VALUE_STRING ? guid.string : NULL);
	metric_label(sample, "pci_address", device->pci_address);
	label_number(sample, "numa_node", &device->numa_node);
}

/* Adds one sample for each word, 1 for the state that the port is in. */
static void add_states(struct scrape *scrape, const struct port *port, const char *name,
		       const char *help, const struct enum_name *words, const struct number *state)
{
	struct metric_family *family = metrics_family(scrape->metrics, name, METRIC_GAUGE, NULL,
						      help);

	for (; state->known && words->word; words++) {
		struct metric_sample *sample = metric_add(family, words->value == state->value);

		metric_label_port(sample, port);
		metric_label(sample, "state", words->word);
	}
}

static void add_port(struct scrape *scrape, const struct port *port)
{
	struct metrics *metrics = scrape->metrics;
	struct metric_sample *sample = metric_add(
		metrics_family(metrics, "rdma_port", METRIC_INFO, NULL,
			       "What the port is; the value is always 1."),
		1);

	metric_label_port(sample, port);
	metric_label(sample, "link_layer",
		     port->link_layer.known
			     ? enum_word(link_layer_names, port->link_layer.value, NULL)
			     : NULL);
	metric_label(sample, "netdev", port->netdev);
	metric_label(sample, "speed", port->speed);
	label_number(sample, "width_lanes", &port->width_lanes);
	add_states(scrape, port, "rdma_port_state",
		   "Logical state of the port: 1 for the one that it is in.", port_state_names,
		   &port->state);
	add_states(scrape, port, "rdma_port_physical_state",
		   "Physical state of the port: 1 for the one that it is in.", physical_state_names,
		   &port->physical_state);
	if (port->rate_gbps.known)
		metric_label_port(
			metric_add_real(metrics_family(metrics, "rdma_port_rate_bytes_per_second",
						       METRIC_GAUGE, "bytes_per_second",
						       "Rate of the link as it is now, all lanes."),
					port->rate_gbps.value * METRIC_BYTES_PER_GBIT),
			port);
}

/* rdma_port_tx_bytes, rdma_device_...; those of the netdev and of the CM are kept apart. */
static char *name_of(const struct counter_reading *reading)
{
	const char *place = reading->port ? "port" : "device", *counter = reading->counter;

	if (reading->source == COUNTER_SOURCE_NETDEV)
		place = "netdev";
	if (reading->source == COUNTER_SOURCE_CM) {
		place = "cm";
		counter += strncmp(counter, "cm_", 3) ? 0 : 3;
	}
	return mem_format("rdma_%s_%s", place, counter);
}

static void label_reading(struct metric_sample *sample, const struct counter_reading *reading)
{
	metric_label(sample, "device", reading->device ? reading->device->name : NULL);
	if (reading->port)
		label_number(sample, "port", &reading->port->port);
	metric_label(sample, "netdev", reading->netdev);
}

static void add_counter(struct scrape *scrape, const struct counter_reading *reading)
{
	_cleanup_(freep) char *own_name = NULL;
	const char *name;
	struct metric_sample *sample;

	if (!reading->name || !reading->value.known)
		return;
	if (scrape->request->node_exporter)
		name = node_exporter_counter(reading);
	else
		name = own_name = name_of(reading);
	if (!name)
		return;
	sample = metric_add(metrics_family(scrape->metrics, name,
					   counter_reading_name(reading)->kind == COUNTER_GAUGE
						   ? METRIC_GAUGE
						   : METRIC_COUNTER,
					   enum_word(counter_unit_names,
						     counter_reading_name(reading)->unit, NULL),
					   reading->name->meaning),
			    reading->value.value);
	label_reading(sample, reading);
	if (!reading->saturated || scrape->request->node_exporter)
		return;
	sample = metric_add(
		metrics_family(
			scrape->metrics, "rdma_saturated", METRIC_GAUGE, NULL,
			"1 for a counter that has stopped at its maximum: it has to be reset."),
		1);
	label_reading(sample, reading);
	metric_label(sample, "counter", reading->counter);
}

static bool wants(const void *context, enum counter_source source, const char *kernel_name,
		  const struct counter_name *name)
{
	const struct scrape *scrape = context;

	(void)source;
	(void)kernel_name;
	return name &&
	       (!scrape->request->groups.known || scrape->request->groups.value >> name->group & 1);
}

static void add_counters(struct scrape *scrape)
{
	struct counters_request request = {
		.root = scrape->request->root,
		.inventory = &scrape->inventory,
		.sources = COUNTERS_ALL_SOURCES,
		.wants = wants,
		.context = scrape,
		/* node_exporter's names distinguish the agent's counters from the driver's. */
		.once = !scrape->request->node_exporter,
	};
	_cleanup_(counter_readings_clear) struct counter_readings readings = {0};
	struct counter_loader *loader;
	int rc = counter_loader_open(&request, &loader);

	if (rc) {
		problem_add_text(scrape->problems, NULL, "counters", "sysfs", strerror(-rc), NULL);
		return;
	}
	counter_loader_read(loader, &readings, scrape->problems, NULL);
	for (size_t i = 0; i < readings.count; i++)
		add_counter(scrape, &readings.items[i]);
	/* Both folders of a driver may have the same counter. */
	for (size_t i = 0; !request.once && i < scrape->metrics->count; i++)
		metric_unite(&scrape->metrics->families[i]);
	counter_loader_free(loader);
}

static void add_problems(struct scrape *scrape)
{
	struct metric_family *family = metrics_family(
		scrape->metrics, "rdma_scrape_problem", METRIC_GAUGE, NULL,
		"1 for each thing that could not be read, and so has no sample.");

	for (size_t i = 0; i < scrape->problems->count; i++) {
		const struct problem *problem = &scrape->problems->items[i];
		struct metric_sample *sample = metric_add(family, 1);

		metric_label(sample, "object", problem->object);
		metric_label(sample, "attribute", problem->attribute);
		metric_label(sample, "source", problem->source);
		metric_label(sample, "error", problem->error);
	}
	/* The doctor reads some things again, and meets the same problems. */
	metric_unite(family);
}

static void add_self(struct scrape *scrape, uint64_t began_nsec)
{
	struct metrics *metrics = scrape->metrics;

	metric_label(metric_add(metrics_family(metrics, "rdma_exporter", METRIC_INFO, NULL,
					       "The program that produced these metrics."),
				1),
		     "version", scrape->request->version);
	metric_add(metrics_family(metrics, "rdma_devices", METRIC_GAUGE, NULL,
				  "RDMA devices of the host, without those that were left out."),
		   scrape->inventory.devices.count);
	metric_add_real(metrics_family(metrics, "rdma_scrape_duration_seconds", METRIC_GAUGE,
				       "seconds", "How long it took to read all metrics."),
			(double)(clock_nsec() - began_nsec) / NSEC_PER_SEC);
}

static void add_device_and_ports(struct scrape *scrape, const struct device *device)
{
	if (scrape->request->node_exporter)
		node_exporter_add_device(scrape->metrics, device);
	else
		add_device(scrape, device);
	for (size_t i = 0; i < device->port_count; i++) {
		if (scrape->request->node_exporter)
			node_exporter_add_port(scrape->metrics, &device->ports[i]);
		else
			add_port(scrape, &device->ports[i]);
	}
}

int metrics_collect(const struct metrics_request *request, struct metrics *metrics,
		    struct problems *problems)
{
	const uint64_t began_nsec = clock_nsec();
	const struct inventory_request what = {
		.root = request->root,
		.needs = NEEDS,
		.objects = request->objects,
		.closed = true,
	};
	struct scrape scrape = {.request = request, .metrics = metrics, .problems = problems};
	int rc = inventory_load(&scrape.inventory, &what, problems, NULL);

	for (size_t i = 0; !rc && i < scrape.inventory.devices.count; i++)
		add_device_and_ports(&scrape, &scrape.inventory.devices.items[i]);
	if (!rc) {
		pma_leave_out_restricted(request->root, &scrape.inventory.devices, problems);
		add_counters(&scrape);
		metrics_add_commands(metrics, &scrape.inventory, request->objects, request->top,
				     problems);
	}
	if (request->checks)
		metrics_add_checks(metrics, request->root, request->objects, problems);
	add_problems(&scrape);
	add_self(&scrape, began_nsec);
	inventory_free(&scrape.inventory);
	return rc;
}
