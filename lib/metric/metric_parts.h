/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics of subjects other than state and counters (processes, and the doctor's verdicts), and the
 * names of node_exporter.
 */
#pragma once

#include "counter/counter_reading.h"
#include "doctor/frame/doctor.h"
#include "host/inventory/inventory.h"
#include "metric/metric.h"
#include "resource/processes.h"

#define METRIC_BYTES_PER_GBIT (1e9 / 8)

/* Adds the labels device and port. */
void metric_label_port(struct metric_sample *sample, const struct port *port);

/* Returns the name in node_exporter's infiniband collector; NULL if that lacks the counter. */
const char *node_exporter_counter(const struct counter_reading *reading);
void node_exporter_add_device(struct metrics *metrics, const struct device *device);
void node_exporter_add_port(struct metrics *metrics, const struct port *port);

/*
 * Adds registered memory, queue pairs and memory regions of the `top` commands that have registered
 * most, each the sum over the processes of the command. Adds nothing for a saved tree, which lists
 * no objects.
 */
void metrics_add_commands(struct metrics *metrics, const struct inventory *inventory,
			  const struct objects *objects, unsigned int top,
			  struct problems *problems);
/* Does the same for processes that are already known. */
void metrics_add_usages(struct metrics *metrics, const struct process_usage_list *usages,
			unsigned int top);
/* Adds the verdict of each check on each object; what was not checked has no sample. */
void metrics_add_checks(struct metrics *metrics, const char *root, const struct objects *objects,
			struct problems *problems);
/* Does the same for results that are already known. */
void metrics_add_verdicts(struct metrics *metrics, const struct doctor_results *results);
