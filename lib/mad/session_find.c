/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The destinations of a session: from words to places. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/header.h"
#include "mad/session.h"

char *mad_kind_complaint(enum target_kind kind)
{
	static const char *const names[] = {
		[TARGET_LID] = "lid",	    [TARGET_GUID] = "guid", [TARGET_GID] = "gid",
		[TARGET_DIRECT] = "direct", [TARGET_NAME] = "node",
	};

	return kind == TARGET_ANY ? NULL : mem_format("--%s needs a destination", names[kind]);
}

/* What an option such as --guid has asked for, with an example; none with --node or no option. */
static const struct {
	const char *noun, *example;
} asked_kinds[] = {
	[TARGET_LID] = {"a LID", "a LID is a number from 1 to 49151: 5"},
	[TARGET_GUID] = {"a GUID", "a port GUID has 16 hexadecimal digits: 0x0002c90300001234"},
	[TARGET_GID] = {"a GID", "a GID is written like an IPv6 address: fe80::2:c903:0:1234"},
	[TARGET_DIRECT] = {"a directed route",
			   "a directed route begins with 0, then comes the port of each hop: "
			   "0,1,3"},
	[TARGET_NAME] = {NULL, NULL},
};

static int report_malformed(struct mad_session *session, const char *name)
{
	const enum target_kind kind = session->options.kind;

	return session_report(session,
			      asked_kinds[kind].example
				      ?: "a LID (5), a port GUID (0x0002c90300001234), a GID, a "
					 "directed route (0,1,3), or the name of a node (leaf1, "
					 "leaf1/5)",
			      "'%s' is not %s", name, asked_kinds[kind].noun ?: "a destination");
}

/* Whether a text that is no other kind of destination may be a name: it must not be a list. */
static bool may_be_name(const char *text)
{
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ')
			return false;
	return *text && strncmp(text, "0,", 2);
}

int session_parse_target(struct mad_session *session, const char *name,
			 struct mad_target *ret_target)
{
	const enum target_kind kind = session->options.kind;
	int rc = mad_target_parse(name, kind, ret_target);

	if (rc == -EINVAL && (kind == TARGET_ANY || kind == TARGET_NAME) && may_be_name(name)) {
		*ret_target = (struct mad_target){.kind = TARGET_NAME};
		return 0;
	}
	if (!rc)
		return 0;
	if (rc == -ERANGE)
		return session_report(session,
				      kind == TARGET_ANY && !strchr(name, ',')
					      ? "for a node whose name looks like a number, use "
						"--node"
					      : "rdmactl fabric nodes -o node,lid,path lists them",
				      "'%s' is out of range: LIDs are 1 to 49151, routes have "
				      "ports up to 255 and at most 63 hops",
				      name);
	return report_malformed(session, name);
}

/* Ports and entries are separated by blanks or, as for infiniband-diags, by commas. */
static void add_words(struct mad_destination *destination, const char *list)
{
	_cleanup_(freep) char *copy = mem_string(list);
	char *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		MEM_ADD(destination->words, destination->word_count) = mem_string(word);
}

/* 0 is this port, but only subnet management can take that directed route: its LID instead. */
static int take_own_lid(struct mad_session *session, struct mad_target *target)
{
	const uint16_t lid = session->port.route.lid;
	const uint64_t reported = session->port.lid.value;

	if (!session->by_lid || session->options.kind != TARGET_ANY ||
	    target->kind != TARGET_DIRECT || target->hops)
		return 0;
	*target = (struct mad_target){.kind = TARGET_LID, .lid = lid};
	if (lid)
		return 0;
	if (reported)
		session_report(session,
			       "rdmactl ports shows its state; 65535 means that no subnet manager "
			       "has configured it",
			       "the port has no LID from 1 to 49151: it reports %" PRIu64,
			       reported);
	else
		session_report(session, "rdmactl ports shows its state",
			       "the port has no LID: no subnet manager has configured it");
	return -EADDRNOTAVAIL;
}

