/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares the host with an expectation file: see doctor/frame/expect.def. */
#include "doctor/expect/expect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/limits/limits.h"

enum { MOST_FILE_BYTES = 256 << 10 };

int doctor_expect_load(struct doctor_facts *facts)
{
	_cleanup_(freep) char *text = NULL, *message = NULL, *path = NULL;
	static const char hint[] = "rdmactl doctor --learn prints a file of this form";
	const char *expect = facts->request->expect;
	struct expectation file;
	size_t length;
	int rc;

	if (!expect)
		return 0;
	path = text_clean(expect, strlen(expect));
	rc = file_read(expect, MOST_FILE_BYTES, &text, &length);
	if (rc) {
		problem_add(facts->problems, path, NULL, NULL, rc, hint);
		return rc;
	}
	rc = expectation_parse(text, length, &file, &message);
	if (rc) {
		problem_add_text(facts->problems, path, NULL, NULL, message, hint);
		return rc;
	}
	facts->expect = mem_alloc_zero(1, sizeof(*facts->expect));
	facts->expect->path = path;
	facts->expect->file = file;
	path = NULL;
	return 0;
}

void doctor_expect_free(struct doctor_expect *expect)
{
	if (!expect)
		return;
	expectation_clear(&expect->file);
	free(expect->path);
	free(expect);
}

static bool wants_none(const struct selector *selector)
{
	const struct wanted *count = &selector->wanted[WANTED_COUNT];

	return count->known && wanted_allows_number(count, 0);
}

bool doctor_expect_hardware(const struct doctor_expect *expect)
{
	for (size_t i = 0; expect && i < expect->file.selector_count; i++)
		if (!wants_none(&expect->file.selectors[i]))
			return true;
	return false;
}

/* ---- Values of the host ---- */

/* A link that is down reports its last rate, or none; without a netdev there is no MTU. */
static bool has_none(const struct device *device, const struct port *port, enum wanted_key key)
{
	if (!port)
		return (wanted_rows[key].pcie && !device->pci_address) ||
		       (key == WANTED_DRIVER && device->software);
	if (key == WANTED_MTU && !port->netdev)
		return true;
	return key != WANTED_LINK_LAYER && port->state.known &&
	       port->state.value != PORT_STATE_ACTIVE;
}

/* Reads the PCIe link like the checks of PCI functions do. */
static void get_pcie(struct doctor_facts *facts, const struct device *device, enum wanted_key key,
		     struct value *value)
{
	struct pci_function *function = doctor_function_of(facts, device);

	value->kind = VALUE_NONE;
	if (!function)
		return;
	pci_read(&facts->root, function, PCI_LINK, facts->problems);
	if (key == WANTED_PCIE_SPEED && function->speed_gtps.known)
		value_set_real(value, function->speed_gtps.value);
	if (key == WANTED_PCIE_WIDTH && function->width_lanes.known)
		value_set_unsigned(value, function->width_lanes.value);
}

/* The other keys are those of columns of devices and of ports. */
bool expect_value_get(struct doctor_facts *facts, const struct device *device,
		      const struct port *port, enum wanted_key key, struct value *ret_value)
{
	const struct wanted_row *row = &wanted_rows[key];

	if (row->pcie)
		get_pcie(facts, device, key, ret_value);
	else if (port)
		field_get(schema_find(&port_schema, row->key), port, ret_value);
	else
		field_get(schema_find(&device_schema, row->key), device, ret_value);
	if (ret_value->kind == VALUE_UNSIGNED)
		value_set_real(ret_value, (double)ret_value->number);
	return !has_none(device, port, key);
}

int expect_read_memlock(struct doctor_facts *facts, double *ret_bytes)
{
	struct limit soft = {{0}}, hard = {{0}};
	_cleanup_(freep) char *text = NULL;
	const int rc = sysfs_read_long(&facts->root, &text, "proc/self/limits");

	if (rc)
		return rc;
	procfs_parse_memlock(text, &soft, &hard);
	if (soft.unlimited == TRISTATE_UNKNOWN)
		return -EINVAL;
	*ret_bytes = soft.unlimited == TRISTATE_YES ? INFINITY : (double)soft.value.value;
	return 0;
}

/* ---- What a selector or an entry of ignore names ---- */

static bool selects(const struct selector *selector, const struct device *device)
{
	switch (selector->kind) {
	case SELECT_BOARD:
		return device->board_id && !strcmp(selector->name, device->board_id);
	case SELECT_PCI:
		return expect_names(selector->name, device->pci_address);
	default:
		return expect_names(selector->name, device->name);
	}
}

