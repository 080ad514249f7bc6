/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/engine/request.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

uint8_t mad_version_of_class(unsigned int mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_ADM || mgmt_class == UMAD_CLASS_CM ||
			       mgmt_class == UMAD_CLASS_CONG_MGMT
		       ? 2
		       : 1;
}

uint32_t mad_oui_of_class(unsigned int mgmt_class)
{
	return mgmt_class == MAD_CLASS_OPENIB_PING || mgmt_class == MAD_CLASS_OPENIB_SYSSTAT
		       ? UMAD_OPENIB_OUI
		       : 0;
}

static void write_smp(const struct mad_request *request, unsigned char *mad)
{
	mad_set_mkey(mad, request->key);
	if (!request->direct)
		return;
	mad_set_hop_count(mad, request->hops);
	mad_set_dr_slid(mad, MAD_LID_PERMISSIVE);
	mad_set_dr_dlid(mad, MAD_LID_PERMISSIVE);
	memcpy(mad + offsetof(struct umad_smp, initial_path), request->path, request->hops + 1u);
}

/* 13.6.2.1; the part of the SA header from SM_Key on counts as payload: 15.2.1.1. */
static void write_segment(unsigned char *mad, size_t bytes)
{
	mad_set_rmpp_version(mad, UMAD_RMPP_VERSION);
	mad_set_rmpp_type(mad, MAD_RMPP_DATA);
	mad_set_rmpp_flags(mad, UMAD_RMPP_FLAG_ACTIVE | MAD_RMPP_FLAG_FIRST | MAD_RMPP_FLAG_LAST);
	mad_set_rmpp_segment(mad, 1);
	mad_set_rmpp_payload(
		mad, (uint32_t)(MAD_SA_DATA_AT + bytes - offsetof(struct umad_sa_packet, sm_key)));
}

/* A request to the SA that is itself a transfer in segments, here a single one: 15.2.2. */
static bool is_multi(const struct mad_request *request)
{
	return request->mgmt_class == UMAD_CLASS_SUBN_ADM &&
	       request->method == UMAD_SA_METHOD_GET_MULTI;
}

static bool is_trace(const struct mad_request *request)
{
	return request->mgmt_class == UMAD_CLASS_SUBN_ADM &&
	       request->method == UMAD_SA_METHOD_GET_TRACE_TABLE;
}

static unsigned int reply_method(const struct mad_request *request)
{
	if (request->reply_method)
		return request->reply_method;
	/* A Set is answered by a GetResp: 13.4.5. */
	if (request->method == UMAD_METHOD_SET)
		return UMAD_METHOD_GET_RESP;
	/* GetTable and GetTraceTable are answered by the same method: 15.2.2. */
	if (is_trace(request))
		return UMAD_SA_METHOD_GET_TABLE_RESP;
	return request->method | UMAD_METHOD_RESP_MASK;
}

void mad_request_write(const struct mad_request *request, uint32_t transaction,
		       unsigned char mad[static MAD_BYTES])
{
	size_t at = mad_attribute_offset(request->mgmt_class, request->attribute);
	size_t bytes = request->data_bytes < MAD_BYTES - at ? request->data_bytes : MAD_BYTES - at;

	memset(mad, 0, MAD_BYTES);
	mad_set_base_version(mad, UMAD_BASE_VERSION);
	mad_set_class(mad, request->mgmt_class);
	mad_set_class_version(mad, mad_version_of_class(request->mgmt_class));
	mad_set_method(mad, request->method);
	mad_set_transaction(mad, transaction);
	mad_set_attribute(mad, request->attribute);
	mad_set_modifier(mad, request->modifier);
	if (mad_class_is_smp(request->mgmt_class)) {
		write_smp(request, mad);
	} else if (request->mgmt_class == UMAD_CLASS_SUBN_ADM) {
		mad_set_sm_key(mad, request->key);
		mad_set_component_mask(mad, request->component_mask);
		if (is_multi(request))
			write_segment(mad, bytes);
	} else if (request->mgmt_class == UMAD_CLASS_CONG_MGMT) {
		mad_set_cc_key(mad, request->key);
	} else if (request->mgmt_class == UMAD_CLASS_BM) {
		mad_set_bkey(mad, request->key);
	} else if (request->oui) {
		mad_set_oui(mad, request->oui);
	}
	if (bytes)
		memcpy(mad + at, request->data, bytes);
}

bool mad_answers(const unsigned char *mad, const struct mad_request *request)
{
	/*
	 * o15-0.2.7: the answer to GetMulti has the ID of PathRecord; a refusal may keep its own.
	 */
	const bool has_attribute = mad_attribute(mad) == request->attribute ||
				   (is_multi(request) &&
				    request->attribute == UMAD_SA_ATTR_MULTI_PATH_REC &&
				    mad_attribute(mad) == UMAD_SA_ATTR_PATH_REC);
	/* A refusal of GetTraceTable may have that method with the response bit. */
	const bool has_method = mad_method(mad) == reply_method(request) ||
				(is_trace(request) &&
				 mad_method(mad) == (request->method | UMAD_METHOD_RESP_MASK));

	return mad_class(mad) == request->mgmt_class && has_method && has_attribute;
}

