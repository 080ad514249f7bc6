/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Netlink messages and attributes, built and parsed by libnl. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/mem.h"
#include "base/text.h"
#include "kernel/netlink/netlink.h"
#include "schema/value.h"

/* Room for one request. */
#define REQUEST_BYTES 1024

void netlink_add(struct netlink_request *request, uint16_t type, uint16_t flags, const void *header,
		 size_t header_length)
{
	struct nl_msg *message;

	if (request->count == NETLINK_BATCH) {
		request->overflow = true;
		return;
	}
	message = mem_check(nlmsg_alloc_size(REQUEST_BYTES));
	request->messages[request->count++] = message;
	if (!nlmsg_put(message, 0, 0, type, (int)header_length, NLM_F_REQUEST | flags))
		request->overflow = true;
	else if (header_length)
		memcpy(nlmsg_data(nlmsg_hdr(message)), header, header_length);
}

void netlink_put(struct netlink_request *request, uint16_t type, const void *data, size_t length)
{
	if (request->overflow || length > REQUEST_BYTES ||
	    nla_put(request->messages[request->count - 1], type, (int)length, data) < 0)
		request->overflow = true;
}

void netlink_put_u32(struct netlink_request *request, uint16_t type, uint32_t value)
{
	netlink_put(request, type, &value, sizeof(value));
}

void netlink_put_string(struct netlink_request *request, uint16_t type, const char *string)
{
	netlink_put(request, type, string, strlen(string) + 1);
}

struct nlattr *netlink_nest_begin(struct netlink_request *request, uint16_t type)
{
	struct nlattr *nest = NULL;

	if (!request->overflow)
		nest = nla_nest_start(request->messages[request->count - 1], type);
	if (!nest)
		request->overflow = true;
	return nest;
}

void netlink_nest_end(struct netlink_request *request, struct nlattr *nest)
{
	if (!nest || request->overflow ||
	    nla_nest_end_keep_empty(request->messages[request->count - 1], nest) < 0)
		request->overflow = true;
}

void netlink_put_list(struct netlink_request *request, uint16_t type, uint16_t entry,
		      const uint32_t *values, size_t count)
{
	struct nlattr *nest = netlink_nest_begin(request, type);

	for (size_t i = 0; nest && i < count; i++)
		netlink_put_u32(request, entry, values[i]);
	netlink_nest_end(request, nest);
}

void netlink_request_clear(struct netlink_request *request)
{
	for (unsigned int i = 0; i < request->count; i++)
		nlmsg_free(request->messages[i]);
	*request = (struct netlink_request){.count = 0};
}

int netlink_walk(const void *datagram, size_t length, netlink_message_handler *handle,
		 void *context)
{
	/* nlmsg_next() takes a non-const pointer, but only reads. */
	struct nlmsghdr *message = (struct nlmsghdr *)(uintptr_t)datagram;
	int left = length > INT_MAX ? INT_MAX : (int)length;

	while (nlmsg_ok(message, left)) {
		int rc = handle(context, message);

		if (rc)
			return rc < 0 ? rc : 0;
		message = nlmsg_next(message, &left);
	}
	return left > 0 ? -EBADMSG : 0;
}

/* libnl ignores bytes after the last attribute that fits; less than a header is padding. */
static bool is_cut(struct nlattr *head, int length)
{
	struct nlattr *attribute;
	int left;

	nla_for_each_attr(attribute, head, length, left);
	return left >= (int)sizeof(*attribute);
}

static int parse(struct nlattr *head, size_t length, struct nlattr **table, size_t count,
		 const struct nla_policy *policy)
{
	if (length > INT_MAX || is_cut(head, (int)length) ||
	    nla_parse(table, (int)count - 1, head, (int)length, policy) < 0)
		return -EBADMSG;
	return 0;
}

int netlink_parse(const void *payload, size_t length, size_t header_length, struct nlattr **table,
		  size_t count, const struct nla_policy *policy)
{
	size_t offset = NLA_ALIGN(header_length);
	struct nlattr *head;

	if (length < header_length)
		return -EBADMSG;
	if (offset > length)
		offset = length;
	/* libnl's functions take non-const pointers, but only read. */
	head = (struct nlattr *)((uintptr_t)payload + offset);
	return parse(head, length - offset, table, count, policy);
}

int netlink_parse_nest(const struct nlattr *nest, struct nlattr **table, size_t count,
		       const struct nla_policy *policy)
{
	return parse(nla_data(nest), (size_t)nla_len(nest), table, count, policy);
}

int netlink_each(const struct nlattr *nest, unsigned int type,
		 int (*take)(void *context, const struct nlattr *entry), void *context)
{
	struct nlattr *entry;
	int left;

	nla_for_each_nested(entry, nest, left)
	{
		int rc = (unsigned int)nla_type(entry) == type ? take(context, entry) : 0;

		if (rc)
			return rc;
	}
	return left < (int)sizeof(*entry) ? 0 : -EBADMSG;
}

int netlink_get_number(const struct nlattr *attribute, struct number *number)
{
	uint64_t value;

	if (!attribute || number->known)
		return 0;
	switch (nla_len(attribute)) {
	case 1:
		value = nla_get_u8(attribute);
		break;
	case 2:
		value = nla_get_u16(attribute);
		break;
	case 4:
		value = nla_get_u32(attribute);
		break;
	case 8:
		value = nla_get_u64(attribute);
		break;
	default:
		return -EBADMSG;
	}
	number_set(number, value);
	return 0;
}

void netlink_get_text(const struct nlattr *attribute, char **text)
{
	if (attribute && !*text)
		*text = text_clean(nla_data(attribute), (size_t)nla_len(attribute));
}

bool netlink_is_text(const struct nlattr *attribute, const char *text)
{
	const size_t length = strlen(text);

	return strnlen(nla_data(attribute), (size_t)nla_len(attribute)) == length &&
	       !memcmp(nla_data(attribute), text, length);
}
