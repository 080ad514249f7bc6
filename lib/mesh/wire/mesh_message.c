/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/wire/mesh_message.h"

#include <string.h>

#include "base/text.h"
#include "selftest/wire/layout_rows.h"

#include "mesh/wire/mesh_messages.def"

static const struct message_row rows[MESH_MESSAGE_TYPES] = {
#define MESSAGE(number, constant, name, record) [number] = {#name, &record##_layout, 0},
#include "mesh/wire/mesh_messages.def"
};

const struct wire_protocol mesh_protocol = {
	.magic = MESH_MAGIC,
	.version = MESH_HEADER_VERSION,
	.rows = rows,
	.types = MESH_MESSAGE_TYPES,
	.hello = MESH_MESSAGE_HELLO,
	.refused = MESH_MESSAGE_REFUSED,
};

size_t mesh_message_encode(const struct mesh_message *message,
			   uint8_t bytes[static MESH_MOST_BYTES])
{
	return wire_encode(&mesh_protocol, message->type, &message->body, bytes);
}

ssize_t mesh_message_decode(const uint8_t *bytes, size_t length, struct mesh_message *message)
{
	const struct wire_layout *layout;
	const char *field;
	uint32_t type;
	size_t body;
	int rc;

	if (length < WIRE_HEADER_BYTES)
		return 0;
	rc = wire_decode_header(&mesh_protocol, bytes, &type, &body);
	if (rc)
		return rc;
	if (length < WIRE_HEADER_BYTES + body)
		return 0;
	layout = wire_layout_of(&mesh_protocol, type);
	memset(&message->body, 0, layout->record_size);
	message->type = type;
	rc = wire_decode(layout, bytes + WIRE_HEADER_BYTES, body, &message->body, &field);
	return rc ? rc : (ssize_t)(WIRE_HEADER_BYTES + body);
}

/* Copies text for the wire, cleaned; the rest of the buffer is NULs. */
static void put_text(char *buffer, size_t size, const char *text)
{
	memset(buffer, 0, size);
	if (text)
		text_clean_into(buffer, size, text, strlen(text));
}

/* A copy of a received text, clean; NULL if it is empty. */
static char *take_text(const char *text, size_t size)
{
	return *text ? text_clean(text, strnlen(text, size)) : NULL;
}

/* Converts a figure to units of the wire: never negative or a NaN, and at most `most`. */
static uint64_t figure(const struct real *real, double unit, uint64_t most)
{
	const double value = real->value * unit;

	if (!(value > 0))
		return 0;
	return value < (double)most ? (uint64_t)(value + 0.5) : most;
}

static void fill_answer(uint64_t id, const struct mesh_result *result, struct mesh_answer *answer)
{
	*answer = (struct mesh_answer){
		.id = id,
		.outcome = result->outcome,
		.latency_psec = figure(&result->latency_usec, MESH_USEC_UNIT, MESH_MOST_PSEC),
		.bps_a = figure(&result->gbps[MESH_END_A], MESH_GBPS_UNIT, MESH_MOST_BPS),
		.bps_b = figure(&result->gbps[MESH_END_B], MESH_GBPS_UNIT, MESH_MOST_BPS),
		.errors_a = result->errors[MESH_END_A].value,
		.errors_b = result->errors[MESH_END_B].value,
	};
	answer->known = (result->latency_usec.known ? MESH_KNOWN_LATENCY : 0u) |
			(result->gbps[MESH_END_A].known ? MESH_KNOWN_BPS_A : 0u) |
			(result->gbps[MESH_END_B].known ? MESH_KNOWN_BPS_B : 0u) |
			(result->errors[MESH_END_A].known ? MESH_KNOWN_ERRORS_A : 0u) |
			(result->errors[MESH_END_B].known ? MESH_KNOWN_ERRORS_B : 0u);
	put_text(answer->reason, sizeof(answer->reason), result->reason);
}

void mesh_answer_make(uint64_t id, const struct mesh_result *result, struct mesh_message *message)
{
	message->type = MESH_MESSAGE_ANSWER;
	fill_answer(id, result, &message->answer);
}

void mesh_both_answer_make(uint64_t id, const struct mesh_result *result,
			   struct mesh_message *message)
{
	struct mesh_both_answer *both = &message->both_answer;
	const struct real *gbps = result->both_gbps;

	message->type = MESH_MESSAGE_BOTH_ANSWER;
	*both = (struct mesh_both_answer){
		.known = (gbps[MESH_END_A].known ? MESH_KNOWN_BOTH_A : 0u) |
			 (gbps[MESH_END_B].known ? MESH_KNOWN_BOTH_B : 0u),
		.both_bps_a = figure(&gbps[MESH_END_A], MESH_GBPS_UNIT, MESH_MOST_BPS),
		.both_bps_b = figure(&gbps[MESH_END_B], MESH_GBPS_UNIT, MESH_MOST_BPS),
	};
	fill_answer(id, result, &both->answer);
}

static struct real real_if(uint32_t known, uint64_t value, double unit)
{
	return known ? real_of((double)value / unit) : (struct real){.known = false};
}

static struct number number_if(uint32_t known, uint64_t value)
{
	return known ? number_of(value) : (struct number){.known = false};
}

