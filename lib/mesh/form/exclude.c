/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/form/exclude.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"

struct names {
	const char **items;
	size_t count;
};

/*
 * Only names that are one word for a shell, and no list: text from other hosts is clean, but it may
 * be any other text, and the line is made to be run.
 */
static bool is_name(const char *name)
{
	char **names = NULL, *message = NULL;
	size_t count = 0;
	bool is = *name != '-' && text_is_plain(name) &&
		  !hostlist_parse(name, 1, &names, &count, &message) && count == 1;

	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	free(message);
	return is;
}

static void add_names(struct names *names, const struct judge_finding *finding)
{
	for (size_t i = 0; i < finding->hosts.count; i++)
		if (is_name(finding->hosts.items[i]))
			*(const char **)mem_append(&names->items, &names->count,
						   sizeof(*names->items)) = finding->hosts.items[i];
}

/* The first finding of a host, which is the worst, gives the reason. */
static bool is_named_before(const struct judge_findings *findings, size_t end, const char *name)
{
	for (size_t i = 0; i < end; i++)
		if (strings_contain(&findings->items[i].hosts, name))
			return true;
	return false;
}

static void add_new_names(struct names *names, const struct judge_findings *findings, size_t number)
{
	const struct judge_finding *finding = &findings->items[number];

	for (size_t i = 0; i < finding->hosts.count; i++) {
		const char *name = finding->hosts.items[i];

		if (is_name(name) && !is_named_before(findings, number, name))
			*(const char **)mem_append(&names->items, &names->count,
						   sizeof(*names->items)) = name;
	}
}

static void add_line(struct text_buffer *text, const struct names *names, uint64_t id)
{
	_cleanup_(freep) char *list = hostlist_format(names->items, names->count, 0);

	text_buffer_add(text, "scontrol update nodename=%s state=drain reason='rdmactl mesh: %s'\n",
			list, enum_word(judge_finding_names, id, "?"));
}

char *exclude_text(const struct judge_findings *findings, enum exclude_form form)
{
	struct text_buffer text = {0};
	struct names names = {0};

	for (size_t i = 0; i < findings->count; i++) {
		const uint64_t id = findings->items[i].finding.id.value;

		if (form == EXCLUDE_LIST) {
			add_names(&names, &findings->items[i]);
			continue;
		}
		add_new_names(&names, findings, i);
		if (!names.count ||
		    (i + 1 < findings->count && findings->items[i + 1].finding.id.value == id))
			continue;
		add_line(&text, &names, id);
		names.count = 0;
		free(names.items);
		names.items = NULL;
	}
	if (names.count) {
		_cleanup_(freep) char *list = hostlist_format(names.items, names.count, 0);

		text_buffer_add(&text, "%s\n", list);
	}
	free(names.items);
	return text.length ? text_buffer_take(&text) : mem_string("");
}
