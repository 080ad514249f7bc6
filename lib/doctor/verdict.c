/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a check reports its findings. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/frame/check.h"
#include "kernel/privilege.h"

char *doctor_scope_object(const struct doctor_context *run)
{
	if (run->check->scope == ON_FUNCTION && run->function)
		return mem_string(run->function->address);
	if (run->check->scope == ON_DEVICE && run->device)
		return mem_string(run->device->name);
	return run->check->scope == ON_PORT && run->port ? port_object(run->port) : NULL;
}

/* Root of another user namespace, as in a rootless container, is not root for the host's files. */
bool doctor_needs_root(int rc)
{
	return (rc == -EACCES || rc == -EPERM) && (geteuid() || !privilege_is_first_namespace());
}

void doctor_evidence(struct doctor_context *run, const char *source, const char *format, ...)
{
	char **evidence = &run->pending.finding.evidence;
	_cleanup_(freep) char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = mem_format_list(format, arguments);
	va_end(arguments);
	mem_extend(evidence, "%s%s", *evidence ? "; " : "", text);
	if (source && !strings_contain(&run->pending.sources, source))
		strings_add(&run->pending.sources, source);
}

char *doctor_names(const struct strings *names)
{
	enum { MOST = 4 };
	char *text = NULL;

	for (size_t i = 0; i < names->count && i < MOST; i++)
		mem_extend(&text, "%s%s", i ? ", " : "", names->items[i]);
	if (names->count > MOST)
		mem_extend(&text, " and %zu more", names->count - MOST);
	return text;
}

void doctor_say(char **text, const char *format, ...)
{
	char *old = *text; /* may be among the arguments */
	va_list arguments;

	va_start(arguments, format);
	*text = mem_format_list(format, arguments);
	va_end(arguments);
	free(old);
}

void doctor_expected(struct doctor_context *run, const char *expected, const char *actual)
{
	free(run->pending.expected);
	free(run->pending.actual);
	run->pending.expected = mem_string_or_null(expected);
	run->pending.actual = mem_string_or_null(actual);
}

void doctor_blocks(struct doctor_context *run)
{
	run->pending.blocks = true;
}

void doctor_result_clear(struct doctor_result *result)
{
	finding_clear(&result->finding);
	free(result->expected);
	free(result->actual);
	free(result->ignored);
	free(result->step_name);
	free(result->step_form);
	strings_free(&result->sources);
	*result = (struct doctor_result){.expected = NULL};
}

const struct doctor_result *doctor_first(const struct doctor_results *results, uint64_t id)
{
	return results->first[id] ? &results->items[results->first[id] - 1] : NULL;
}

const struct doctor_result *doctor_next(const struct doctor_results *results,
					const struct doctor_result *result)
{
	return result->next ? &results->items[result->next - 1] : NULL;
}

bool doctor_leaves_nothing(const struct doctor_result *result)
{
	return result->finding.severity.value == SEVERITY_ERROR || result->blocks ||
	       result->because.known;
}

/* The results of each check form a chain, because later checks search them for every object. */
static void append_result(struct doctor_results *results, enum doctor_check_id id,
			  const struct doctor_result *result)
{
	MEM_ADD(results->items, results->count) = *result;
	if (results->last[id])
		results->items[results->last[id] - 1].next = results->count;
	else
		results->first[id] = results->count;
	results->last[id] = results->count;
	results->blocking[id] += doctor_leaves_nothing(result);
}

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.:@", c));
}

/*
 * Returns the text with each occurrence of the name as a word replaced by a mark; NULL: it has
 * none.
 */
static char *leave_out(const char *text, const char *name)
{
	const size_t length = strlen(name);
	char *form = NULL;
	const char *rest = text;

	for (const char *at = text; length && (at = strstr(at, name)); at += length) {
		if ((at > text && is_in_name(at[-1])) || is_in_name(at[length]))
			continue;
		mem_extend(&form, "%.*s\001", (int)(at - rest), rest);
		rest = at + length;
	}
	if (form)
		mem_extend(&form, "%s", rest);
	return form;
}