bool mad_reply_is_response(const struct mad_request *request)
{
	const unsigned int method = reply_method(request);

	return method & UMAD_METHOD_RESP_MASK || method == UMAD_METHOD_TRAP_REPRESS;
}

static int parse_lid(const char *text, struct mad_target *target)
{
	uint64_t lid;
	int rc = text_parse_u64(text, 0, UINT64_MAX, &lid);

	if (rc)
		return rc;
	if (!lid || lid > MAD_LID_LAST)
		return -ERANGE;
	target->kind = TARGET_LID;
	target->lid = (uint16_t)lid;
	return 0;
}

static int parse_direct(const char *text, struct mad_target *target)
{
	_cleanup_(freep) char *words = mem_string(text);
	char *rest = words, *word;
	unsigned int count = 0;

	while ((word = strsep(&rest, ","))) {
		uint64_t port;
		int rc = text_parse_u64(word, 10, MAD_PORT_MOST, &port);

		if (rc)
			return rc;
		if (count > MAD_HOPS_MOST)
			return -ERANGE;
		target->path[count++] = (uint8_t)port;
	}
	if (target->path[0])
		return -EINVAL;
	target->kind = TARGET_DIRECT;
	target->hops = (uint8_t)(count - 1);
	return 0;
}

static int parse_guid(const char *text, struct mad_target *target)
{
	target->kind = TARGET_GUID;
	/* Leading zeros may be omitted after 0x, as in 0x100001. */
	if (!strncmp(text, "0x", 2))
		return text_parse_u64(text, 16, UINT64_MAX, &target->guid);
	return guid_parse(text, &target->guid);
}

static int parse_gid(const char *text, struct mad_target *target)
{
	target->kind = TARGET_GID;
	return gid_parse(text, &target->gid);
}

static int parse_any(const char *text, struct mad_target *target)
{
	uint64_t number;

	if (text[0] == '0' && (text[1] == ',' || !text[1]))
		return parse_direct(text, target);
	/* 0011:2233:4455:6677 is a GUID as all listings write it; a GID has eight groups, or ::. */
	if (strchr(text, ':'))
		return guid_parse(text, &number) ? parse_gid(text, target)
						 : parse_guid(text, target);
	if (!text_parse_u64(text, 0, MAD_LID_LAST, &number))
		return parse_lid(text, target);
	/* A multicast LID is no destination; a larger number is a GUID if it is hexadecimal. */
	if (strlen(text) < 16 && !text_parse_u64(text, 0, UINT16_MAX, &number))
		return -ERANGE;
	if (strncmp(text, "0x", 2) && strlen(text) < 16)
		return text_parse_u64(text, 0, UINT64_MAX, &number) ? -EINVAL : -ERANGE;
	return parse_guid(text, target);
}

static int (*const parsers[])(const char *text, struct mad_target *target) = {
	[TARGET_ANY] = parse_any, [TARGET_LID] = parse_lid,	  [TARGET_GUID] = parse_guid,
	[TARGET_GID] = parse_gid, [TARGET_DIRECT] = parse_direct, [TARGET_NAME] = NULL,
};

int mad_target_parse(const char *text, enum target_kind kind, struct mad_target *ret_target)
{
	struct mad_target target = {0};
	int rc = parsers[kind] ? parsers[kind](text, &target) : -EINVAL;

	if (!rc)
		*ret_target = target;
	return rc;
}

bool mad_target_split(const char *word, char **ret_node, unsigned int *ret_port)
{
	const char *slash = strrchr(word, '/');
	uint64_t port;

	/* 255 means all ports. */
	if (!slash || text_parse_u64(slash + 1, 10, MAD_PORT_MOST - 1, &port))
		return false;
	*ret_node = mem_format("%.*s", (int)(slash - word), word);
	*ret_port = (unsigned int)port;
	return true;
}

char *mad_target_text(const struct mad_target *target)
{
	char text[GID_TEXT_SIZE];
	char path[MAD_PATH_BYTES];

	switch (target->kind) {
	case TARGET_GUID:
		guid_format(target->guid, text);
		return mem_string(text);
	case TARGET_GID:
		gid_format(&target->gid, text);
		return mem_string(text);
	case TARGET_DIRECT:
		mad_path_text(target->path, target->hops, path);
		return mem_string(path);
	default:
		return mem_format("%u", target->lid);
	}
}

bool mad_parse_range(const char *word, int base, uint32_t most, uint32_t *ret_first,
		     uint32_t *ret_last)
{
	_cleanup_(freep) char *text = mem_string(word);
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash)
		*dash = '\0';
	if (text_parse_u64(text, base, most, &first))
		return false;
	last = first;
	if (dash && text_parse_u64(dash + 1, base, most, &last))
		return false;
	if (first > last)
		return false;
	*ret_first = (uint32_t)first;
	*ret_last = (uint32_t)last;
	return true;
}
