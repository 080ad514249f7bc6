/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mad send: sends any request to any agent, and decodes the answer as far as possible. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mad/mad_run.h"
#include "mad/format/dump.h"

struct send_args {
	struct mad_args mad;
	const char *class, *method, *attribute, *modifier;
	const char *data, *oui, *component_mask;
	bool raw, yes;
};

struct send_words { /* the options as numbers */
	uint8_t mgmt_class, method;
	uint16_t attribute;
	uint32_t modifier, oui;
	uint64_t component_mask;
};

struct send_run {
	struct mad_listing mad;
	const struct send_args *args;
	struct send_words words;
	unsigned char data[MAD_BYTES];
	size_t data_bytes;
	struct mad_decoded *decoded;
	size_t count;
};

static const struct enum_name class_aliases[] = {
	{UMAD_CLASS_SUBN_LID_ROUTED, "smp"},
	{UMAD_CLASS_PERF_MGMT, "perf"},
	{0, NULL},
};

static bool complain_value(struct listing *listing, const char *option, const char *text,
			   const char *what, const char *hint)
{
	return listing_fail_format(listing, STATUS_USAGE, hint, "--%s: '%s' is not %s", option,
				   text, what);
}

/* Complains, with the closest of the words or else `hint` as a hint. Frees the array and `hint`. */
static bool complain_word(struct listing *listing, const char *option, const char *text,
			  const char *what, const char **words, size_t count, char *hint)
{
	_cleanup_(freep) char *owned = hint, *meant = text_suggest(text, words, count, owned);

	free(words);
	return complain_value(listing, option, text, what, meant);
}

static bool complain_name(struct listing *listing, const char *option, const char *text,
			  const struct enum_name *names)
{
	_cleanup_(freep) char *what = mem_format("a %s", option);
	const char **words = NULL;
	size_t count = 0;

	for (; names->word; names++)
		MEM_ADD(words, count) = names->word;
	return complain_word(listing, option, text, what, words, count,
			     mem_string("a number up to 255, or one of the words in "
					"rdmactl-mad(1)"));
}

static bool parse_named(struct listing *listing, const char *option, const char *text,
			const struct enum_name *names, const struct enum_name *aliases,
			uint8_t *ret_code)
{
	const struct enum_name *name = enum_find_word(names, text);
	uint64_t number;

	if (!name && aliases)
		name = enum_find_word(aliases, text);
	if (name)
		number = name->value;
	else if (text_parse_u64(text, 0, UINT8_MAX, &number))
		return complain_name(listing, option, text, names);
	*ret_code = (uint8_t)number;
	return true;
}

static bool parse_number(struct listing *listing, const char *option, const char *text,
			 uint64_t most, uint64_t *ret_number)
{
	_cleanup_(freep) char *what = NULL;

	if (!text || !text_parse_u64(text, 0, most, ret_number))
		return true;
	what = mem_format("a number up to 0x%llx", (unsigned long long)most);
	return complain_value(listing, option, text, what, NULL);
}

static bool complain_attribute(struct listing *listing, const char *text, unsigned int mgmt_class)
{
	const struct mad_attribute *attribute = mad_attributes_of(mgmt_class);
	const char **words = NULL;
	size_t count = 0;

	for (; attribute->schema; attribute++) {
		if (attribute->word)
			MEM_ADD(words, count) = attribute->word;
		MEM_ADD(words, count) = attribute->name;
	}
	return complain_word(listing, "attribute", text, "an attribute of that class", words, count,
			     mad_attribute_example(mgmt_class));
}

/* Parses a number, the word that the other commands use, or the name in the specification. */
static bool parse_attribute(struct listing *listing, const char *text, unsigned int mgmt_class,
			    uint16_t *ret_id)
{
	const struct mad_attribute *attribute = mad_attribute_find_word(
		mad_attributes_of(mgmt_class), text);
	uint64_t number;

	if (!attribute && !mad_class_is_smp(mgmt_class))
		attribute = mad_attribute_find_word(class_attributes, text);
	if (attribute)
		number = attribute->id;
	else if (text_parse_u64(text, 0, UINT16_MAX, &number))
		for (number = 0; number <= UINT16_MAX; number++) {
			const char *name = mad_attribute_name(mgmt_class, (unsigned int)number);

			if (name && !strcasecmp(name, text))
				break;
		}
	if (number > UINT16_MAX)
		return complain_attribute(listing, text, mgmt_class);
	*ret_id = (uint16_t)number;
	return true;
}

static bool parse_oui(struct listing *listing, const struct send_args *args,
		      struct send_words *words)
{
	const bool needed = words->mgmt_class >= UMAD_CLASS_VENDOR_RANGE2_START &&
			    words->mgmt_class <= UMAD_CLASS_VENDOR_RANGE2_END;
	uint64_t oui = mad_oui_of_class(words->mgmt_class);

