/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/agent/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"

#define DEFAULT_GBPS	     95.0
#define DEFAULT_LATENCY_USEC 1.8

enum rehearsed_kind { VALUE_OF_NUMBER, VALUE_OF_WORD, VALUE_OF_TEXT, VALUE_OF_NOTHING };

/* The subjects of keys that are needed before any test. */
#define HOSTS "all host"

static const struct key {
	const char *name;
	enum rehearsed_kind kind;
	const char *subjects; /* that may have it; NULL: each of them */
} keys[] = {
	{"rails", VALUE_OF_NUMBER, HOSTS},    {"rate", VALUE_OF_NUMBER, HOSTS},
	{"others", VALUE_OF_NUMBER, HOSTS},   {"memlock", VALUE_OF_NUMBER, HOSTS},
	{"release", VALUE_OF_WORD, HOSTS},    {"kernel", VALUE_OF_WORD, HOSTS},
	{"firmware", VALUE_OF_WORD, HOSTS},   {"refuse", VALUE_OF_TEXT, HOSTS},
	{"gbps", VALUE_OF_NUMBER, NULL},      {"send_gbps", VALUE_OF_NUMBER, NULL},
	{"latency", VALUE_OF_NUMBER, NULL},   {"noise", VALUE_OF_NUMBER, NULL},
	{"errors", VALUE_OF_NUMBER, NULL},    {"msec", VALUE_OF_NUMBER, NULL},
	{"fail", VALUE_OF_TEXT, NULL},	      {"apart", VALUE_OF_TEXT, NULL},
	{"crash", VALUE_OF_NOTHING, NULL},    {"hang", VALUE_OF_NOTHING, NULL},
	{"both_gbps", VALUE_OF_NUMBER, NULL}, {"send_both_gbps", VALUE_OF_NUMBER, NULL},
	{"down", VALUE_OF_TEXT, "rail"},      {"gone", VALUE_OF_NOTHING, "rail"},
};