/* Next steps for several objects are merged if only the name of the object differs. */
static void find_form(const struct doctor_context *run, struct doctor_result *result)
{
	const struct finding *finding = &result->finding;
	const bool of_host = run->check->scope == ON_HOST;
	const char *const names[] = {
		finding->object,
		!of_host && run->port ? run->port->netdev : NULL,
		!of_host && run->function ? run->function->address : NULL,
		!of_host && run->device ? run->device->name : NULL,
		!of_host && run->device ? run->device->uverbs : NULL,
	};

	for (size_t i = 0; finding->next_step && !result->step_form && i < ARRAY_SIZE(names); i++) {
		if (!names[i])
			continue;
		result->step_form = leave_out(finding->next_step, names[i]);
		if (result->step_form)
			result->step_name = mem_string(names[i]);
	}
}

/* Moves the pending result into the results. */
struct judged doctor_conclude(struct doctor_context *run, enum severity severity)
{
	struct finding *finding = &run->pending.finding;

	if (run->profile == PROFILE_CONTAINER && run->check->of_host && severity > SEVERITY_NOTICE)
		severity = SEVERITY_NOTICE;
	finding->id = number_of(run->id);
	finding->severity = number_of(severity);
	if (!finding->object)
		finding->object = doctor_scope_object(run);
	if (severity == SEVERITY_OK || run->pending.because.known) {
		free(finding->next_step);
		finding->next_step = NULL;
	} else if (severity >= SEVERITY_NOTICE && !finding->next_step) {
		finding->next_step = mem_string_or_null(run->check->remedy);
	}
	find_form(run, &run->pending);
	run->pending.sources.known = true;
	append_result(run->results, run->id, &run->pending);
	run->pending = (struct doctor_result){.expected = NULL};
	run->verdicts++;
	return (struct judged){0};
}

struct judged doctor_conclude_unchecked(struct doctor_context *run, uint64_t needs)
{
	run->pending.needs = number_unless_zero(needs);
	if (needs && !run->pending.finding.next_step)
		doctor_next_step(run, "%s", enum_find(doctor_need_names, needs & -needs)->help);
	return doctor_conclude(run, SEVERITY_INFO);
}

struct judged doctor_unread(struct doctor_context *run, const char *what, const char *source,
			    int rc, bool needs_root)
{
	const bool denied = needs_root && doctor_needs_root(rc);
	_cleanup_(freep) char *object = doctor_scope_object(run);

	if (!denied)
		problem_add(run->facts->problems,
			    run->pending.finding.object ? run->pending.finding.object : object,
			    what, source, rc, NULL);
	doctor_evidence(run, source, "%s", strerror(-rc));
	if (denied && !geteuid())
		doctor_next_step(
			run,
			"run it as root of the host: here, root is that of a user namespace only");
	return doctor_not_checked(run, denied ? NEEDS_ROOT : 0, "%s cannot be read", what);
}

struct judged doctor_unknown(struct doctor_context *run, const char *what)
{
	return doctor_not_checked(run, 0, "%s is not known", what);
}

struct judged doctor_because(struct doctor_context *run, enum doctor_check_id cause)
{
	run->pending.because = number_of(cause);
	return doctor_verdict(run, SEVERITY_INFO, "not checked because of %s",
			      doctor_check(cause)->id);
}

struct judged doctor_does_not_apply(struct doctor_context *run)
{
	doctor_result_clear(&run->pending);
	run->verdicts++;
	return (struct judged){0};
}

struct judged doctor_judged(struct doctor_context *run)
{
	/* It must not look healthy. */
	if (!run->verdicts)
		return doctor_not_checked(run, 0, "the check ended without a verdict");
	return (struct judged){0};
}

void doctor_results_free(struct doctor_results *results)
{
	for_each (result, results)
		doctor_result_clear(result);
	free(results->items);
	strings_free(&results->not_applicable);
}