	if (!parse_number(listing, "oui", args->oui, 0xffffff, &oui))
		return false;
	words->oui = (uint32_t)oui;
	if (needed == (oui != 0))
		return true;
	return listing_fail(listing, STATUS_USAGE,
			    needed ? "a vendor class from 0x30 to 0x4f needs --oui"
				   : "--oui is for vendor classes from 0x30 to 0x4f",
			    NULL);
}

static bool parse_words(struct listing *listing, const struct send_args *args,
			struct send_words *ret_words)
{
	struct send_words words = {.method = UMAD_METHOD_GET};
	uint64_t modifier = 0;

	if (!args->class || !args->attribute)
		return listing_fail(listing, STATUS_USAGE, "send needs --class and --attribute",
				    "rdmactl mad send 5 --class pm --attribute portcounters");
	if (!parse_named(listing, "class", args->class, mad_class_names, class_aliases,
			 &words.mgmt_class))
		return false;
	if (args->method &&
	    !parse_named(listing, "method", args->method,
			 words.mgmt_class == UMAD_CLASS_SUBN_ADM ? mad_sa_method_names
								 : mad_method_names,
			 NULL, &words.method))
		return false;
	if (!parse_attribute(listing, args->attribute, words.mgmt_class, &words.attribute) ||
	    !parse_number(listing, "modifier", args->modifier, UINT32_MAX, &modifier) ||
	    !parse_number(listing, "component-mask", args->component_mask, UINT64_MAX,
			  &words.component_mask) ||
	    !parse_oui(listing, args, &words))
		return false;
	if (words.component_mask && words.mgmt_class != UMAD_CLASS_SUBN_ADM)
		return listing_fail(listing, STATUS_USAGE, "--component-mask is only for class sa",
				    NULL);
	words.modifier = (uint32_t)modifier;
	*ret_words = words;
	return true;
}

/* Send, TrapRepress and responses get no answer. */
static bool has_answer(uint8_t method)
{
	return method != UMAD_METHOD_SEND && method != UMAD_METHOD_TRAP_REPRESS &&
	       !(method & UMAD_METHOD_RESP_MASK);
}

static bool complain_data(struct listing *listing, int rc)
{
	const char *wrong = rc == -ENODATA  ? "--data has no bytes"
			    : rc == -EINVAL ? "--data takes bytes in hexadecimal"
			    : rc == -EFBIG  ? "--data: more bytes than a datagram holds"
					    : NULL;

	if (wrong)
		return listing_fail(listing, STATUS_USAGE, wrong,
				    "give bytes such as 00ff17, or - for standard input");
	return listing_fail_format(listing, STATUS_FAILED, NULL,
				   "--data: cannot read standard input: %s", strerror(-rc));
}

static bool read_data(struct send_run *run)
{
	const char *text = run->args->data;
	const size_t at = mad_attribute_offset(run->words.mgmt_class, run->words.attribute);
	_cleanup_(freep) char *file = NULL;
	struct mad_dump dump = {.bytes = NULL};
	size_t length;
	int rc = 0;

	if (!text)
		return true;
	if (!strcmp(text, "-")) {
		mad_session_begin_read(&run->mad.session);
		rc = file_read("-", MAD_BYTES * 16, &file, &length);
		mad_session_end_read(&run->mad.session);
	} else {
		file = mem_string(text);
		length = strlen(text);
	}
	if (!rc)
		rc = mad_dump_read((const unsigned char *)file, length, &dump);
	if (!rc && dump.byte_count <= MAD_BYTES - at) {
		memcpy(run->data, dump.bytes, dump.byte_count);
		run->data_bytes = dump.byte_count;
	}
	length = dump.byte_count;
	mad_dump_free(&dump);
	if (rc)
		return complain_data(&run->mad.listing, rc);
	return length <= MAD_BYTES - at ||
	       listing_fail_format(&run->mad.listing, STATUS_USAGE, NULL,
				   "--data: %zu bytes do not fit in the %zu bytes of that class",
				   length, MAD_BYTES - at);
}

/* Class sa without a destination goes to the SA, at the LID of the subnet manager. */
static bool find(struct send_run *run, char **words)
{
	if (mad_class_is_smp(run->words.mgmt_class))
		return mad_listing_find(&run->mad, words);
	if (words[0] || run->words.mgmt_class != UMAD_CLASS_SUBN_ADM)
		return mad_listing_find_by_lid(&run->mad, words);
	return mad_listing_find_sm(&run->mad, "start a subnet manager");
}