static const struct key *find_key(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

static bool is_number(const char *text)
{
	char *end;
	const double value = strtod(text, &end);

	return *text && !*end && value >= 0 && value <= 1e15;
}

/* The next word of a line, or NULL. */
static char *next_word(char **rest)
{
	char *word;

	do
		word = strsep(rest, " \t");
	while (word && !*word);
	return word;
}

static bool parse_keys(char **rest, struct rehearsal_line *line)
{
	for (char *word; (word = next_word(rest));) {
		const struct key *key = find_key(word);
		const char *value = "";

		if (!key || (key->subjects && !strstr(key->subjects, line->subject)))
			return false;
		if (key->kind == VALUE_OF_TEXT) {
			value = *rest ? *rest + strspn(*rest, " \t") : "";
			*rest = NULL;
		} else if (key->kind != VALUE_OF_NOTHING) {
			value = next_word(rest);
		}
		if (!value || (!*value && key->kind != VALUE_OF_NOTHING) ||
		    (key->kind == VALUE_OF_NUMBER && !is_number(value)))
			return false;
		strings_add(&line->keys, word);
		strings_add(&line->keys, value);
	}
	return line->keys.count > 0;
}

/* NAME or NAME/RAIL. */
static bool parse_end(char *word, char **ret_name, struct number *ret_rail)
{
	char *slash = word ? strchr(word, '/') : NULL;
	uint64_t rail;

	if (!word || !*word)
		return false;
	if (slash) {
		if (text_parse_u64(slash + 1, 10, MESH_MOST_RAILS - 1, &rail))
			return false;
		*ret_rail = number_of(rail);
		*slash = '\0';
	}
	*ret_name = mem_string(word);
	return true;
}

static bool parse_line(char *text, struct rehearsal *rehearsal)
{
	_cleanup_(freep) char *message = NULL;
	struct rehearsal_line *line;
	char *rest = text, *word = next_word(&rest);
	size_t ends;

	if (!word)
		return true;
	if (!strcmp(word, "hosts")) {
		strings_free(&rehearsal->hosts);
		return rest && !hostlist_parse(rest, MESH_MOST_HOSTS, &rehearsal->hosts.items,
					       &rehearsal->hosts.count, &message);
	}
	ends = !strcmp(word, "pair") ? 2 : !strcmp(word, "all") ? 0 : 1;
	if (ends == 1 && strcmp(word, "host") && strcmp(word, "rail"))
		return false;
	line = mem_append(&rehearsal->lines, &rehearsal->count, sizeof(*line));
	line->subject = mem_string(word);
	for (size_t i = 0; i < ends; i++)
		if (!parse_end(next_word(&rest), &line->names[i], &line->rails[i]))
			return false;
	/* `rail` needs a rail; `host` means all of its rails. */
	if (ends == 1 && line->rails[0].known != !strcmp(line->subject, "rail"))
		return false;
	return parse_keys(&rest, line);
}

int rehearsal_parse(const char *text, struct rehearsal *ret_rehearsal, char **ret_reason)
{
	_cleanup_(freep) char *copy = mem_string(text);
	struct rehearsal rehearsal = {.count = 0};
	char *rest = copy;
	size_t number = 0;

	for (char *line; (line = strsep(&rest, "\n"));) {
		_cleanup_(freep) char *clean = text_clean(line, strlen(line));

		number++;
		line[strcspn(line, "#\r")] = '\0';
		if (parse_line(line, &rehearsal))
			continue;
		*ret_reason = mem_format("line %zu is not a rehearsal line: %s", number, clean);
		rehearsal_clear(&rehearsal);
		return -EINVAL;
	}
	*ret_rehearsal = rehearsal;
	return 0;
}

void rehearsal_clear(struct rehearsal *rehearsal)
{
	for (size_t i = 0; i < rehearsal->count; i++) {
		struct rehearsal_line *line = &rehearsal->lines[i];

		free(line->subject);
		free(line->names[0]);
		free(line->names[1]);
		strings_free(&line->keys);
	}
	free(rehearsal->lines);
	strings_free(&rehearsal->hosts);
	*rehearsal = (struct rehearsal){.count = 0};
}

static bool is_end(const struct rehearsal_line *line, size_t number, const char *name,
		   uint16_t rail)
{
	return !strcmp(line->names[number], name) &&
	       (!line->rails[number].known || line->rails[number].value == rail);
}

/* The value that the last line about the host, or about its rail, gives the key. */
static const char *find_value(const struct rehearsal *rehearsal, const char *subject,
			      const char *host, uint16_t rail, const char *key)
{
	const char *value = NULL;

	for (size_t i = 0; i < rehearsal->count; i++) {
		const struct rehearsal_line *line = &rehearsal->lines[i];
		const bool all = !strcmp(line->subject, "all") && !strcmp(subject, "host");

		if (!all && (strcmp(line->subject, subject) || !is_end(line, 0, host, rail)))
			continue;
		for (size_t j = 0; j < line->keys.count; j += 2)
			if (!strcmp(line->keys.items[j], key))
				value = line->keys.items[j + 1];
	}
	return value;
}

const char *rehearsal_host_value(const struct rehearsal *rehearsal, const char *host,
				 const char *key)
{
	return find_value(rehearsal, "host", host, 0, key);
}

const char *rehearsal_rail_value(const struct rehearsal *rehearsal, const char *host, uint16_t rail,
				 const char *key)
{
	return find_value(rehearsal, "rail", host, rail, key);
}

/* Ends that a line applies to, as bits by enum mesh_end; for a pair, the end named first. */
static unsigned int concerned(const struct rehearsal_line *line, const char *const names[MESH_ENDS],
			      const uint16_t rails[MESH_ENDS])
{
	const bool first = line->names[0] && is_end(line, 0, names[MESH_END_A], rails[MESH_END_A]);
	const bool second = line->names[0] && is_end(line, 0, names[MESH_END_B], rails[MESH_END_B]);

	if (!line->names[0])
		return 3;
	if (!line->names[1])
		return (first ? 1u : 0u) | (second ? 2u : 0u);
	return (first && is_end(line, 1, names[MESH_END_B], rails[MESH_END_B]) ? 1u : 0u) |
	       (second && is_end(line, 1, names[MESH_END_A], rails[MESH_END_A]) ? 2u : 0u);
}

static void apply(const char *key, const char *value, unsigned int ends, struct rehearsal_act *act)
{
	const double number = strtod(value, NULL);

	for (size_t end = 0; end < MESH_ENDS; end++) {
		if (!strcmp(key, "gbps") || (!strcmp(key, "send_gbps") && ends & 1u << end))
			act->gbps[end] = number;
		if (!strcmp(key, "both_gbps") ||
		    (!strcmp(key, "send_both_gbps") && ends & 1u << end))
			act->both_gbps[end] = real_of(number);
		if (!strcmp(key, "errors") && ends & 1u << end)
			act->errors[end] = (uint64_t)number;
	}
	if (!strcmp(key, "latency"))
		act->latency_usec = number;
	else if (!strcmp(key, "noise"))
		act->noise_percent = number;
	else if (!strcmp(key, "msec"))
		act->msec = (uint64_t)number;
	else if (!strcmp(key, "fail"))
		act->fail = value;
	else if (!strcmp(key, "apart"))
		act->apart = value;
	else if (!strcmp(key, "crash"))
		act->crash = true;
	else if (!strcmp(key, "hang"))
		act->hang = true;
}

void rehearsal_act(const struct rehearsal *rehearsal, const char *const names[MESH_ENDS],
		   const uint16_t rails[MESH_ENDS], struct rehearsal_act *ret_act)
{
	struct rehearsal_act act = {
		.gbps = {DEFAULT_GBPS, DEFAULT_GBPS},
		.latency_usec = DEFAULT_LATENCY_USEC,
	};

	for (size_t i = 0; i < rehearsal->count; i++) {
		const struct rehearsal_line *line = &rehearsal->lines[i];
		const unsigned int ends = concerned(line, names, rails);

		for (size_t j = 0; ends && j < line->keys.count; j += 2)
			apply(line->keys.items[j], line->keys.items[j + 1], ends, &act);
	}
	*ret_act = act;
}
