/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which options exclude or need each other. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/option.h"

/* Returns the next name of a list; NULL at its end. */
static const char *next_name(const char **list, size_t *ret_length)
{
	const char *name = *list + strspn(*list, " ");

	*ret_length = strcspn(name, " ");
	*list = name + *ret_length;
	return *ret_length ? name : NULL;
}

static bool is_name(const char *name, const char *start, size_t length)
{
	return strlen(name) == length && !strncmp(name, start, length);
}

static bool list_has(const char *list, const char *name)
{
	return text_has_word(list, " ", name, strlen(name));
}

/*
 * Returns the first option of the list that was given, other than `except`; NULL if there is none.
 * *ret_known tells whether any name in the list is an option of the command.
 */
static const struct option_row *find_given(const char *list, const struct option_row *except,
					   const struct option_set *sets, size_t set_count,
					   bool *ret_known)
{
	size_t length;

	*ret_known = false;
	for (const char *start; (start = next_name(&list, &length));)
		for (size_t i = 0; i < set_count; i++)
			for (const struct option_row *row = sets[i].rows; row->name; row++) {
				if (row == except || !is_name(row->name, start, length))
					continue;
				*ret_known = true;
				if (option_given(row, sets[i].values))
					return row;
			}
	return NULL;
}

/* "--one, --two or --three" */
static char *join(const char *list)
{
	char *text = NULL;
	size_t length;

	for (const char *start; (start = next_name(&list, &length));) {
		const bool last = !list[strspn(list, " ")];

		mem_extend(&text, "%s--%.*s",
			   !text  ? ""
			   : last ? " or "
				  : ", ",
			   (int)length, start);
	}
	return text;
}

/*
 * Returns the complaint about an option that was given and is in rule->options; NULL if it is fine.
 */
static char *check_option(const struct option_rule *rule, const struct option_row *row,
			  const struct option_set *sets, size_t set_count)
{
	_cleanup_(freep) char *needed = NULL;
	bool known;
	const struct option_row *other = find_given(rule->others, row, sets, set_count, &known);

	if (!rule->need)
		return other ? mem_format("--%s cannot be used with --%s", row->name, other->name)
			     : NULL;
	if (other || !known)
		return NULL;
	needed = join(rule->others);
	return mem_format("--%s needs %s", row->name, needed);
}

int options_check(const struct option_rule *rules, const struct option_set *sets, size_t set_count,
		  char **ret_message, char **ret_hint)
{
	for (; rules && rules->options; rules++) {
		for (size_t i = 0; i < set_count; i++) {
			for (const struct option_row *row = sets[i].rows; row->name; row++) {
				char *message;

				if (!list_has(rules->options, row->name) ||
				    !option_given(row, sets[i].values))
					continue;
				message = check_option(rules, row, sets, set_count);
				if (!message)
					continue;
				*ret_message = message;
				*ret_hint = mem_string_or_null(rules->hint);
				return -EINVAL;
			}
		}
	}
	return 0;
}

static bool contains_any(const struct strings *given, const char *list, const char *except)
{
	for (size_t i = 0; i < given->count; i++)
		if (strcmp(given->items[i], except) && list_has(list, given->items[i]))
			return true;
	return false;
}

bool options_excluded(const struct option_rule *rules, const char *name,
		      const struct strings *given)
{
	for (; rules && rules->options; rules++) {
		if (rules->need)
			continue;
		if ((list_has(rules->options, name) && contains_any(given, rules->others, name)) ||
		    (list_has(rules->others, name) && contains_any(given, rules->options, name)))
			return true;
	}
	return false;
}