static bool check_routes(struct send_run *run)
{
	const unsigned int mgmt_class = run->words.mgmt_class;
	const struct mad_session *session = &run->mad.session;

	if (!mad_class_is_smp(mgmt_class))
		return mad_listing_has_lids(&run->mad, "directed routes work for class sm only",
					    "give a LID, a port GUID or a GID");
	for (size_t i = 0; i < session->destination_count; i++)
		if (session->destinations[i].place.target.kind != TARGET_DIRECT &&
		    mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
			return listing_fail(&run->mad.listing, STATUS_USAGE,
					    "class sm-direct needs a directed route",
					    "give -D 0,1,3, or use class sm");
	return true;
}

/* Methods from 0x10 on are defined by each class: 13.4.5, 15.2.2. */
static bool only_reads(const struct send_words *words)
{
	return words->method == UMAD_METHOD_GET ||
	       (words->mgmt_class == UMAD_CLASS_SUBN_ADM &&
		(words->method == UMAD_SA_METHOD_GET_TABLE ||
		 words->method == UMAD_SA_METHOD_GET_TRACE_TABLE ||
		 words->method == UMAD_SA_METHOD_GET_MULTI));
}

static bool may_send(struct send_run *run)
{
	const struct send_words *words = &run->words;
	const char *method = mad_method_word(words->mgmt_class, words->method);
	const char *name = mad_attribute_name(words->mgmt_class, words->attribute);

	if (only_reads(words))
		return true;
	if (run->args->yes)
		return !mad_listing_interrupted(&run->mad, "interrupted: nothing was sent");
	fprintf(stderr, "method 0x%02x (%s) of attribute 0x%04x (%s), class 0x%02x, to",
		words->method, method ? method : "unknown", words->attribute,
		name ? name : "unknown", words->mgmt_class);
	for (size_t i = 0; i < run->mad.session.destination_count; i++)
		fprintf(stderr, " %s", run->mad.session.destinations[i].name);
	fputc('\n', stderr);
	return listing_confirm(&run->mad.listing, "send it?",
			       "nothing was sent: the request may change something, and there is "
			       "no terminal to confirm it on",
			       "--yes sends it without asking", "nothing was sent");
}

/*
 * The M_Key of the configuration file is for subnet management only, and its SM_Key for the SA
 * only.
 */
static uint64_t key_of(const struct send_run *run)
{
	const struct mad_session *session = &run->mad.session;

	if (run->args->mad.mkey || mad_class_is_smp(run->words.mgmt_class))
		return session->key;
	return run->words.mgmt_class == UMAD_CLASS_SUBN_ADM ? session->port.route.sm_key : 0;
}

static void fill(const struct send_run *run, size_t destination, struct mad_request *request)
{
	const struct send_words *words = &run->words;
	const struct mad_place *place = &run->mad.session.destinations[destination].place;

	if (mad_class_is_smp(words->mgmt_class))
		mad_smp_request(place, words->method, words->attribute, words->modifier, request);
	else
		mad_gmp_request(place, words->mgmt_class, words->method, words->attribute,
				words->modifier, request);
	if (words->method == UMAD_METHOD_TRAP)
		request->reply_method = UMAD_METHOD_TRAP_REPRESS;
	request->key = key_of(run);
	request->component_mask = words->component_mask;
	request->oui = words->oui;
	request->data = run->data;
	request->data_bytes = run->data_bytes;
}

static void take(void *context, struct mad_item *item, const struct mad_reply *reply)
{
	struct send_run *run = context;
	const struct mad_destination *at = &run->mad.session.destinations[reply->request->number];
	/* "No records" is a valid answer. */
	const bool no_records = run->words.mgmt_class == UMAD_CLASS_SUBN_ADM &&
				reply->status == MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS);
	struct mad_decoded decoded;

	if (!no_records)
		mad_session_check(&run->mad.session, at, NULL, item, NULL);
	if (item->error || mad_decode(reply->mad, reply->bytes, &decoded))
		return;
	decoded.object = mem_string(at->name);
	decoded.tries = number_of(reply->tries);
	decoded.round_trip_usec = mad_round_trip_usec(reply->round_trip_nsec);
	MEM_ADD(run->decoded, run->count) = decoded;
}

