/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/form/exclude.h"

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/text.h"

/*
 * Accepts only names that are one word for a shell, and no list: text from other hosts is clean,
 * but otherwise arbitrary, and the line is meant to be run.
 */
static bool is_name(const char *name)
{
	_cleanup_(freep) char *message = NULL;
	_cleanup_(strings_free) struct strings names = {0};

	return *name != '-' && text_is_plain(name) &&
	       !hostlist_parse(name, 1, &names.items, &names.count, &message);
}

/* Whether an earlier finding names the host: the first is the worst, and gives the reason. */
static bool is_named_before(const struct judge_findings *findings, size_t end, const char *name)
{
	for (size_t i = 0; i < end; i++)
		if (strings_contain(&findings->items[i].hosts, name))
			return true;
	return false;
}

static void add_new_names(struct strings *names, const struct judge_findings *findings,
			  size_t number)
{
	const struct judge_finding *finding = &findings->items[number];

	for (size_t i = 0; i < finding->hosts.count; i++) {
		const char *name = finding->hosts.items[i];

		if (is_name(name) && !is_named_before(findings, number, name))
			strings_add(names, name);
	}
}

static void add_line(struct text_buffer *text, const struct strings *names, enum exclude_form form,
		     uint64_t id)
{
	_cleanup_(freep) char *list = hostlist_format((const char *const *)names->items,
						      names->count, 0);

	if (form == EXCLUDE_LIST)
		text_buffer_add(text, "%s\n", list);
	else
		text_buffer_add(
			text, "scontrol update nodename=%s state=drain reason='rdmactl mesh: %s'\n",
			list, enum_word(judge_finding_names, id, "?"));
}

char *exclude_text(const struct judge_findings *findings, enum exclude_form form)
{
	struct text_buffer text = {0};
	struct strings names = {0};

	for (size_t i = 0; i < findings->count; i++) {
		const uint64_t id = findings->items[i].finding.id.value;
		const bool is_last = i + 1 == findings->count;

		add_new_names(&names, findings, i);
		if (!names.count || (!is_last && (form == EXCLUDE_LIST ||
						  findings->items[i + 1].finding.id.value == id)))
			continue;
		add_line(&text, &names, form, id);
		strings_free(&names);
	}
	return text_buffer_take(&text);
}
