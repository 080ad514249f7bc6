/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recordings of netlink and verbs (kernel/recording.h), anonymised. */
#include <stdlib.h>
#include <string.h>

#include <linux/devlink.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/recording.h"
#include "snapshot/anonymise/anonymise_private.h"

/* The kind of module in a netdev, according to its first byte. */
struct identified {
	int64_t netdev;
	uint8_t identifier;
};

struct work {
	struct attribute_change change;
	const struct recording *recording;
	struct text_buffer out;
	size_t dropped;
	/* Family numbers differ from host to host; -1: the host does not have the family. */
	int64_t devlink, ethtool;
	struct identified *modules;
	size_t module_count;
};

/* The attributes of a message, and the length of the structure before them. */
struct form {
	const struct attribute_table *table;
	size_t header;
};

static const uint8_t *after(const struct recorded_message *message, size_t header,
			    size_t *ret_length)
{
	*ret_length = message->length > header ? message->length - header : 0;
	return message->payload + (message->length > header ? header : message->length);
}

/* The command is the first member of struct genlmsghdr. */
static bool reads_module(const struct recorded_exchange *exchange, int64_t ethtool)
{
	return exchange->protocol == NETLINK_GENERIC && exchange->question.type == ethtool &&
	       exchange->question.length >= GENL_HDRLEN &&
	       exchange->question.payload[0] == ETHTOOL_MSG_MODULE_EEPROM_GET;
}

/* The form of a question, and of its answer. */
static struct form form_of(const struct work *work, const struct recorded_exchange *exchange,
			   const struct recorded_message *message)
{
	struct form form = {.header = GENL_HDRLEN};

	switch (exchange->protocol) {
	case NETLINK_RDMA:
		return (struct form){.table = attributes_of_rdma(message->type)};
	case NETLINK_ROUTE:
		form.table = attributes_of_route(message->type, &form.header);
		return form;
	case NETLINK_GENERIC:
		if (message->type != exchange->question.type || !exchange->question.length)
			return form;
		if (message->type == GENL_ID_CTRL)
			form.table = &attributes_control;
		else if (message->type == work->devlink)
			form.table = &attributes_devlink;
		else if (message->type == work->ethtool)
			form.table = attributes_of_ethtool(exchange->question.payload[0]);
		return form;
	default:
		return form;
	}
}

/* The index of the netdev that a question to ethtool is about. */
static int64_t netdev_of(const struct recorded_exchange *exchange)
{
	size_t length, inside = 0;
	const uint8_t *data = after(&exchange->question, GENL_HDRLEN, &length);
	const uint8_t *nest = attributes_find(data, length, ETHTOOL_A_MODULE_EEPROM_HEADER,
					      &inside);

	return nest ? attributes_number(nest, inside, ETHTOOL_A_HEADER_DEV_INDEX) : -1;
}

static int compare_netdevs(const void *one, const void *other)
{
	const struct identified *a = one, *b = other;

	return COMPARE(a->netdev, b->netdev);
}

static int compare_modules(const void *one, const void *other)
{
	const struct identified *a = one, *b = other;

	return compare_netdevs(one, other) ?: COMPARE(a->identifier, b->identifier);
}

/* Keeps one module for each netdev, sorted for searches. */
static void sort_modules(struct work *work)
{
	size_t kept = 0;

	MEM_SORT(work->modules, work->module_count, compare_modules);
	for (size_t i = 0; i < work->module_count; i++)
		if (!kept || work->modules[kept - 1].netdev != work->modules[i].netdev)
			work->modules[kept++] = work->modules[i];
	work->module_count = kept;
}

static uint8_t identifier_of(const struct work *work, int64_t netdev)
{
	const struct identified wanted = {.netdev = netdev};
	const struct identified *found = MEM_FIND(&wanted, work->modules, work->module_count,
						  compare_netdevs);

	return found ? found->identifier : 0;
}

/* The part that the question asks for, without the identifier. */
static struct module_part part_of(const struct recorded_exchange *exchange)
{
	struct module_part part = {.identifier = 0};
	size_t length;
	const uint8_t *data = after(&exchange->question, GENL_HDRLEN, &length);

