/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings that an expectation file ignores. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/frame/check.h"
#include "doctor/expect/expect.h"

/* Compares for equality, too, because a name may look like a pattern. */
bool expect_names(const char *pattern, const char *name)
{
	return name && (!strcmp(pattern, name) || !fnmatch(pattern, name, 0));
}

/* Whether the finding's object is this device, one of its parts, its PCI function or its netdev. */
static bool is_about(const struct device *device, const char *object)
{
	if ((device->pci_address && !strcmp(device->pci_address, object)) ||
	    doctor_is_in(object, device->name))
		return true;
	for_each_in (port, device->ports, device->port_count)
		if (port->netdev && !strcmp(port->netdev, object))
			return true;
	return false;
}

static bool names_port(const struct ignored *ignored, const struct device *device,
		       const char *object)
{
	for_each_in (port, device->ports, device->port_count) {
		_cleanup_(freep) char *name = port_object(port);

		if (expect_names(ignored->port, name) &&
		    (!strcmp(name, object) || (port->netdev && !strcmp(port->netdev, object))))
			return true;
	}
	return false;
}

static bool names_object(const struct doctor_facts *facts, const struct ignored *ignored,
			 const char *object)
{
	if (!ignored->pci && !ignored->device && !ignored->port)
		return true;
	if (!object)
		return false;
	/* The entry may mean a function without an RDMA device. */
	if (ignored->pci && !ignored->device && !ignored->port &&
	    expect_names(ignored->pci, object))
		return true;
	for_each (device, &facts->inventory.devices)
		if (is_about(device, object) &&
		    (!ignored->pci || expect_names(ignored->pci, device->pci_address)) &&
		    (!ignored->device || expect_names(ignored->device, device->name)) &&
		    (!ignored->port || names_port(ignored, device, object)))
			return true;
	return false;
}

static void ignore(struct doctor_result *result, struct ignored *ignored)
{
	char *summary = mem_format("ignored, %s: %s", ignored->why, result->finding.summary);

	free(result->finding.summary);
	result->finding.summary = summary;
	result->finding.severity = number_of(SEVERITY_NOTICE);
	free(result->finding.next_step);
	free(result->step_form);
	result->finding.next_step = result->step_form = NULL;
	result->ignored = mem_string(ignored->why);
	ignored->matched = true;
}

static void ignore_findings(struct doctor_context *run)
{
	struct expectation *file = &run->facts->expect->file;

	for_each (result, run->results)
		for (size_t j = 0; j < file->ignored_count && !result->ignored &&
				   result->finding.severity.value >= SEVERITY_NOTICE;
		     j++) {
			struct ignored *ignored = &file->ignored[j];

			if ((!ignored->check.known ||
			     ignored->check.value == result->finding.id.value) &&
			    names_object(run->facts, ignored, result->finding.object))
				ignore(result, ignored);
		}
}

/* Whether the check was made on everything it applies to: it may have lacked root or --interval. */
static bool was_made(const struct doctor_context *run, uint64_t id)
{
	for (const struct doctor_result *result = doctor_first(run->results, id); result;
	     result = doctor_next(run->results, result))
		if (result->finding.severity.value == SEVERITY_INFO)
			return false;
	return run->facts->request->run[id];
}

/*
 * Whether all checks that could have matched the entry were made. An entry without a check covers
 * all checks, and some check is nearly always skipped, so there it is enough that all were
 * selected.
 */
static bool was_looked_for(const struct doctor_context *run, const struct ignored *ignored)
{
	if (run->facts->request->objects->count)
		return false;
	if (ignored->check.known)
		return was_made(run, ignored->check.value);
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		if (!run->facts->request->run[i])
			return false;
	return true;
}

static struct judged report_unmatched(struct doctor_context *run, const struct ignored *ignored)
{
	const char *names[] = {ignored->pci, ignored->device, ignored->port,
			       ignored->check.known
				       ? enum_word(doctor_check_names, ignored->check.value, "?")
				       : NULL};
	_cleanup_(freep) char *place = expectation_place(&run->facts->expect->file, ignored->at);
	_cleanup_(freep) char *what = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i])
			mem_extend(&what, "%s%s", what ? ", " : "", names[i]);
	doctor_evidence(run, run->facts->expect->path, "%s: %s, %s", place, what, ignored->why);
	doctor_next_step(run, "remove the entry if its reason no longer applies, or correct it");
	return doctor_note(run, "an entry of ignore matches nothing");
}

void doctor_expect_ignore(struct doctor_context *run)
{
	const struct doctor_expect *expect = run->facts->expect;

	if (!expect)
		return;
	ignore_findings(run);
	if (!run->facts->request->run[CHECK_ID_expect])
		return;
	run->id = CHECK_ID_expect;
	run->check = doctor_check(CHECK_ID_expect);
	doctor_leave_object(run);
	for_each_in (ignored, expect->file.ignored, expect->file.ignored_count)
		if (!ignored->matched && was_looked_for(run, ignored))
			report_unmatched(run, ignored);
}
