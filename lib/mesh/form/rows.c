/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/form/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/wire/mesh_message.h"
#include "render/json_read.h"
#include "schema/rows.h"

static const struct enum_name outcomes[] = {
	{MESH_PASS, "pass", TONE_GOOD},
	{MESH_FAIL, "fail", TONE_BAD},
	{MESH_UNTRIED, "untried", TONE_WARNING},
	{MESH_APART, "no-exchange", TONE_WARNING},
	{0, NULL},
};

#define RECORD struct mesh_row
#define FIGURE(key_, member_, heading_, flags_, help_) \
	REAL_FIELD(RECORD, result.member_, key_, heading_, (flags_) | FIELD_RIGHT, 0, help_)
static const struct field fields[] = {
	NUMBER(stage, "STAGE", 0, 0, "stage of the plan, counted from 0"),
	TEXT(mode, "MODE", 0, 0, "mode of the stage, with its number"),
	NUMBER(round, "ROUND", 0, 0, "round of the stage, counted from 0"),
	TEXT(host, "HOST", SHOWN, 0, "host that was the client"),
	NUMBER(rail, "RAIL", SHOWN, 0, "its rail, counted from 0"),
	TEXT(peer, "PEER", SHOWN, 0, "the other host; the host itself in loopback"),
	NUMBER(peer_rail, "PEER RAIL", 0, 0, "rail of the other host"),
	TEXT(device, "DEVICE", 0, 0, "device and port of the host's rail"),
	TEXT(peer_device, "PEER DEVICE", 0, 0, "device and port of the other host's rail"),
	YES_NO_AS("second_pass", again, "AGAIN", 0, 0, "whether it was tried again, alone"),
	WORD(outcome, outcomes, "OUTCOME", SHOWN, 0, "whether data went through"),
	FIGURE("latency_usec", latency_usec, "LATENCY us", SHOWN, "median one-way latency"),
	FIGURE("gbps", gbps[MESH_END_A], "Gb/s", SHOWN, "bandwidth that the host sent"),
	FIGURE("peer_gbps", gbps[MESH_END_B], "PEER Gb/s", SHOWN, "bandwidth that its peer sent"),
	FIGURE("both_gbps", both_gbps[MESH_END_A], "BOTH Gb/s", 0,
	       "bandwidth that the host sent while its peer also sent"),
	FIGURE("both_peer_gbps", both_gbps[MESH_END_B], "BOTH PEER Gb/s", 0,
	       "bandwidth that its peer sent while the host also sent"),
	NUMBER_AS("errors", result.errors[MESH_END_A], "ERRORS", 0, 0,
		  "growth of the error counters of the host's port"),
	NUMBER_AS("peer_errors", result.errors[MESH_END_B], "PEER ERRORS", 0, 0,
		  "growth of the error counters of the peer's port"),
	TEXT(reason, "REASON", SHOWN, 0, "why it failed, or why something was not tried"),
	YES_NO(older_agent, "OLDER AGENT", 0, 0,
	       "whether an older rdmactl is why both directions at once were not tried"),
};
#undef RECORD

const struct schema mesh_rows_schema = SCHEMA("mesh_results", struct mesh_row, fields,
					      "the result of a pair of hosts");

void mesh_row_make(const struct mesh_host *hosts, char *mode, const struct mesh_result *result,
		   struct mesh_row *ret_row)
{
	*ret_row = (struct mesh_row){
		.stage = number_of(result->stage),
		.mode = mode,
		.round = number_of(result->round),
		.host = hosts[result->pair.a].name,
		.peer = hosts[result->pair.b].name,
		.rail = number_of(result->pair.rail_a),
		.peer_rail = number_of(result->pair.rail_b),
		.device = mesh_host_device(&hosts[result->pair.a], result->pair.rail_a),
		.peer_device = mesh_host_device(&hosts[result->pair.b], result->pair.rail_b),
		.again = result->again ? TRISTATE_YES : TRISTATE_NO,
		.outcome = number_of(result->outcome),
		.result = *result,
		.reason = result->reason[0] ? ret_row->result.reason : NULL,
		.older_agent = result->older_agent ? TRISTATE_YES : TRISTATE_NO,
	};
}

void mesh_row_free(struct mesh_row *row)
{
	free(row->device);
	free(row->peer_device);
}

static bool is_possible(const struct real *figure, double most)
{
	return !figure->known || (figure->value >= 0 && figure->value <= most);
}