static int add_destination(struct mad_session *session, const char *name, char *const *words)
{
	struct mad_destination *destination;
	struct mad_target target;
	int rc = session_parse_target(session, name, &target);

	if (!rc)
		rc = take_own_lid(session, &target);
	if (rc)
		return rc;
	destination = mem_append(&session->destinations, &session->destination_count,
				 sizeof(*destination));
	*destination = (struct mad_destination){.name = NULL};
	if (target.kind == TARGET_NAME) {
		destination->wanted = mem_string(name);
		destination->name = text_clean(name, strlen(name));
	} else {
		destination->name = mad_target_text(&target);
	}
	destination->place.target = target;
	for (; *words; words++)
		add_words(destination, *words);
	return 0;
}

/*
 * Commas separate destinations, except in a directed route, where they separate its ports, and in a
 * name given with --node.
 */
static int add_destinations(struct mad_session *session, const char *list, char *const *words)
{
	_cleanup_(freep) char *copy = mem_string(list);
	const enum target_kind kind = session->options.kind;
	char *rest = copy, *name;
	int rc = 0;

	if (kind == TARGET_DIRECT || kind == TARGET_NAME ||
	    (kind == TARGET_ANY && list[0] == '0' && (list[1] == ',' || !list[1])))
		return add_destination(session, list, words);
	while (!rc && (name = strsep(&rest, ",")))
		rc = add_destination(session, name, words);
	return rc;
}

/* The first word of a line, or what is in double quotes there; NULL: none. Moves past it. */
static char *first_word(char **line)
{
	char *word = *line + strspn(*line, " \t\r\n"), *end;

	if (*word != '"') {
		*line = word;
		return *word && *word != '#' ? strsep(line, " \t\r\n") : NULL;
	}
	end = strchr(++word, '"');
	*line = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return word;
}

static int read_line(struct mad_session *session, char *line)
{
	_cleanup_(freep) char **words = NULL;
	char *rest = line, *word, *destination = first_word(&rest);
	size_t count = 0;

	if (!destination)
		return 0;
	while ((word = strsep(&rest, " \t\r\n")))
		if (*word)
			MEM_ADD(words, count) = word;
	MEM_ADD(words, count) = NULL;
	return add_destinations(session, destination, words);
}

static int read_destinations(struct mad_session *session)
{
	_cleanup_(freep) char *line = NULL;
	FILE *input = session->options.input;
	size_t size = 0;
	ssize_t length;
	int rc = 0;

	while (!rc && (length = getline(&line, &size, input)) >= 0) {
		if (strlen(line) != (size_t)length)
			return session_report(session, NULL, "standard input is not text");
		rc = read_line(session, line);
	}
	if (rc || !ferror(input))
		return rc;
	rc = -errno;
	session_report(session, NULL, "cannot read standard input: %s", strerror(-rc));
	return rc;
}

/* Whether the subnet administrator refused, rather than found no such port or path. */
static bool is_refusal(unsigned int status)
{
	return status && status != MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS) &&
	       status != MAD_SA_STATUS(UMAD_SA_STATUS_INVALID_GID);
}

static void explain_place(struct mad_session *session, const struct mad_destination *destination)
{
	_cleanup_(freep) char *refusal = NULL;
	struct problems *problems = session->problems;
	const unsigned int status = destination->place.status;
	int error = destination->place.error;

	if (is_refusal(status)) {
		refusal = mad_failure_text(UMAD_CLASS_SUBN_ADM, 0, status, 1);
		problem_add_text(problems, destination->name, "PathRecord", "sa", refusal, NULL);
		return;
	}
	if (error == -ENODATA)
		problem_add_text(
			problems, destination->name, NULL, "sa",
			"its LID is not known, and the port knows no subnet manager to ask",
			"start a subnet manager, or use a directed route (-D 0,1,3)");
	else if (error == -ENXIO)
		problem_add_text(problems, destination->name, NULL, "sa",
				 "the subnet administrator knows no path to it",
				 "check that it is the GUID of a port that is up: rdmactl sa nodes "
				 "-o +port_guid");
	else if (error == -EADDRNOTAVAIL)
		problem_add_text(problems, destination->name, NULL, "sa",
				 "it is the GID of a multicast group, not of a node",
				 "rdmactl sa multicast shows the group");
	else
		problem_add_text(problems, destination->name, NULL, "sa", mad_sa_error(error),
				 mad_sa_hint(error));
}

