/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/engine/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

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
	/* Leading zeros may be left out after 0x, as in 0x100001. */
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
	/* A number too large for a LID is a GUID if it is hexadecimal. */
	if (strncmp(text, "0x", 2) && strlen(text) < 16)
		return text_parse_u64(text, 0, UINT64_MAX, &number) ? -EINVAL : -ERANGE;
	return parse_guid(text, target);
}

int mad_target_parse(const char *text, enum target_kind kind, struct mad_target *ret_target)
{
	struct mad_target target = {0};
	int rc;

	switch (kind) {
	case TARGET_LID:
		rc = parse_lid(text, &target);
		break;
	case TARGET_GUID:
		rc = parse_guid(text, &target);
		break;
	case TARGET_GID:
		rc = parse_gid(text, &target);
		break;
	case TARGET_DIRECT:
		rc = parse_direct(text, &target);
		break;
	default:
		rc = parse_any(text, &target);
	}
	if (!rc)
		*ret_target = target;
	return rc;
}

char *mad_target_text(const struct mad_target *target)
{
	char text[GID_TEXT_SIZE];
	char route[4 * (MAD_HOPS_MOST + 1)];
	size_t used = 0;

	switch (target->kind) {
	case TARGET_GUID:
		guid_format(target->guid, text);
		return mem_string(text);
	case TARGET_GID:
		gid_format(&target->gid, text);
		return mem_string(text);
	case TARGET_DIRECT:
		for (unsigned int i = 0; i <= target->hops; i++)
			used += (size_t)snprintf(route + used, sizeof(route) - used, "%s%u",
						 i ? "," : "", target->path[i]);
		return mem_string(route);
	default:
		return mem_format("%u", target->lid);
	}
}
