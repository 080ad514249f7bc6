/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "metric/metric_parts.h"
#include "resource/processes.h"
#include "resource/resources.h"

/* The sums over the processes of one command. PIDs come and go; commands stay few. */
struct command_usage {
	const char *command; /* borrowed */
	struct number pinned_bytes, queue_pairs, memory_regions;
};

/*
 * An unknown number adds nothing, and is not taken for 0. Sums saturate instead of wrapping: the
 * complete address space (on-demand paging) is a region of 2^64 bytes.
 */
static void add_known(struct number *sum, const struct number *more)
{
	if (more->known)
		*sum = number_of(more->value > UINT64_MAX - sum->value ? UINT64_MAX
								       : sum->value + more->value);
}

static size_t sum_by_command(const struct process_usage_list *usages,
			     struct command_usage *commands)
{
	size_t count = 0;

	for (size_t i = 0; i < usages->count; i++) {
		const struct process_usage *usage = &usages->items[i];
		size_t at = 0;

		if (!usage->command)
			continue;
		while (at < count && strcmp(commands[at].command, usage->command))
			at++;
		if (at == count)
			commands[count++] = (struct command_usage){.command = usage->command};
		add_known(&commands[at].pinned_bytes, &usage->registered_bytes);
		add_known(&commands[at].queue_pairs, &usage->counts[RESOURCE_QP]);
		add_known(&commands[at].memory_regions, &usage->counts[RESOURCE_MR]);
	}
	return count;
}

static int compare_usage(const void *a, const void *b)
{
	const struct command_usage *left = a, *right = b;

	return COMPARE(right->pinned_bytes.value, left->pinned_bytes.value)
		       ?: strcmp(left->command, right->command);
}

static void add_command(struct metrics *metrics, const struct command_usage *usage)
{
	const struct {
		const char *name, *unit, *help;
		const struct number *value;
	} rows[] = {
		{"rdma_command_registered_bytes", "bytes",
		 "Memory that the processes of the command have registered.", &usage->pinned_bytes},
		{"rdma_command_queue_pairs", NULL, "Queue pairs of the processes of the command.",
		 &usage->queue_pairs},
		{"rdma_command_memory_regions", NULL,
		 "Memory regions of the processes of the command.", &usage->memory_regions},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].value->known)
			metric_label(metric_add(metrics_family(metrics, rows[i].name, METRIC_GAUGE,
							       rows[i].unit, rows[i].help),
						rows[i].value->value),
				     "command", usage->command);
}

void metrics_add_usages(struct metrics *metrics, const struct process_usage_list *usages,
			unsigned int top)
{
	_cleanup_(freep) struct command_usage *commands = mem_alloc_zero(usages->count + 1,
									 sizeof(*commands));
	const size_t count = sum_by_command(usages, commands);

	qsort(commands, count, sizeof(*commands), compare_usage);
	for (size_t i = 0; i < count && i < top; i++)
		add_command(metrics, &commands[i]);
}

void metrics_add_commands(struct metrics *metrics, const struct inventory *inventory,
			  const struct objects *objects, unsigned int top,
			  struct problems *problems)
{
	_cleanup_(process_usage_list_clear) struct process_usage_list usages = {0};

	if (!inventory->answers || !top)
		return;
	resources_of_processes(inventory, objects, &usages, problems);
	metrics_add_usages(metrics, &usages, top);
}

/* SEVERITY_INFO is the verdict not-checked. */
static const int values[] = {
	[SEVERITY_OK] = 0,	[SEVERITY_INFO] = -1, [SEVERITY_NOTICE] = 1,
	[SEVERITY_WARNING] = 2, [SEVERITY_ERROR] = 3,
};

void metrics_add_verdicts(struct metrics *metrics, const struct doctor_results *results)
{
	struct metric_family *family = metrics_family(
		metrics, "rdma_check", METRIC_GAUGE, NULL,
		"Verdict of a check of the doctor on an object: 0 right, 1 worth a note, 2 a "
		"warning, 3 an error; checks that were not run are omitted.");

	for (size_t i = 0; i < results->count; i++) {
		const struct finding *finding = &results->items[i].finding;
		const int value = values[finding->severity.value];
		struct metric_sample *sample;

		if (value < 0)
			continue;
		sample = metric_add(family, (uint64_t)value);
		metric_label(sample, "check",
			     enum_word(doctor_check_names, finding->id.value, NULL));
		metric_label(sample, "object", finding->object);
	}
	/* A check may have several verdicts on an object: the worst counts. */
	metric_unite(family);
}

void metrics_add_checks(struct metrics *metrics, const char *root, const struct objects *objects,
			struct problems *problems)
{
	struct doctor_request request = {.root = root, .objects = objects, .environment = environ};
	_cleanup_(doctor_results_free) struct doctor_results results = {0};

	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		request.run[i] = true;
	if (!doctor_run(&request, &results, problems))
		metrics_add_verdicts(metrics, &results);
}