void session_free_destination(struct mad_destination *destination)
{
	for (size_t i = 0; i < destination->word_count; i++)
		free(destination->words[i]);
	free(destination->words);
	free(destination->name);
	free(destination->wanted);
}

/* Looks up all LIDs at once. Destinations that are not found leave the list. */
static int look_up(struct mad_session *session)
{
	size_t count, left = 0;
	_cleanup_(freep) struct mad_place *places = NULL;
	int rc = session_look_up_names(session);

	if (rc)
		return rc;
	count = session->destination_count;
	places = mem_alloc_zero(count + 1, sizeof(*places));
	for (size_t i = 0; i < count; i++)
		places[i] = session->destinations[i].place;
	mad_find_places(session->engine, &session->port.route, places, count);
	for (size_t i = 0; i < count; i++) {
		struct mad_destination *destination = &session->destinations[i];

		destination->place = places[i];
		if (session->options.sl.known)
			destination->place.address.sl = (uint8_t)session->options.sl.value;
		destination->place.address.qkey = session->qkey;
		if (!destination->place.error) {
			session->destinations[left++] = *destination;
			continue;
		}
		explain_place(session, destination);
		session_free_destination(destination);
	}
	session->destination_count = left;
	return left ? 0 : -EHOSTUNREACH;
}

void session_drop_destinations(struct mad_session *session)
{
	for (size_t i = 0; i < session->destination_count; i++)
		session_free_destination(&session->destinations[i]);
	free(session->destinations);
	session->destinations = NULL;
	session->destination_count = 0;
}

static int check_unnamed(struct mad_session *session)
{
	_cleanup_(freep) char *complaint = mad_kind_complaint(session->options.kind);

	if (!complaint)
		return 0;
	return session_report(session, NULL, "%s", complaint);
}

int mad_session_find(struct mad_session *session, char *const *words)
{
	char *const none[] = {NULL};
	int rc;

	if (!words[0]) {
		rc = check_unnamed(session);
		if (!rc)
			rc = add_destination(session, "0", none);
	} else if (!strcmp(words[0], "-")) {
		mad_session_begin_read(session);
		rc = read_destinations(session);
		mad_session_end_read(session);
	} else {
		rc = add_destinations(session, words[0], words + 1);
	}
	if (rc)
		return rc;
	if (!session->destination_count)
		return session_report(session, NULL, "no destination on standard input");
	return look_up(session);
}

int mad_session_find_all(struct mad_session *session, char *const *words)
{
	char *const none[] = {NULL};
	int rc;

	for (; *words; words++) {
		rc = add_destinations(session, *words, none);
		if (rc)
			return rc;
	}
	rc = look_up(session);
	return rc ? rc : mad_session_refuse_words(session);
}

int mad_session_find_lid(struct mad_session *session, uint16_t lid)
{
	_cleanup_(freep) char *name = mem_format("%u", lid);
	char *words[] = {name, NULL};
	int rc = check_unnamed(session);

	return rc ? rc : mad_session_find(session, words);
}

int mad_session_find_by_lid(struct mad_session *session, char *const *words)
{
	session->by_lid = true;
	return mad_session_find(session, words);
}

int mad_session_refuse_words(struct mad_session *session)
{
	for_each_in (destination, session->destinations, session->destination_count) {
		if (!destination->word_count)
			continue;
		if (destination->named_port)
			return session_refuse_port(session, destination->name);
		return session_report(session, "separate destinations with commas: 2,4",
				      "unexpected argument '%s' after the destination",
				      destination->words[0]);
	}
	return 0;
}
