/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of hosts in texts: which words are names, and what replaces them. */
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "snapshot/anonymise/anonymise_private.h"

/* Words of a node description that name a kind of device; a host may have the name of a model. */
static bool names_kind(const char *word, size_t length, bool host)
{
	static const char *const models[] = {"HCA-[0-9]*", "MT[0-9]*", "ConnectX*", "BlueField*",
					     "NetXtreme*"};
	static const char *const kinds[] = {
		"HCA",		"Connect-IB",	"Mellanox",	"Technologies",
		"NVIDIA",	"Broadcom",	"RoCE",		"Driver",
		"Elastic",	"RDMA",		"Adapter",	"iWARP",
		"stack",	"Software",	"Chelsio",	"Communications",
		"Intel",	"Omni-Path",	"OPA",		"QLogic",
		"InfiniPath",	"localhost",	"rxe",		"siw",
		"cxgb4",	"mlx[45]_*",	"mthca[0-9]*",	"hfi1_[0-9]*",
		"qib[0-9]*",	"bnxt_re*",	"irdma[0-9]*",	"efa_[0-9]*",
		"mana_[0-9]*",	"hns_[0-9]*",	"erdma_[0-9]*", "ocrdma[0-9]*",
		"usnic_[0-9]*", "cxgb4_[0-9]*", "rxe[0-9]*",	"siw[0-9]*",
		"smi[0-9]*",	"none",
	};
	_cleanup_(freep) char *name = mem_format("%.*s", (int)length, word);

	for (size_t n = 0; n < ARRAY_SIZE(kinds); n++)
		if (!fnmatch(kinds[n], name, FNM_CASEFOLD))
			return true;
	for (size_t n = 0; !host && n < ARRAY_SIZE(models); n++)
		if (!fnmatch(models[n], name, FNM_CASEFOLD))
			return true;
	/* Short numbers are in every text; 10-20-30-40 is a name made from an address. */
	if (host && length >= strlen("1-2-3-4"))
		return false;
	return length < 2 || strspn(name, "0123456789.:_-") >= length;
}

/* Between the words of a node description, and in them: AcmeCorp/athena. */
#define WORD_ENDS  " \t\n,;()'\""
#define WORD_MARKS "/@=[]|#+"

static void learn_name(struct anonymiser *anonymiser, const char *name, bool host)
{
	if (!names_kind(name, strlen(name), host) && !strings_contain(&anonymiser->names, name))
		strings_add(&anonymiser->names, name);
}

static void learn_names(struct anonymiser *anonymiser, const char *words, bool host)
{
	while (*words) {
		const size_t blank = strspn(words, WORD_ENDS);
		const size_t length = strcspn(words + blank, WORD_ENDS);
		_cleanup_(freep) char *name = mem_format("%.*s", (int)length, words + blank);
		const size_t label = strcspn(name, ".");

		learn_name(anonymiser, name, host);
		/* Learn the name without its domain. */
		name[label] = '\0';
		learn_name(anonymiser, name, host);
		words += blank + length;
	}
}

void anonymiser_learn_names(struct anonymiser *anonymiser, const char *words)
{
	learn_names(anonymiser, words, false);
}

/* Learns the domain of a host name. Most names have no domain, and neither does 10.1.2.3. */
static void learn_domain(struct anonymiser *anonymiser, const char *name)
{
	const size_t label = strcspn(name, ". \t\n"), end = strcspn(name, " \t\n");
	_cleanup_(freep) char *domain = NULL;

	if (!label || label + 2 >= end)
		return;
	domain = mem_format("%.*s", (int)(end - label - 1), name + label + 1);
	if (strspn(domain, "0123456789.-_") == strlen(domain))
		return;
	free(anonymiser->domain);
	anonymiser->domain = domain;
	domain = NULL;
}

void anonymiser_learn_host(struct anonymiser *anonymiser, const char *name)
{
	learn_names(anonymiser, name, true);
	learn_domain(anonymiser, name);
}

bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* The longest name of a host with its domain, in characters: RFC 1035 2.3.4. */
#define LONGEST_HOST 253

/*
 * The length of a name in this host's domain, or of the domain itself, at the start of the text; or
 * 0. A domain of one word counts only after a name: rdma is a word in many texts.
 */
