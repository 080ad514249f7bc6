/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/diagnosis/diagnosis_rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"

const char *diagnosis_word(const struct diagnosis_words *words, const char *name)
{
	for (size_t i = 0; i < words->count; i++)
		if (!strcmp(words->items[i].name, name))
			return words->items[i].text;
	return "";
}

void diagnosis_words_add(struct diagnosis_words *words, const char *name, const char *format, ...)
{
	va_list values;
	char *text;

	va_start(values, format);
	if (words->count < MOST_WORDS && vasprintf(&text, format, values) >= 0) {
		words->items[words->count].name = name;
		words->items[words->count++].text = text;
	}
	va_end(values);
}

void diagnosis_words_clear(struct diagnosis_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i].text);
	*words = (struct diagnosis_words){0};
}

const struct endpoint *diagnosis_known(const struct endpoint *endpoint)
{
	return endpoint && endpoint->device[0] ? endpoint : NULL;
}

static enum carrier carrier_of(const struct endpoint *endpoint)
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

/* Names from an endpoint are the peer's words: they are cleaned here. */
static void add_endpoints(struct diagnosis_words *words, const struct diagnosis_facts *facts)
{
	static const struct endpoint none;
	const struct endpoint *local = diagnosis_known(facts->local);
	const struct endpoint *remote = diagnosis_known(facts->remote);
	const struct endpoint *near = local ? local : &none, *far = remote ? remote : &none;
	_cleanup_(freep) char *device = text_clean(near->device, sizeof(near->device));
	_cleanup_(freep) char *far_device = text_clean(far->device, sizeof(far->device));
	_cleanup_(freep) char *netdev = text_clean(near->netdev, sizeof(near->netdev));
	_cleanup_(freep) char *port = local ? mem_format("%s/%" PRIu32, device, local->port)
					    : mem_string("the local port");
	_cleanup_(freep) char *far_port = remote ? mem_format("%s/%" PRIu32, far_device, far->port)
						 : mem_string("the port");

	diagnosis_words_add(words, "device", "%s", local ? device : "the device");
	diagnosis_words_add(words, "near", "%s", port);
	if (facts->peer)
		diagnosis_words_add(words, "far", "%s of %s", far_port, facts->peer);
	else
		diagnosis_words_add(words, "far", "%s", port);
	diagnosis_words_add(words, "netdev", "%s", netdev[0] ? netdev : "the netdev");
	diagnosis_words_add(words, "near_mtu", "%" PRIu32, near->mtu_bytes);
	diagnosis_words_add(words, "far_mtu", "%" PRIu32, far->mtu_bytes);
	words->carrier = carrier_of(local ? local : remote);
}

static void add_peer(struct diagnosis_words *words, const struct diagnosis_facts *facts)
{
	const char *text = facts->refusal_text;
	const bool several = facts->peer_lowest != facts->peer_highest;

	diagnosis_words_add(words, "peer", "%s", facts->peer ? facts->peer : "this host");
	diagnosis_words_add(words, "port", "%u", facts->tcp_port);
	if (facts->server_hint)
		diagnosis_words_add(words, "serve", "%s", facts->server_hint);
	else if (facts->tcp_port && facts->stage != STAGE_CM)
		diagnosis_words_add(words, "serve", "rdmactl selftest --serve --port %u",
				    facts->tcp_port);
	else
		diagnosis_words_add(words, "serve", "rdmactl selftest --serve");
	diagnosis_words_add(words, "refusal", "%s%s%s", text ? " (" : "", text ? text : "",
			    text ? ")" : "");
	diagnosis_words_add(words, "version", "%" PRIu32, facts->version);
	if (!facts->peer_highest)
		diagnosis_words_add(words, "versions", "another one");
	else if (several)
		diagnosis_words_add(words, "versions", "versions %" PRIu32 " to %" PRIu32,
				    facts->peer_lowest, facts->peer_highest);
	else
		diagnosis_words_add(words, "versions", "version %" PRIu32, facts->peer_highest);
}

void diagnosis_words_make(struct diagnosis_words *words, const struct diagnosis_facts *facts)
{
	add_endpoints(words, facts);
	add_peer(words, facts);
	diagnosis_words_add(words, "error", "%s", strerror(facts->error));
	diagnosis_words_add(words, "call", "%s", facts->call ? facts->call : "librdmacm");
	diagnosis_words_add(words, "msec", "%" PRIu32, facts->timeout_msec);
}
