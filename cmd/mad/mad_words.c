/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses the class, method and attribute given to rdmactl mad send. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mad/mad_run.h"

static const struct enum_name class_aliases[] = {
	{UMAD_CLASS_SUBN_LID_ROUTED, "smp"},
	{UMAD_CLASS_PERF_MGMT, "perf"},
	{0, NULL},
};

static bool complain_value(struct listing *listing, const char *option, const char *text,
			   const char *what, const char *hint)
{
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));
	_cleanup_(freep) char *message = mem_format("--%s: '%s' is not %s", option, clean, what);

	listing_fail(listing, STATUS_USAGE, message, hint);
	return false;
}

/* The hint suggests the closest of the words, else it is `hint`. Frees the array. */
static bool complain_word(struct listing *listing, const char *option, const char *text,
			  const char *what, const char **words, size_t count, const char *hint)
{
	const char *closest = text_closest(text, words, count);
	_cleanup_(freep) char *meant = closest ? mem_format("did you mean '%s'?", closest) : NULL;

	free(words);
	return complain_value(listing, option, text, what, meant ? meant : hint);
}

static bool complain_name(struct listing *listing, const char *option, const char *text,
			  const struct enum_name *names)
{
	_cleanup_(freep) char *what = mem_format("a %s", option);
	const char **words = NULL;
	size_t count = 0;

	for (; names->word; names++)
		*(const char **)mem_append(&words, &count, sizeof(*words)) = names->word;
	return complain_word(listing, option, text, what, words, count,
			     "a number up to 255, or one of the words in rdmactl-mad(1)");
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
			*(const char **)mem_append(&words, &count,
						   sizeof(*words)) = attribute->word;
		*(const char **)mem_append(&words, &count, sizeof(*words)) = attribute->name;
	}
	return complain_word(listing, "attribute", text, "an attribute of that class", words, count,
			     "a number, or a name such as PortCounters or portcounters");
}

/* By number, by the word that the other commands use, or by the name in the specification. */
static bool parse_attribute(struct listing *listing, const char *text, unsigned int mgmt_class,
			    uint16_t *ret_id)
{
	const struct mad_attribute *attribute = mad_attribute_find_word(
		mad_attributes_of(mgmt_class), text);
	uint64_t number;

	if (!attribute && !mad_class_is_smp(mgmt_class))
		attribute = mad_attribute_find_word(class_attributes, text);
	if (attribute) {
		*ret_id = attribute->id;
		return true;
	}
	if (!text_parse_u64(text, 0, UINT16_MAX, &number)) {
		*ret_id = (uint16_t)number;
		return true;
	}
	for (unsigned int id = 0; id <= UINT16_MAX; id++) {
		const char *name = mad_attribute_name(mgmt_class, id);

		if (name && !strcasecmp(name, text)) {
			*ret_id = (uint16_t)id;
			return true;
		}
	}
	return complain_attribute(listing, text, mgmt_class);
}

static bool parse_oui(struct listing *listing, const struct send_args *args,
		      struct send_words *words)
{
	const bool needed = words->mgmt_class >= UMAD_CLASS_VENDOR_RANGE2_START &&
			    words->mgmt_class <= UMAD_CLASS_VENDOR_RANGE2_END;
	const bool openib = words->mgmt_class == MAD_CLASS_OPENIB_PING ||
			    words->mgmt_class == MAD_CLASS_OPENIB_SYSSTAT;
	uint64_t oui = openib ? UMAD_OPENIB_OUI : 0;

	if (!parse_number(listing, "oui", args->oui, 0xffffff, &oui))
		return false;
	words->oui = (uint32_t)oui;
	if (needed == (oui != 0))
		return true;
	listing_fail(listing, STATUS_USAGE,
		     needed ? "a vendor class from 0x30 to 0x4f needs --oui"
			    : "--oui is for vendor classes from 0x30 to 0x4f",
		     NULL);
	return false;
}

bool send_words_parse(struct listing *listing, const struct send_args *args,
		      struct send_words *ret_words)
{
	struct send_words words = {.method = UMAD_METHOD_GET};
	uint64_t modifier = 0;

	if (!args->class || !args->attribute) {
		listing_fail(listing, STATUS_USAGE, "send needs --class and --attribute",
			     "rdmactl mad send 5 --class pm --attribute portcounters");
		return false;
	}
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
	if (words.component_mask && words.mgmt_class != UMAD_CLASS_SUBN_ADM) {
		listing_fail(listing, STATUS_USAGE, "--component-mask is only for class sa", NULL);
		return false;
	}
	words.modifier = (uint32_t)modifier;
	*ret_words = words;
	return true;
}