/* An entry without a check excludes the device from all expectations. */
static bool is_left_out(struct doctor_expect *expect, const struct device *device)
{
	for_each_in (ignored, expect->file.ignored, expect->file.ignored_count) {
		if (ignored->check.known || ignored->port || (!ignored->pci && !ignored->device) ||
		    (ignored->pci && !expect_names(ignored->pci, device->pci_address)) ||
		    (ignored->device && !expect_names(ignored->device, device->name)))
			continue;
		ignored->matched = true;
		return true;
	}
	return false;
}

static bool is_port_left_out(struct doctor_expect *expect, const struct port *port)
{
	_cleanup_(freep) char *name = port_object(port);

	for_each_in (ignored, expect->file.ignored, expect->file.ignored_count) {
		if (ignored->check.known || !ignored->port || !expect_names(ignored->port, name))
			continue;
		ignored->matched = true;
		return true;
	}
	return false;
}

/* ---- Comparing ---- */

/* Ends with a verdict; `source` is where the value comes from, `unit` its unit. */
static struct judged judge(struct doctor_context *run, const struct wanted *wanted,
			   const char *title, const char *source, const char *actual,
			   const char *unit, bool allowed)
{
	_cleanup_(freep) char *text = wanted_text(wanted);
	_cleanup_(freep) char *place = expectation_place(&run->facts->expect->file, wanted->at);

	doctor_evidence(run, source, "%s%s, wanted %s (%s)", actual, unit, text, place);
	doctor_expected(run, text, actual);
	if (allowed)
		return doctor_ok(run, "the %s is as expected", title);
	return doctor_error(run, "the %s is not as expected", title);
}

/* The same for a value of the inventory; `actual` is NULL if unknown. */
static struct judged compare(struct doctor_context *run, const struct wanted *wanted,
			     enum wanted_key key, const char *actual, bool allowed)
{
	if (actual)
		return judge(run, wanted, wanted_rows[key].title, run->facts->expect->path, actual,
			     "", allowed);
	return doctor_unknown(run, wanted_rows[key].title);
}

/* Gives a verdict if the value differs or is unknown. The object has not been named yet. */
static void judge_value(struct doctor_context *run, const struct selector *selector,
			const struct device *device, const struct port *port, enum wanted_key key)
{
	const struct wanted *wanted = &selector->wanted[key];
	_cleanup_(freep) char *name = port ? port_object(port) : mem_string(device->name);
	_cleanup_(freep) char *actual = NULL;
	struct value value;

	if (!wanted->known || !expect_value_get(run->facts, device, port, key, &value))
		return;
	if (value.kind == VALUE_STRING) {
		if (wanted_allows_word(wanted, value.string))
			return;
		actual = mem_string(value.string);
	} else if (value.kind == VALUE_REAL) {
		if (wanted_allows_number(wanted, value.real))
			return;
		actual = wanted_number_text(value.real);
	}
	doctor_object(run, "%s", name);
	compare(run, wanted, key, actual, false);
}

static void judge_values(struct doctor_context *run, const struct selector *selector,
			 const struct device *device)
{
	for (enum wanted_key key = 0; key < WANTED_KEYS; key++)
		if (wanted_rows[key].scope == OF_DEVICE)
			judge_value(run, selector, device, NULL, key);
	for_each_in (port, device->ports, device->port_count) {
		if (is_port_left_out(run->facts->expect, port))
			continue;
		for (enum wanted_key key = 0; key < WANTED_KEYS; key++)
			if (wanted_rows[key].scope == OF_PORT)
				judge_value(run, selector, device, port, key);
	}
}

struct tally {
	size_t devices;
	size_t active;	/* ports */
	size_t idle;	/* ports that are not active */
	size_t unknown; /* ports in an unknown state */
};

static void count_ports(struct doctor_context *run, const struct device *device,
			struct tally *tally)
{
	for_each_in (port, device->ports, device->port_count) {
		if (is_port_left_out(run->facts->expect, port))
			continue;
		tally->unknown += !port->state.known;
		tally->active += number_is(&port->state, PORT_STATE_ACTIVE);
		tally->idle += port->state.known && port->state.value != PORT_STATE_ACTIVE;
	}
	tally->unknown += device->ports_unknown;
}

static void take_tally(struct doctor_context *run, const struct selector *selector,
		       struct tally *tally)
{
	*tally = (struct tally){.devices = 0};
	for_each (device, &run->facts->inventory.devices) {
		if (!selects(selector, device) || is_left_out(run->facts->expect, device))
			continue;
		tally->devices++;
		count_ports(run, device, tally);
	}
}

/* Numbers of devices and ports cannot be judged if only some devices were named. */
static bool counts(const struct doctor_context *run)
{
	return !run->facts->request->objects->count;
}

