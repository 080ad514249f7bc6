/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/mad/ping_target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/header.h"
#include "selftest/record/statistics.h"

static bool is_answer(const struct ping_target *target, const struct mad_reply *reply)
{
	return !reply->error &&
	       ping_accept(target->kind, &target->request, reply->mad, reply->bytes) &&
	       (target->kind != PING_ROCE ||
		!memcmp(&reply->from->gid, &target->request.to.gid, sizeof(struct gid)));
}

static void add_answer(struct ping_target *target, uint64_t nsec)
{
	target->received++;
	if (!nsec)
		return;
	if (target->sample_count == target->room) {
		target->room = target->room ? 2 * target->room : 16;
		target->samples = mem_resize(target->samples, target->room,
					     sizeof(*target->samples));
	}
	target->samples[target->sample_count++] = nsec;
}

static struct real usec(uint64_t nsec)
{
	return (struct real){.value = (double)nsec / 1000, .known = true};
}

static void set_loss(struct ping_record *record)
{
	uint64_t sent = record->sent.value, lost = sent - record->received.value;

	record->loss_percent.known = sent;
	record->loss_percent.value = sent ? 100 * (double)lost / (double)sent : 0;
}

bool ping_target_take(struct ping_target *target, const struct mad_reply *reply)
{
	bool answered = is_answer(target, reply);

	target->sent++;
	target->error = reply->error;
	if (answered) {
		add_answer(target, reply->round_trip_nsec);
		if (!target->record.host)
			target->record.host = ping_host(target->kind, reply->mad, reply->bytes);
	} else if (!reply->error) {
		target->refused++;
		target->status = reply->status;
	}
	return answered;
}

struct ping_record *ping_target_last(const struct ping_target *target, bool answered, uint64_t nsec)
{
	const struct ping_record *total = &target->record;
	struct ping_record *record = mem_alloc_zero(1, sizeof(*record));

	*record = *total;
	record->object = mem_string(total->object);
	record->host = total->host ? mem_string(total->host) : NULL;
	record->device = mem_string(total->device);
	number_set(&record->sequence, target->sent);
	number_set(&record->sent, 1);
	number_set(&record->received, answered);
	set_loss(record);
	if (answered && nsec)
		record->min = record->p50 = record->p90 = record->p99 = record->max = record->mean =
			usec(nsec);
	return record;
}

void ping_target_compute(struct ping_target *target)
{
	struct ping_record *record = &target->record;
	struct statistics figures;

	number_set(&record->sent, target->sent);
	number_set(&record->received, target->received);
	set_loss(record);
	if (!target->sample_count)
		return;
	statistics_compute(target->samples, target->sample_count, &figures);
	record->min = (struct real){.value = figures.min_usec, .known = true};
	record->p50 = (struct real){.value = figures.p50_usec, .known = true};
	record->p90 = (struct real){.value = figures.p90_usec, .known = true};
	record->p99 = (struct real){.value = figures.p99_usec, .known = true};
	record->max = (struct real){.value = figures.max_usec, .known = true};
	record->mean = (struct real){.value = figures.mean_usec, .known = true};
}

char *ping_target_complaint(const struct ping_target *target)
{
	_cleanup_(freep) char *why = NULL;
	char word[MAD_STATUS_BYTES];

	if (target->refused) {
		mad_status_word(target->request.mgmt_class, target->status, word);
		why = mem_format(" (refused with status 0x%04x: %s)", target->status, word);
	} else if (target->error && target->error != -ETIMEDOUT) {
		why = mem_format(" (not sent: %s)", strerror(-target->error));
	}
	return mem_format("no answer to %" PRIu64 " of %" PRIu64 " requests%s",
			  target->sent - target->received, target->sent, why ? why : "");
}

const char *ping_target_hint(const struct ping_target *target)
{
	if (target->received)
		return target->kind == PING_ROCE ? NULL
						 : "rdmactl perf shows the errors of the ports "
						   "on the path";
	switch (target->kind) {
	case PING_PMA:
		return "the node or the path to it is down: a directed route shows where, rdmactl "
		       "ping -D 0,1";
	case PING_SMP:
		return "the node or the path to it is down, or it answers only with its M_Key "
		       "(--mkey)";
	case PING_OPENIB:
		return "run rdmactl ping --serve or ibping -S on the destination";
	default:
		return "run rdmactl ping --serve on the destination";
	}
}

void ping_target_clear(struct ping_target *target)
{
	free(target->samples);
	ping_record_clear(&target->record);
}