void mesh_answer_take(const struct mesh_answer *answer, struct mesh_result *result)
{
	const uint32_t known = answer->known;

	result->outcome = (enum mesh_outcome)answer->outcome;
	result->latency_usec = real_if(known & MESH_KNOWN_LATENCY, answer->latency_psec,
				       MESH_USEC_UNIT);
	result->gbps[MESH_END_A] = real_if(known & MESH_KNOWN_BPS_A, answer->bps_a, MESH_GBPS_UNIT);
	result->gbps[MESH_END_B] = real_if(known & MESH_KNOWN_BPS_B, answer->bps_b, MESH_GBPS_UNIT);
	result->errors[MESH_END_A] = number_if(known & MESH_KNOWN_ERRORS_A, answer->errors_a);
	result->errors[MESH_END_B] = number_if(known & MESH_KNOWN_ERRORS_B, answer->errors_b);
	put_text(result->reason, sizeof(result->reason), answer->reason);
}

void mesh_both_answer_take(const struct mesh_both_answer *answer, struct mesh_result *result)
{
	mesh_answer_take(&answer->answer, result);
	result->both_gbps[MESH_END_A] = real_if(answer->known & MESH_KNOWN_BOTH_A,
						answer->both_bps_a, MESH_GBPS_UNIT);
	result->both_gbps[MESH_END_B] = real_if(answer->known & MESH_KNOWN_BOTH_B,
						answer->both_bps_b, MESH_GBPS_UNIT);
}

void mesh_identity_make(const struct mesh_host *host, struct mesh_message *message)
{
	struct mesh_identity *identity = &message->identity;

	message->type = MESH_MESSAGE_IDENTITY;
	*identity = (struct mesh_identity){
		.with_rank = host->rank.known && host->rank.value <= UINT32_MAX,
		.rank = (uint32_t)host->rank.value,
		.with_memlock = host->memlock_bytes.known,
		.memlock_bytes = host->memlock_bytes.value,
		.with_others = host->others_qps.known,
		.others_qps = host->others_qps.value < UINT32_MAX ? (uint32_t)host->others_qps.value
								  : UINT32_MAX,
		.rehearsed = host->rehearsed,
		.address = host->address,
		.server_port = host->server_port,
		.rail_count = host->rail_count,
	};
	put_text(identity->name, sizeof(identity->name), host->name);
	put_text(identity->release, sizeof(identity->release), host->release);
	put_text(identity->kernel, sizeof(identity->kernel), host->kernel);
	put_text(identity->firmware, sizeof(identity->firmware), host->firmware);
}

void mesh_identity_take(const struct mesh_identity *identity, struct mesh_host *host)
{
	host->rank = number_if(identity->with_rank, identity->rank);
	host->memlock_bytes = number_if(identity->with_memlock, identity->memlock_bytes);
	host->others_qps = number_if(identity->with_others, identity->others_qps);
	host->rehearsed = identity->rehearsed;
	host->address = identity->address;
	host->server_port = (uint16_t)identity->server_port;
	host->name = take_text(identity->name, sizeof(identity->name));
	host->release = take_text(identity->release, sizeof(identity->release));
	host->kernel = take_text(identity->kernel, sizeof(identity->kernel));
	host->firmware = take_text(identity->firmware, sizeof(identity->firmware));
}

void mesh_refused_make(enum mesh_refusal refusal, const char *text, const char *hint,
		       struct mesh_message *message)
{
	struct mesh_refused *refused = &message->refused;

	message->type = MESH_MESSAGE_REFUSED;
	refused->refusal = refusal;
	refused->lowest = MESH_PROTOCOL_LOWEST;
	refused->highest = MESH_PROTOCOL;
	put_text(refused->text, sizeof(refused->text), text);
	put_text(refused->hint, sizeof(refused->hint), hint);
}

void mesh_finding_make(const char *check, const struct finding *finding,
		       struct mesh_message *message)
{
	struct mesh_finding *told = &message->finding;

	message->type = MESH_MESSAGE_FINDING;
	told->severity = (uint32_t)finding->severity.value;
	put_text(told->check, sizeof(told->check), check);
	put_text(told->object, sizeof(told->object), finding->object);
	put_text(told->summary, sizeof(told->summary), finding->summary);
	put_text(told->evidence, sizeof(told->evidence), finding->evidence);
	put_text(told->next_step, sizeof(told->next_step), finding->next_step);
}

void mesh_gap_make(const struct mesh_gap *gap, struct mesh_message *message)
{
	message->type = MESH_MESSAGE_GAP;
	message->gap = (struct mesh_gap_message){.place = gap->place, .port = gap->port};
	put_text(message->gap.device, sizeof(message->gap.device), gap->device);
	put_text(message->gap.reason, sizeof(message->gap.reason), gap->reason);
	put_text(message->gap.hint, sizeof(message->gap.hint), gap->hint);
}

void mesh_gap_take(const struct mesh_gap_message *message, struct mesh_gap *gap)
{
	*gap = (struct mesh_gap){
		.place = message->place,
		.port = message->port,
		.reason = take_text(message->reason, sizeof(message->reason)),
		.hint = take_text(message->hint, sizeof(message->hint)),
	};
	put_text(gap->device, sizeof(gap->device), message->device);
}

void mesh_finding_take(const struct mesh_finding *message, struct finding *finding)
{
	*finding = (struct finding){
		.severity = number_of(message->severity),
		.object = take_text(message->object, sizeof(message->object)),
		.summary = take_text(message->summary, sizeof(message->summary)),
		.evidence = take_text(message->evidence, sizeof(message->evidence)),
		.next_step = take_text(message->next_step, sizeof(message->next_step)),
	};
}
