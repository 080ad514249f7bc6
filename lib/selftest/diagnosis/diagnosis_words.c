/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/diagnosis/diagnosis_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"

const struct endpoint *diagnosis_known(const struct endpoint *endpoint)
{
	return endpoint && endpoint->device[0] ? endpoint : NULL;
}

char *diagnosis_port(const struct endpoint *endpoint, const char *fallback)
{
	_cleanup_(freep) char *device = NULL;

	if (!diagnosis_known(endpoint))
		return mem_string(fallback);
	device = text_clean(endpoint->device, sizeof(endpoint->device));
	return mem_format("%s/%" PRIu32, device, endpoint->port);
}

char *diagnosis_netdev(const struct endpoint *endpoint, const char *fallback)
{
	if (!endpoint || !endpoint->netdev[0])
		return mem_string(fallback);
	return text_clean(endpoint->netdev, sizeof(endpoint->netdev));
}

static enum diagnosis_carrier carrier_of(const struct endpoint *endpoint)
{
	if (!diagnosis_known(endpoint))
		return CARRIER_UNKNOWN;
	switch (endpoint->transport) {
	case TRANSPORT_ROCE:
		return endpoint->gid_type == GID_TYPE_ROCE_V1 ? CARRIER_ROCE_V1 : CARRIER_ROCE_V2;
	case TRANSPORT_IWARP:
		return CARRIER_IWARP;
	case TRANSPORT_INFINIBAND:
	case TRANSPORT_OPA:
		return CARRIER_INFINIBAND;
	default:
		return CARRIER_UNKNOWN;
	}
}

const char *diagnosis_kind(const struct endpoint *endpoint)
{
	switch (carrier_of(endpoint)) {
	case CARRIER_ROCE_V1:
		return "RoCE v1";
	case CARRIER_ROCE_V2:
		return "RoCE v2";
	case CARRIER_IWARP:
		return "iWARP";
	case CARRIER_INFINIBAND:
		return endpoint->transport == TRANSPORT_OPA ? "Omni-Path" : "InfiniBand";
	default:
		return "of another transport";
	}
}

void diagnosis_words_make(struct diagnosis_words *words, const struct diagnosis_facts *facts)
{
	const struct endpoint *local = diagnosis_known(facts->local);
	_cleanup_(freep) char *far = NULL;

	words->near = diagnosis_port(local, "the local port");
	words->near_device = local ? text_clean(local->device, sizeof(local->device))
				   : mem_string("the device");
	words->peer = mem_string(facts->peer ? facts->peer : "this host");
	far = diagnosis_port(facts->remote, "the port");
	words->far = facts->peer ? mem_format("%s of %s", far, facts->peer)
				 : mem_string(words->near);
	words->carrier = carrier_of(local ? local : facts->remote);
}

void diagnosis_words_clear(struct diagnosis_words *words)
{
	free(words->near);
	free(words->near_device);
	free(words->far);
	free(words->peer);
	*words = (struct diagnosis_words){0};
}

char *diagnosis_bytes(uint64_t bytes)
{
	if (bytes && !(bytes & ((1u << 20) - 1)))
		return mem_format("%" PRIu64 " MiB", bytes >> 20);
	if (bytes && !(bytes & ((1u << 10) - 1)))
		return mem_format("%" PRIu64 " KiB", bytes >> 10);
	return mem_format("%" PRIu64 " bytes", bytes);
}

bool diagnosis_is_none(const struct counter_sums *counts, enum counter_class class)
{
	return counts->by_class[class].known && !counts->by_class[class].value;
}

bool diagnosis_is_some(const struct counter_sums *counts, enum counter_class class)
{
	return counts->by_class[class].known && counts->by_class[class].value;
}

bool diagnosis_say(struct diagnosis *diagnosis, char *sentence, char *hint)
{
	*diagnosis = (struct diagnosis){.sentence = sentence, .hint = hint};
	return true;
}
