/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters: which counters and changes the options select. */
#include "cmd/counters/counters.h"

static bool names_kinds(const struct counters_args *args)
{
	return args->errors || args->drops || args->group.known;
}

static bool is_trouble(const struct counter_name *name)
{
	return name->severity >= COUNTER_WARNING;
}

/* The default choice: traffic of a port, and signs of trouble. */
static bool matters(enum counter_source source, const struct counter_name *name)
{
	if (source == COUNTER_SOURCE_CM || source == COUNTER_SOURCE_NETDEV)
		return false;
	return is_trouble(name) || (name->group == COUNTER_GROUP_TRAFFIC && !name->part);
}

static bool selects(const struct counters_run *run, enum counter_source source,
		    const struct counter_name *name)
{
	const struct counters_args *args = run->args;
	enum counter_group group = name ? name->group : COUNTER_GROUP_OTHER;

	if (args->group.known && !(args->group.value & 1u << group))
		return false;
	if (args->drops && !(name && counter_name_counts_loss(name)))
		return false;
	if (args->errors && !(name && is_trouble(name)))
		return false;
	return args->all || names_kinds(args) || (name && matters(source, name));
}

/* A counter that is not in the catalogue may or may not count errors. */
static bool may_be_error(const struct counters_args *args, const struct counter_name *name)
{
	return args->errors && !name && !args->drops &&
	       (!args->group.known || args->group.value & 1u << COUNTER_GROUP_OTHER);
}

bool counters_wants(const struct counters_run *run, enum counter_source source,
		    const struct counter_name *name)
{
	return selects(run, source, name) || may_be_error(run->args, name);
}

void counters_tell_undescribed(struct counters_run *run, size_t count)
{
	if (count)
		problem_add_format(&run->listing.problems, NULL, NULL, NULL, NULL,
				   count == 1 ? "%zu undescribed counter is not 0: -a lists it"
					      : "%zu undescribed counters are not 0: -a lists them",
				   count);
}

bool counters_is_undescribed(const struct counters_run *run, const struct counter_reading *reading)
{
	return may_be_error(run->args, reading->name) && reading->counter && reading->value.value;
}

bool counters_shows(const struct counters_run *run, const struct counter_reading *reading)
{
	const struct counters_args *args = run->args;

	if (!selects(run, reading->source, reading->name))
		return false;
	/* Nothing is wrong as long as errors are 0; an unknown number is not 0. */
	if (!reading->value.known || reading->value.value || args->all)
		return true;
	if (args->errors)
		return false;
	return names_kinds(args) || !(reading->name && is_trouble(reading->name));
}

static bool wants_any(const struct counters_run *run, const struct counter_names *table,
		      enum counter_source source)
{
	for (size_t i = 0; i < table->count; i++)
		if (counters_wants(run, source, &table->rows[i]))
			return true;
	return false;
}

unsigned int counters_sources(const struct counters_run *run)
{
	unsigned int sources = 0;

	for (size_t i = 0; counter_catalogue[i]; i++) {
		const struct counter_names *table = counter_catalogue[i];

		if (wants_any(run, table, table->source))
			sources |= 1u << table->source;
	}
	/* Names that are not in the catalogue most likely belong to drivers. */
	if (counters_wants(run, COUNTER_SOURCE_HW, NULL))
		sources |= 1u << COUNTER_SOURCE_HW | 1u << COUNTER_SOURCE_PMA;
	if (sources & 1u << COUNTER_SOURCE_HW)
		sources |= 1u << COUNTER_SOURCE_DEVICE;
	return sources;
}

bool counters_move_is_shown(const struct counters_run *run, const struct counter_change *change)
{
	struct counter_reading reading = change->reading;

	/* A counter matters because it moved, whatever its value. */
	if (change->growth.known) {
		reading.value = change->growth;
		reading.saturated = false;
	} else if (change->state.value == CHANGE_CLEARED ||
		   change->state.value == CHANGE_SATURATED) {
		number_set(&reading.value, 1);
	}
	return counters_shows(run, &reading);
}