bool expect_wants_ports(struct doctor_context *run)
{
	const struct doctor_expect *expect = run->facts->expect;

	for (size_t i = 0; expect && i < expect->file.selector_count; i++)
		if (expect->file.selectors[i].wanted[WANTED_ACTIVE_PORTS].known)
			return counts(run);
	return false;
}

struct judged check_port_count(struct doctor_context *run)
{
	struct doctor_expect *expect = run->facts->expect;

	for_each_in (selector, expect->file.selectors, expect->file.selector_count) {
		const struct wanted *wanted = &selector->wanted[WANTED_ACTIVE_PORTS];
		_cleanup_(freep) char *actual = NULL;
		struct tally tally;

		if (!wanted->known)
			continue;
		take_tally(run, selector, &tally);
		if (!tally.unknown)
			actual = mem_format("%zu", tally.active);
		doctor_object(run, "%s", selector->name);
		compare(run, wanted, WANTED_ACTIVE_PORTS, actual,
			wanted_allows_number(wanted, (double)tally.active));
	}
	return doctor_judged(run);
}

/* Gives a verdict if the number of devices is wrong. */
static void judge_count(struct doctor_context *run, const struct selector *selector,
			const struct tally *tally)
{
	const struct wanted *wanted = &selector->wanted[WANTED_COUNT];
	_cleanup_(freep) char *actual = mem_format("%zu", tally->devices);
	_cleanup_(freep) char *place = NULL;

	if (!counts(run))
		return;
	if (wanted->known && wanted_allows_number(wanted, (double)tally->devices))
		return;
	if (!wanted->known && tally->devices)
		return;
	doctor_object(run, "%s", selector->name);
	if (wanted->known) {
		compare(run, wanted, WANTED_COUNT, actual, false);
		return;
	}
	place = expectation_place(&run->facts->expect->file, selector->at);
	doctor_evidence(run, run->facts->expect->path, "no such device (%s)", place);
	doctor_expected(run, "at least 1", actual);
	doctor_error(run, "expected hardware is missing");
}

/*
 * Whether the selector wants something that only active ports have: has_none().
 */
static bool wants_of_active(const struct selector *selector)
{
	return selector->wanted[WANTED_RATE].known || selector->wanted[WANTED_MTU].known;
}

static struct judged check_selector(struct doctor_context *run, const struct selector *selector)
{
	const struct device_list *devices = &run->facts->inventory.devices;
	const size_t before = run->verdicts;
	struct tally tally;
	size_t idle;

	take_tally(run, selector, &tally);
	judge_count(run, selector, &tally);
	for_each (device, devices)
		if (selects(selector, device) && !is_left_out(run->facts->expect, device))
			judge_values(run, selector, device);
	if (run->verdicts > before)
		return doctor_judged(run);
	doctor_object(run, "%s", selector->name);
	doctor_evidence(run, run->facts->expect->path, "%zu device%s", tally.devices,
			text_plural_s(tally.devices));
	idle = wants_of_active(selector) ? tally.idle : 0;
	if (idle)
		doctor_evidence(run, NULL, "not active, so without rate and MTU: %zu port%s", idle,
				text_plural_s(idle));
	/* How many ports must be active is judged by port-count, if the file says so. */
	if (idle && !tally.active && !selector->wanted[WANTED_ACTIVE_PORTS].known)
		return doctor_not_checked(
			run, 0, "no port is active, so there is no rate or MTU to compare");
	if (tally.devices || counts(run))
		return doctor_ok(run, "the devices are as expected");
	return doctor_does_not_apply(run);
}

static struct judged check_memlock_wanted(struct doctor_context *run)
{
	const struct wanted *wanted = &run->facts->expect->file.memlock;
	const char *source = "/proc/self/limits";
	_cleanup_(freep) char *actual = NULL;
	double bytes = 0;
	int rc;

	doctor_object(run, "this shell");
	rc = expect_read_memlock(run->facts, &bytes);
	if (rc)
		return limits_unread(run, "the limit on pinned memory", source, rc);
	actual = wanted_number_text(bytes);
	return judge(run, wanted, "limit on pinned memory", source, actual,
		     isinf(bytes) ? "" : " bytes", wanted_allows_number(wanted, bytes));
}

struct judged check_expect(struct doctor_context *run)
{
	const struct expectation *file = &run->facts->expect->file;

	if (!file->selector_count && !file->memlock.known)
		return doctor_ok(run, "the file requires nothing");
	for_each_in (selector, file->selectors, file->selector_count)
		check_selector(run, selector);
	if (file->memlock.known)
		check_memlock_wanted(run);
	return doctor_judged(run);
}