	part.address = (uint8_t)attributes_number(data, length,
						  ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS);
	part.page = (uint8_t)attributes_number(data, length, ETHTOOL_A_MODULE_EEPROM_PAGE);
	part.offset = (uint8_t)attributes_number(data, length, ETHTOOL_A_MODULE_EEPROM_OFFSET);
	return part;
}

/* An error: the request's header without its numbers, and perhaps a text. */
static void change_error(struct work *work, struct recorded_message *message, struct bytes *out)
{
	struct nlmsgerr refusal = {.error = 0};
	size_t header = sizeof(refusal), length;
	const uint8_t *data;

	memcpy(&refusal, message->payload, message->length < header ? message->length : header);
	refusal.msg.nlmsg_seq = 0;
	refusal.msg.nlmsg_pid = 0;
	bytes_add(out, &refusal, message->length < header ? message->length : header);
	if (message->length < header)
		return;
	/* The request that may follow is not kept. */
	if (!(message->flags & NLM_F_CAPPED) && refusal.msg.nlmsg_len > NLMSG_HDRLEN)
		header += refusal.msg.nlmsg_len - NLMSG_HDRLEN;
	message->flags |= NLM_F_CAPPED;
	data = after(message, header, &length);
	if (message->flags & NLM_F_ACK_TLVS)
		attributes_change(&work->change, &attributes_error, data, length, out);
}

/* Returns false if the content of the message is unknown. */
static bool change_message(struct work *work, const struct recorded_exchange *exchange,
			   struct recorded_message *message, struct bytes *out)
{
	const uint8_t *payload = message->payload;
	struct form form;

	if (message->type == NLMSG_ERROR) {
		change_error(work, message, out);
	} else if (message->type < NLMSG_MIN_TYPE) {
		/* NLMSG_DONE has an error, and the others have no payload. */
		bytes_add(out, payload,
			  message->length < sizeof(int) ? message->length : sizeof(int));
		message->flags &= (uint16_t)~NLM_F_ACK_TLVS;
	} else {
		form = form_of(work, exchange, message);
		if (!form.table)
			return false;
		if (message->length < form.header)
			return !message->length;
		bytes_add(out, payload, form.header);
		if (exchange->protocol == NETLINK_ROUTE && form.header > 1)
			work->change.network_bits = payload[1];
		attributes_change(&work->change, form.table, payload + form.header,
				  message->length - form.header, out);
	}
	message->payload = out->data;
	message->length = (uint32_t)out->length;
	return true;
}

static bool change_one(struct work *work, const struct recorded_exchange *exchange,
		       const struct recorded_message *message, bool is_answer,
		       struct text_buffer *text)
{
	struct recorded_message changed = *message;
	struct bytes out = {.data = NULL};
	bool known;

	if (exchange->protocol == RECORDING_VERBS)
		known = anonymise_verbs(&work->change, &changed, is_answer, &out);
	else
		known = change_message(work, exchange, &changed, &out);
	if (known && is_answer)
		recording_got(text, &changed);
	else if (known)
		recording_ask(text, exchange->protocol, &changed);
	free(out.data);
	return known;
}

/*
 * Changed addresses share few prefixes, so a route looked up in changed tables (lib/host/fib) would
 * be the wrong one.
 */
static bool is_of_tables(const struct recorded_exchange *exchange)
{
	if (exchange->protocol != NETLINK_ROUTE)
		return false;
	switch (exchange->question.type) {
	case RTM_GETRULE:
	case RTM_GETNEXTHOP:
	case RTM_GETNEIGH:
		return true;
	default:
		return exchange->question.type == RTM_GETROUTE &&
		       exchange->question.flags & NLM_F_DUMP;
	}
}

static void change_exchange(struct work *work, const struct recorded_exchange *exchange)
{
	struct text_buffer text = {.text = NULL};
	bool known;

	if (is_of_tables(exchange))
		return;
	if (reads_module(exchange, work->ethtool)) {
		work->change.module = part_of(exchange);
		work->change.module.identifier = identifier_of(work, netdev_of(exchange));
	}
	known = change_one(work, exchange, &exchange->question, false, &text);
	for (size_t i = 0; known && i < exchange->count; i++)
		known = change_one(work, exchange, &exchange->messages[i], true, &text);
	if (known)
		text_buffer_add(&work->out, "%send\n", text.text);
	work->dropped += !known;
	free(text_buffer_take(&text));
}