/* Whether an agent could have sent these figures. */
static bool has_possible_figures(const struct mesh_result *result)
{
	static const double most = (double)MESH_MOST_BPS / MESH_GBPS_UNIT;

	for (int end = 0; end < MESH_ENDS; end++)
		if (!is_possible(&result->gbps[end], most) ||
		    !is_possible(&result->both_gbps[end], most))
			return false;
	return is_possible(&result->latency_usec, (double)MESH_MOST_PSEC / MESH_USEC_UNIT);
}

/* Checks the bounded numbers of a row. Returns what is wrong, or NULL. */
static const char *check_row(const struct mesh_row *row)
{
	if (!row->host || !row->peer)
		return "it does not name two hosts";
	if (!row->rail.known || row->rail.value >= MESH_MOST_RAILS ||
	    (row->peer_rail.known && row->peer_rail.value >= MESH_MOST_RAILS))
		return "it has no valid rail";
	if (!row->stage.known || row->stage.value > UINT16_MAX)
		return "it has no valid stage";
	if (!row->outcome.known)
		return "it has no valid outcome";
	if (!has_possible_figures(&row->result))
		return "it has an impossible figure";
	return NULL;
}

static void make_result(const struct mesh_row *row, struct mesh_result *result)
{
	*result = row->result;
	result->pair.rail_a = (uint16_t)row->rail.value;
	result->pair.rail_b = (uint16_t)(row->peer_rail.known ? row->peer_rail : row->rail).value;
	result->stage = (uint32_t)row->stage.value;
	result->round = row->round.value > UINT32_MAX ? 0 : (uint32_t)row->round.value;
	result->again = row->again == TRISTATE_YES;
	result->outcome = (enum mesh_outcome)row->outcome.value;
	result->older_agent = row->older_agent == TRISTATE_YES;
	if (row->reason)
		text_clean_into(result->reason, sizeof(result->reason), row->reason,
				strlen(row->reason));
}

static void note_broken(struct mesh_rows_read *read, uint64_t line, const char *reason)
{
	if (!read->broken++)
		read->reason = mem_format("line %" PRIu64 ": %s", line, reason);
}

static char *explain_stranger(const char *name)
{
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));

	return mem_format("%s, for example, is not in this run; if it should be, name the hosts "
			  "as the file does",
			  clean);
}

/*
 * Whether the rail was another port then. An older file does not say which, and counted only those
 * that worked.
 */
static bool is_other_port(const struct mesh_host *host, uint16_t rail, const char *device)
{
	_cleanup_(freep) char *own = mesh_host_device(host, rail);

	return device ? own && strcmp(own, device) : mesh_host_count_rails(host, rail) < rail;
}

/* A host that is absent has no rails: its results of the earlier run are all that is known. */
static char *why_no_rail(const struct mesh_host *host, uint16_t rail, const char *device)
{
	const char *why;

	if (host->presence != MESH_PRESENT)
		return NULL;
	if (!mesh_host_has_rail(host, rail))
		why = "cannot be used now";
	else if (is_other_port(host, rail, device))
		why = "may have been another port then";
	else
		return NULL;
	return mem_format("rail %u of %s, for example, %s", rail, host->name, why);
}

/* Fills the hosts of the pair. Returns why the row is of no use for them, or NULL. */
static char *why_unused(const struct mesh_host *hosts, const struct mesh_names *names,
			const struct mesh_row *row, struct mesh_pair *pair)
{
	if (!mesh_names_find(names, row->host, &pair->a))
		return explain_stranger(row->host);
	if (!mesh_names_find(names, row->peer, &pair->b))
		return explain_stranger(row->peer);
	return why_no_rail(&hosts[pair->a], pair->rail_a, row->device)
		       ?: why_no_rail(&hosts[pair->b], pair->rail_b, row->peer_device);
}

static void read_line(const char *line, size_t length, uint64_t number,
		      const struct mesh_host *hosts, const struct mesh_names *names,
		      void (*take)(void *context, const struct mesh_result *result), void *context,
		      struct mesh_rows_read *read)
{
	struct mesh_result result;
	_cleanup_(freep) char *message = NULL, *cause = NULL;
	struct mesh_row row = {.host = NULL};
	const char *reason;

	if (json_read_record(line, length, &mesh_rows_schema, &row, &message)) {
		note_broken(read, number, message);
		return;
	}
	reason = check_row(&row);
	if (reason) {
		note_broken(read, number, reason);
	} else {
		make_result(&row, &result);
		cause = why_unused(hosts, names, &row, &result.pair);
		if (!cause) {
			take(context, &result);
			read->taken++;
		} else if (!read->unused++) {
			read->cause = cause;
			cause = NULL;
		}
	}
	record_clear(&mesh_rows_schema, &row);
}