/* Sends requests that get no answer; only errors in sending can be reported. */
static void send_only(struct send_run *run)
{
	struct mad_session *session = &run->mad.session;
	struct listing *listing = &run->mad.listing;
	struct mad_agent spec = {.oui = run->words.oui};
	struct mad_request request;
	unsigned char mad[MAD_BYTES];
	struct mad_item item;
	int agent, rc;

	fill(run, 0, &request);
	/* A directed route has its own class. */
	spec.mgmt_class = request.mgmt_class;
	spec.version = mad_version_of_class(request.mgmt_class);
	agent = mad_engine_add_agent(session->engine, &spec);
	for (size_t i = 0; i < session->destination_count; i++) {
		fill(run, i, &request);
		mad_request_write(&request, (uint32_t)i + 1, mad);
		rc = agent < 0 ? agent
			       : mad_engine_send(session->engine, agent, &request.to, mad,
						 sizeof(mad));
		item = (struct mad_item){.request = request, .error = rc};
		mad_session_check(session, &session->destinations[i], NULL, &item, NULL);
	}
	if (listing->problems.count)
		listing->status = STATUS_FAILED;
}

static void work(struct send_run *run)
{
	const size_t count = run->mad.session.destination_count;
	struct mad_item *items;

	if (!has_answer(run->words.method)) {
		send_only(run);
		return;
	}
	items = mad_items_new(count);
	for (size_t i = 0; i < count; i++)
		fill(run, i, &items[i].request);
	mad_gather_long(run->mad.session.engine, items, count, take, run);
	free(items);
	if (!run->count)
		run->mad.listing.status = STATUS_FAILED;
}

static void show(struct send_run *run, const struct ctx *ctx)
{
	if (!mad_show_wanted(ctx)) {
		for (size_t i = 0; i < run->count; i++)
			listing_add(&run->mad.listing, &run->decoded[i]);
		return;
	}
	for (size_t i = 0; i < run->count; i++)
		mad_show(ctx, &run->decoded[i], run->args->raw, !i);
	/* A listing in record form prints nothing more if it has no rows. */
	run->mad.listing.all_columns = true;
}

static int run_send(const struct ctx *ctx, const void *options, char **words)
{
	const struct send_args *args = options;
	struct send_run run = {.args = args};
	struct listing check;
	int status;

	/* Report bad options before looking for a device. */
	if (!listing_begin_as(&check, ctx, &mads_schema, false) ||
	    !parse_words(&check, args, &run.words))
		return listing_end(&check);
	listing_end_quietly(&check, 0);
	if (mad_listing_begin(&run.mad, ctx, &args->mad, &mads_schema, false, false) &&
	    read_data(&run) && find(&run, words) && !mad_listing_refuses_words(&run.mad) &&
	    check_routes(&run) && may_send(&run)) {
		work(&run);
		show(&run, ctx);
	}
	status = mad_listing_end(&run.mad);
	for (size_t i = 0; i < run.count; i++)
		mad_decoded_clear(&run.decoded[i]);
	free(run.decoded);
	return status;
}

#define WORD_OPTION(member, names, metavar_, help_)                                         \
	{                                                                                   \
		.name = #member, .kind = OPTION_STRING, .metavar = metavar_, .help = help_, \
		.choices = names, .completion = COMPLETE_CHOICE,                            \
		.offset = OPTION_OFFSET(struct send_args, member, const char *),            \
	}

static const struct option_row send_options[] = {
	WORD_OPTION(class, mad_class_names, "CLASS", "management class: pm, sa, 0x32 ..."),
	WORD_OPTION(method, mad_sa_method_names, "METHOD",
		    "method: get (the default), set, get-table, 0x01 ..."),
	STRING_OPTION(struct send_args, attribute, 0, "attribute", "ATTRIBUTE", COMPLETE_NOTHING,
		      "attribute: portcounters, PortCounters, 0x12 ..."),
	STRING_OPTION(struct send_args, modifier, 0, "modifier", "N", COMPLETE_NOTHING,
		      "attribute modifier (default 0)"),
	STRING_OPTION(struct send_args, data, 0, "data", "HEX|-", COMPLETE_NOTHING,
		      "bytes of the attribute, or - for standard input (default zeros)"),
	STRING_OPTION(struct send_args, component_mask, 0, "component-mask", "MASK",
		      COMPLETE_NOTHING, "fields of an SA record that must match, one bit each"),
	STRING_OPTION(struct send_args, oui, 0, "oui", "OUI", COMPLETE_NOTHING,
		      "company of a vendor class (0x32 and 0x33: default 0x001405)"),
	FLAG_OPTION(struct send_args, raw, 0, "raw", "print the bytes as well"),
	FLAG_OPTION(struct send_args, yes, 'y', "yes",
		    "send without asking, even if it may change something"),
	{.name = NULL},
};

const struct command mad_send_command = {
	.name = "send",
	.summary = "send any request and show the reply",
	.objects = "[DEST]",
	.most_objects = -1,
	.options = {send_options, mad_options},
	.rules = mad_rules,
	.args_size = sizeof(struct send_args),
	.schema = &mads_schema,
	.own_timeout = true,
	.run = run_send,
};