/* Finds the numbers of families in the answers of the controller. */
static void find_families(struct work *work, const struct recorded_exchange *exchange)
{
	for (size_t i = 0; i < exchange->count; i++) {
		size_t length, size = 0;
		const uint8_t *data = after(&exchange->messages[i], GENL_HDRLEN, &length), *name;
		const int64_t number = attributes_number(data, length, CTRL_ATTR_FAMILY_ID);

		name = attributes_find(data, length, CTRL_ATTR_FAMILY_NAME, &size);
		if (exchange->messages[i].type != GENL_ID_CTRL || !name || number <= GENL_ID_CTRL)
			continue;
		if (size == sizeof(DEVLINK_GENL_NAME) && !memcmp(name, DEVLINK_GENL_NAME, size))
			work->devlink = number;
		if (size == sizeof(ETHTOOL_GENL_NAME) && !memcmp(name, ETHTOOL_GENL_NAME, size))
			work->ethtool = number;
	}
}

/* Finds the first byte of the memory of each module. */
static void find_module(struct work *work, const struct recorded_exchange *exchange)
{
	const struct module_part part = part_of(exchange);

	for (size_t i = 0; i < exchange->count && !part.offset; i++) {
		size_t length, size = 0;
		const uint8_t *data = after(&exchange->messages[i], GENL_HDRLEN, &length), *bytes;
		struct identified *module;

		bytes = attributes_find(data, length, ETHTOOL_A_MODULE_EEPROM_DATA, &size);
		if (exchange->messages[i].type != work->ethtool || !bytes || !size ||
		    part.address != MODULE_ADDRESS || netdev_of(exchange) < 0)
			continue;
		module = mem_append(&work->modules, &work->module_count, sizeof(*work->modules));
		*module = (struct identified){netdev_of(exchange), *bytes};
	}
}

static void change_recording(struct work *work)
{
	struct recorded_exchange exchange;

	work->devlink = work->ethtool = -1;
	for (size_t i = 0; recording_at(work->recording, i, &exchange); i++)
		if (exchange.protocol == NETLINK_GENERIC && exchange.question.type == GENL_ID_CTRL)
			find_families(work, &exchange);
	for (size_t i = 0; recording_at(work->recording, i, &exchange); i++)
		if (reads_module(&exchange, work->ethtool))
			find_module(work, &exchange);
	sort_modules(work);
	recording_begin(&work->out);
	for (size_t i = 0; recording_at(work->recording, i, &exchange); i++)
		change_exchange(work, &exchange);
}

static int parse(const char *text, size_t length, struct recording **ret_recording)
{
	char *copy = mem_alloc_zero(length + 1, 1);

	memcpy(copy, text, length);
	return recording_parse(copy, length, ret_recording, NULL);
}

static int run(struct work *work, const struct content *content)
{
	struct recording *recording = NULL;
	int rc = parse(content->bytes, content->length, &recording);

	if (rc)
		return rc;
	work->recording = recording;
	change_recording(work);
	recording_free(recording);
	free(work->modules);
	return 0;
}

void anonymise_recording_learn(struct anonymiser *anonymiser, const struct content *content)
{
	struct work work = {.change = {.anonymiser = anonymiser, .learning = true}};

	run(&work, content);
	free(text_buffer_take(&work.out));
}

int anonymise_recording(struct anonymiser *anonymiser, struct content *content, size_t *ret_dropped)
{
	struct work work = {.change = {.anonymiser = anonymiser}};
	struct recording *again = NULL;
	int rc = run(&work, content);
	const size_t length = work.out.length;
	_cleanup_(freep) char *text = text_buffer_take(&work.out);

	/* Names may have become longer: a recording that no longer parses is not kept. */
	if (!rc)
		rc = parse(text, length, &again);
	recording_free(again);
	if (rc)
		return rc;
	free(content->bytes);
	content->bytes = text;
	content->length = length;
	text = NULL;
	*ret_dropped += work.dropped;
	return 0;
}