void mesh_rows_read(const char *text, size_t length, const struct mesh_host *hosts,
		    uint32_t host_count,
		    void (*take)(void *context, const struct mesh_result *result), void *context,
		    struct mesh_rows_read *ret_read)
{
	const char *end;
	_cleanup_(mesh_names_clear) struct mesh_names names;
	uint64_t number = 1;

	*ret_read = (struct mesh_rows_read){.taken = 0};
	mesh_names_fill(hosts, host_count, &names);
	for (; (end = memchr(text, '\n', length)); number++) {
		const size_t line = (size_t)(end - text);

		if (line)
			read_line(text, line, number, hosts, &names, take, context, ret_read);
		text += line + 1;
		length -= line + 1;
	}
}

/*
 * Whether modes are alike: a count only adds rounds, except that the senders of an incast share
 * what it measures.
 */
static bool is_like(const char *mode, const char *other)
{
	const size_t length = strcspn(mode, ":");

	if (!strncmp(mode, "incast", length))
		return !strcmp(mode, other);
	return length == strcspn(other, ":") && !strncmp(mode, other, length);
}

bool mesh_rows_fit(const char *text, size_t length, const struct strings *modes,
		   uint32_t *ret_stage, char **ret_mode)
{
	const char *end;
	bool good = true;

	for (; good && (end = memchr(text, '\n', length)); text = end + 1) {
		_cleanup_(freep) char *message = NULL;
		struct mesh_row row = {.host = NULL};

		length -= (size_t)(end - text) + 1;
		/* A line that is not a result is reported when the results are read. */
		if (json_read_record(text, (size_t)(end - text), &mesh_rows_schema, &row, &message))
			continue;
		good = !row.mode || !row.stage.known || row.stage.value >= modes->count ||
		       is_like(row.mode, modes->items[row.stage.value]);
		if (!good) {
			*ret_stage = (uint32_t)row.stage.value;
			*ret_mode = text_clean(row.mode, strlen(row.mode));
		}
		record_clear(&mesh_rows_schema, &row);
	}
	return good;
}

/* Instead of the key of a pair: those that did not fit before it are still found behind it. */
#define REMOVED UINT64_MAX

/* A port has 20 bits: MESH_MOST_HOSTS * MESH_MOST_RAILS. Never 0. */
static uint64_t key_of(const struct mesh_done *done, uint32_t stage, const struct mesh_pair *pair)
{
	const uint64_t a = (uint64_t)pair->a * MESH_MOST_RAILS + pair->rail_a;
	const uint64_t b = (uint64_t)pair->b * MESH_MOST_RAILS + pair->rail_b;
	const bool directed = stage < PLAN_MOST_STAGES && done->directed >> stage & 1;

	return ((uint64_t)stage << 40 | (a < b || directed ? a << 20 | b : b << 20 | a)) + 1;
}

static size_t place_of(const struct mesh_done *done, uint64_t key)
{
	/* The golden ratio spreads neighbours: Knuth, volume 3, 6.4. */
	size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) % done->places;

	while (done->keys[at] && done->keys[at] != key)
		at = (at + 1) % done->places;
	return at;
}

static void grow(struct mesh_done *done)
{
	struct mesh_done larger = {.directed = done->directed,
				   .places = done->places ? done->places * 2 : 1024,
				   .count = done->count};

	larger.keys = mem_alloc_zero(larger.places, sizeof(*larger.keys));
	for (size_t i = 0; i < done->places; i++)
		if (done->keys[i])
			larger.keys[place_of(&larger, done->keys[i])] = done->keys[i];
	free(done->keys);
	*done = larger;
}

void mesh_done_add(struct mesh_done *done, uint32_t stage, const struct mesh_pair *pair)
{
	const uint64_t key = key_of(done, stage, pair);
	size_t at;

	if (done->count * 2 >= done->places)
		grow(done);
	at = place_of(done, key);
	done->count += !done->keys[at];
	done->keys[at] = key;
}

void mesh_done_remove(struct mesh_done *done, uint32_t stage, const struct mesh_pair *pair)
{
	if (mesh_done_has(done, stage, pair))
		done->keys[place_of(done, key_of(done, stage, pair))] = REMOVED;
}

bool mesh_done_has(const struct mesh_done *done, uint32_t stage, const struct mesh_pair *pair)
{
	return done->count && done->keys[place_of(done, key_of(done, stage, pair))];
}

void mesh_done_clear(struct mesh_done *done)
{
	free(done->keys);
	*done = (struct mesh_done){0};
}