static size_t domain_length(const struct anonymiser *anonymiser, const char *text)
{
	const size_t length = anonymiser->domain ? strlen(anonymiser->domain) : 0;

	for (const char *label = text; length && is_of_name(*label) && label - text < LONGEST_HOST;
	     label++) {
		if (!strncasecmp(label, anonymiser->domain, length) && !is_of_name(label[length]) &&
		    (label > text || strchr(anonymiser->domain, '.')))
			return (size_t)(label - text) + length;
		while (is_of_name(*label))
			label++;
		if (*label != '.')
			break;
	}
	return 0;
}

static bool is_known(const struct anonymiser *anonymiser, const char *name, size_t length)
{
	for (size_t i = 0; i < anonymiser->names.count; i++)
		if (strlen(anonymiser->names.items[i]) == length &&
		    !strncasecmp(anonymiser->names.items[i], name, length))
			return true;
	return false;
}

size_t anonymise_host(const struct anonymiser *anonymiser, const char *text,
		      struct text_buffer *out)
{
	size_t longest = domain_length(anonymiser, text);
	_cleanup_(freep) char *name = NULL;
	const char *dot;
	size_t label;

	for (size_t i = 0; i < anonymiser->names.count; i++) {
		const char *known = anonymiser->names.items[i];
		const size_t length = strlen(known);

		if (length > longest && !strncasecmp(text, known, length) &&
		    !is_of_name(text[length]))
			longest = length;
	}
	if (!longest)
		return 0;
	/* doctor looks for gpu17 in a description if the host is gpu17.example.org. */
	dot = memchr(text, '.', longest);
	label = dot ? (size_t)(dot - text) : longest;
	name = anonymise_name(anonymiser, text,
			      is_known(anonymiser, text, label) ? label : longest);
	text_buffer_add(out, "%s", name);
	return longest;
}

/* The device of the description in DEVICE/node_desc; the caller frees it. */
static char *device_of(const struct content *content)
{
	_cleanup_(freep) char *folder = mem_string(content->path);
	char *slash = strrchr(folder, '/');

	*(slash ? slash : folder) = '\0';
	return mem_string(content_name(folder));
}

/*
 * Whether the rest of a description is nothing, or a device: rdma-ndd(8) writes gpu17 mlx5_0, and
 * MLNX_OFED gpu17 HCA-1.
 */
static bool is_device(const char *rest, const char *device)
{
	const size_t length = strcspn(rest, " \t\n");

	if (rest[length + strspn(rest + length, " \t\n")])
		return false;
	return !length || names_kind(rest, length, false) ||
	       (length == strlen(device) && !memcmp(rest, device, length));
}

/*
 * Words of letters only, such as rack and switch, are in many other texts: they are the host's name
 * only if nothing but the device follows.
 */
void anonymise_description_learn(struct anonymiser *anonymiser, const struct content *content)
{
	_cleanup_(freep) char *device = device_of(content);

	for (const char *at = content->bytes; *at;) {
		const size_t length = strcspn(at, " \t\n");
		const char *rest = at + length + strspn(at + length, " \t\n");
		_cleanup_(freep) char *word = mem_format("%.*s", (int)length, at);
		const bool host = at == content->bytes && is_device(rest, device);

		if (strcmp(word, device) && (host || strpbrk(word, "0123456789-_.")))
			anonymiser_learn_names(anonymiser, word);
		at = rest;
	}
}

/* The length of the next word, which may be known. A colon is within it only in an address. */
static size_t word_length(const char *text)
{
	const size_t length = strcspn(text, WORD_ENDS WORD_MARKS);

	return strspn(text, "0123456789abcdefABCDEF:") < length
		       ? strcspn(text, WORD_ENDS WORD_MARKS ":")
		       : length;
}

char *anonymise_description(const struct anonymiser *anonymiser, const struct content *content)
{
	_cleanup_(freep) char *device = device_of(content);
	struct text_buffer out = {.text = NULL};

	for (const char *at = content->bytes; *at;) {
		const size_t blank = strspn(at, WORD_ENDS WORD_MARKS ":");
		const size_t length = word_length(at + blank);
		_cleanup_(freep) char *word = mem_format("%.*s", (int)length, at + blank);
		_cleanup_(freep) char *text = anonymise_text(anonymiser, word, false), *name = NULL;

		/* A word that was not learned. */
		if (!strcmp(text, word) && strcmp(word, device) && !names_kind(word, length, false))
			name = anonymise_name(anonymiser, word, length);
		text_buffer_add(&out, "%.*s%s", (int)blank, at, name ? name : text);
		at += blank + length;
	}
	return text_buffer_take(&out);
}
