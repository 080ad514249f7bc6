/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/ping.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mad/format/attribute.h"

#define FIRST_OWN_METHOD \
	0x40u /* 0x10 to 0x7f are defined by the class: IBA 1, table 113 (13.4.5) */
#define ANSWER_HOP_LIMIT   64u
#define LAST_ANSWER_METHOD (FIRST_OWN_METHOD + PING_METHOD_COUNT - 2)

const struct enum_name ping_kind_names[] = {
	{PING_PMA, "pma", TONE_PLAIN, "performance management, which every port has"},
	{PING_SMP, "smp", TONE_PLAIN, "subnet management, which every node has"},
	{PING_OPENIB, "openib", TONE_PLAIN, "ibping -S or rdmactl ping --serve"},
	{PING_ROCE, "roce", TONE_PLAIN, "rdmactl ping --serve on an Ethernet port"},
	{0, NULL},
};

uint8_t ping_answer_method(unsigned int number)
{
	return (uint8_t)(number ? FIRST_OWN_METHOD + number - 1 : UMAD_METHOD_SEND);
}

static bool is_answer_method(uint32_t method)
{
	return method == UMAD_METHOD_SEND ||
	       (method >= FIRST_OWN_METHOD && method <= LAST_ANSWER_METHOD);
}

static uint32_t oui_of(enum ping_kind kind)
{
	return kind == PING_ROCE ? PING_ROCE_OUI : UMAD_OPENIB_OUI;
}

static uint32_t attribute_of(enum ping_kind kind)
{
	return kind == PING_ROCE ? PING_ROCE_ATTRIBUTE : 0;
}

void ping_request(enum ping_kind kind, bool direct, uint8_t method, const unsigned char *data,
		  struct mad_request *ret)
{
	ret->method = UMAD_METHOD_GET;
	switch (kind) {
	case PING_PMA:
		ret->mgmt_class = UMAD_CLASS_PERF_MGMT;
		ret->attribute = UMAD_ATTR_CLASS_PORT_INFO;
		break;
	case PING_SMP:
		ret->mgmt_class = direct ? UMAD_CLASS_SUBN_DIRECTED_ROUTE
					 : UMAD_CLASS_SUBN_LID_ROUTED;
		ret->attribute = UMAD_SM_ATTR_NODE_INFO;
		break;
	case PING_ROCE:
		ret->reply_method = method;
		ret->modifier = method;
		ret->data = data;
		ret->data_bytes = PING_DATA_BYTES;
		/* fall through */
	case PING_OPENIB:
		ret->mgmt_class = MAD_CLASS_OPENIB_PING;
		ret->attribute = (uint16_t)attribute_of(kind);
		ret->oui = oui_of(kind);
		break;
	}
}

static bool is_vendor(enum ping_kind kind)
{
	return kind == PING_OPENIB || kind == PING_ROCE;
}

bool ping_accept(enum ping_kind kind, const struct mad_request *request, const unsigned char *mad,
		 size_t bytes)
{
	if (!is_vendor(kind))
		return true;
	if (bytes < MAD_BYTES || mad_raw_status(mad) || mad_oui(mad) != oui_of(kind))
		return false;
	return kind == PING_OPENIB ||
	       !memcmp(mad + MAD_VENDOR_DATA_AT + PING_HOST_BYTES, request->data + PING_HOST_BYTES,
		       PING_DATA_BYTES - PING_HOST_BYTES);
}

char *ping_host(enum ping_kind kind, const unsigned char *mad, size_t bytes)
{
	size_t most = kind == PING_ROCE ? PING_HOST_BYTES : PING_DATA_BYTES;

	if (!is_vendor(kind) || bytes < MAD_BYTES || !mad[MAD_VENDOR_DATA_AT])
		return NULL;
	return text_clean((const char *)mad + MAD_VENDOR_DATA_AT, most);
}

static bool is_request(enum ping_kind kind, const unsigned char *mad, size_t bytes)
{
	return is_vendor(kind) && bytes >= MAD_BYTES && mad_class(mad) == MAD_CLASS_OPENIB_PING &&
	       mad_method(mad) == UMAD_METHOD_GET && mad_attribute(mad) == attribute_of(kind) &&
	       mad_oui(mad) == oui_of(kind) &&
	       (kind == PING_OPENIB || is_answer_method(mad_modifier(mad)));
}

bool ping_answer(enum ping_kind kind, const unsigned char *mad, size_t bytes, const char *host,
		 unsigned char answer[static MAD_BYTES])
{
	size_t most = kind == PING_ROCE ? PING_HOST_BYTES : PING_DATA_BYTES;
	size_t length = strlen(host);

	if (!is_request(kind, mad, bytes))
		return false;
	memcpy(answer, mad, MAD_BYTES);
	/* The last byte of the modifier names the method. */
	mad_set_method(answer,
		       kind == PING_ROCE ? (uint8_t)mad_modifier(mad) : UMAD_METHOD_GET_RESP);
	mad_set_raw_status(answer, 0);
	memset(answer + MAD_VENDOR_DATA_AT, 0, most);
	memcpy(answer + MAD_VENDOR_DATA_AT, host, length < most ? length : most - 1);
	return true;
}

struct mad_address mad_answer_address(const struct mad_address *from)
{
	struct mad_address to = *from;

	/* The kernel reports 0 if the queue pair number implies it. */
	if (!to.qkey)
		to.qkey = UMAD_QKEY;
	if (to.has_grh && to.hop_limit < ANSWER_HOP_LIMIT)
		to.hop_limit = ANSWER_HOP_LIMIT;
	return to;
}
