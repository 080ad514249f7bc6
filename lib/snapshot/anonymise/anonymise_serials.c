/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Serial numbers, GUIDs, UUIDs and names of other kinds than hosts in running text, and addresses
 * with other marks than colons.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "snapshot/anonymise/anonymise_private.h"

/* The length of a word that may come between "serial" and the number. */
static size_t filler_length(const char *text)
{
	static const char *const fillers[] = {"numbers", "number", "num", "no", "is"};

	for (size_t i = 0; i < ARRAY_SIZE(fillers); i++) {
		const size_t length = strlen(fillers[i]);

		if (!strncasecmp(text, fillers[i], length) && !isalnum((unsigned char)text[length]))
			return length;
	}
	return 0;
}

/* Skips separators and fillers up to the number, on the same line. */
static char *find_number(char *text)
{
	size_t length, marks;

	do {
		length = filler_length(text);
		marks = strspn(text + length, " \t:=#_.-(\"'");
		text += length + marks;
	} while (length || marks);
	return text;
}

/*
 * The length of a word for a serial number at `at`; 0 if there is none. cxgb4 writes S/N
 * (t4_dump_version_info()); serial8250 and serialise are other words, SerialNumber is one.
 */
static size_t serial_length(const char *text, const char *at)
{
	static const char *const words[] = {"serial", "s/n"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const size_t length = strlen(words[i]);
		const bool inside = words[i][1] == '/' && at > text &&
				    isalnum((unsigned char)at[-1]);

		if (!strncasecmp(at, words[i], length) && !inside &&
		    (!isalnum((unsigned char)at[length]) || filler_length(at + length)))
			return length;
	}
	return 0;
}

void anonymise_spoken_serials(const struct anonymiser *anonymiser, char *text)
{
	for (char *at = text; *at;) {
		size_t length = serial_length(text, at);

		if (!length) {
			at++;
			continue;
		}
		at = find_number(at + length);
		length = strcspn(at, " \t\n,;)\"'");
		/* "serial console" has no number. */
		if (strcspn(at, "0123456789") < length)
			anonymise_word(anonymiser, at, length);
		at += length;
	}
}

/* The length of a word for a GUID at the start of the text; 0 if there is none. */
static size_t guid_word_length(const char *text)
{
	/* The others are of SRP: the name of a target has its id_ext, srp_add_target(). */
	static const char *const words[] = {"guid", "id_ext", "initiator_ext", "SRP.T10"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncasecmp(text, words[i], strlen(words[i])))
			return strlen(words[i]);
	return 0;
}

/*
 * Finds the next GUID after such a word, which may also be followed by an extension of few digits:
 * a number without a vendor in its first 24 bits, or with all bits set, is no GUID. Returns its
 * first digit, or NULL.
 */
static const char *find_guid(const char *text, size_t *ret_length, uint64_t *ret_guid)
{
	while (*text) {
		const size_t word = guid_word_length(text);
		_cleanup_(freep) char *digits = NULL;

		text += word ? word : 1;
		if (!word)
			continue;
		text += strspn(text, " :=\"'");
		text += !strncmp(text, "0x", 2) ? 2 : 0;
		*ret_length = strspn(text, "0123456789abcdefABCDEF");
		digits = mem_format("%.*s", (int)*ret_length, text);
		if (!isalnum((unsigned char)text[*ret_length]) &&
		    !text_parse_u64(digits, 16, UINT64_MAX - 1, ret_guid) && *ret_guid >> 40)
			return text;
	}
	return NULL;
}

/* Reads a port ID in the form of a GID, or as two numbers, as older kernels write it. */
static bool read_port_id(const char *text, uint8_t id[static GID_BYTES])
{
	_cleanup_(freep) char *digits = mem_format("%.*s", (int)strlen("xxxx:") * 8 - 1, text);
	uint64_t halves[2];

	if (inet_pton(AF_INET6, digits, id) == 1)
		return true;
	if (sscanf(digits, "0x%" SCNx64 ":0x%" SCNx64, &halves[0], &halves[1]) != 2)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(halves); i++)
		halves[i] = htobe64(halves[i]);
	memcpy(id, halves, sizeof(halves));
	return true;
}

/*
 * A port ID of SRP is a GUID with an extension, often another GUID; or it is a GID. Its prefix is
 * no GUID: either it is that of this host's port at the end of the line, or it is local (fd00::/8,
 * fe80::/10), and no vendor's number begins like that.
 */
static void learn_port_ids(struct anonymiser *anonymiser, const char *text)
{
	static const char word[] = "_port_id ", port_word[] = "(guid=";
	static const uint8_t no_vendor[3];

	while ((text = strstr(text, word))) {
		uint8_t ids[2 * GID_BYTES] = {0}, *port = ids + GID_BYTES;
		_cleanup_(freep) char *line = mem_format("%.200s", text);
		const char *at = strstr(line, port_word);
		const bool has_port = at && read_port_id(at + strlen(port_word), port);

		text += strlen(word);
		if (!read_port_id(text, ids))
			continue;
		if (ids[0] >= 0xfd || (has_port && !memcmp(ids, port, GUID_BYTES)))
			memset(ids, 0, GUID_BYTES);
		memset(port, 0, GUID_BYTES);
		for (size_t half = 0; half < sizeof(ids); half += GUID_BYTES)
			if (memcmp(ids + half, no_vendor, sizeof(no_vendor)) != 0)
				known_add(&anonymiser->guids, ids + half);
	}
}

void anonymise_spoken_guids_learn(struct anonymiser *anonymiser, const char *text)
{
	uint64_t guid;
	size_t length;

	learn_port_ids(anonymiser, text);
	while ((text = find_guid(text, &length, &guid))) {
		guid = htobe64(guid);
		known_add(&anonymiser->guids, (const uint8_t *)&guid);
	}
}

char *anonymise_spoken_guids(const struct anonymiser *anonymiser, const char *text)
{
	struct text_buffer out = {.text = NULL};
	const char *at;
	uint64_t guid;
	size_t length;

	for (; (at = find_guid(text, &length, &guid)); text = at + length)
		text_buffer_add(&out, "%.*s%0*" PRIx64, (int)(at - text), text, (int)length,
				anonymise_guid_number(anonymiser, guid));
	text_buffer_add(&out, "%s", text);
	return text_buffer_take(&out);
}

/* The length of iqn.YYYY-MM. or nqn.YYYY-MM. at the start of a name; 0 if there is none. */
static size_t qualifier_length(const char *text)
{
	static const char form[] = "?qn.[0-9][0-9][0-9][0-9]-[0-9][0-9].";
	const size_t length = strlen("iqn.2003-01.");
	_cleanup_(freep) char *begin = mem_format("%.*s", (int)length, text);

	return (*text == 'i' || *text == 'n') && !fnmatch(form, begin, 0) ? length : 0;
}

void anonymise_qualified_names(const struct anonymiser *anonymiser, char *text)
{
	for (char *at = text; (at = strstr(at, "qn."));) {
		const size_t length = at > text ? qualifier_length(at - 1) : 0;
		size_t name;

		at += strlen("qn.");
		if (!length)
			continue;
		at += length - strlen("iqn.");
		name = strcspn(at, " \t\n\"',;()[]<>");
		/* This name is the same everywhere, and a UUID may follow it. */
		if (strncmp(at, "org.nvmexpress", strlen("org.nvmexpress")) != 0)
			anonymise_word(anonymiser, at, name);
		at += name;
	}
}

/*
 * The length of the name of a file system at the start of a word: the kind of a server, a client or
 * a part of one follows, as in scratch-MDT0000 and scratch-clilov-ffff8df5: obdname2fsname() of
 * Lustre. 0: there is none.
 */
static size_t file_system_length(const char *word)
{
	static const char *const kinds[] = {"-MDT", "-OST", "-client", "-clilov", "-clilmv"};
	enum { LUSTRE_MAXFSNAME = 8 };

	for (size_t length = 1; length <= LUSTRE_MAXFSNAME && is_of_name(word[length - 1]);
	     length++)
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			if (!strncmp(word + length, kinds[i], strlen(kinds[i])))
				return length;
	return 0;
}

void anonymise_file_systems(const struct anonymiser *anonymiser, char *text)
{
	for (char *line = text; (line = strstr(line, ";Lustre"));)
		for (line++; *line && *line != '\n'; line++)
			if (!is_of_name(line[-1]))
				anonymise_word(anonymiser, line, file_system_length(line));
}

/* 8-4-4-4-12 hexadecimal digits: RFC 9562. */
static bool is_uuid(const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t at = 0;

	while (form[at] && (form[at] == '-' ? text[at] == '-' : isxdigit((unsigned char)text[at])))
		at++;
	return !form[at] && !isalnum((unsigned char)text[at]);
}

void anonymise_uuids(const struct anonymiser *anonymiser, char *text)
{
	for (char *at = text; *at; at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) && is_uuid(at))
			anonymise_word(anonymiser, at, 36);
}

/*
 * Before Linux 5.17, 15 bytes are all that is left of an NFS server's address in the name of its
 * thread, nfs4_schedule_state_manager() of fs/nfs/nfs4state.c: of IPv6 without ::, less than an
 * address.
 */
void anonymise_cut_addresses(const struct anonymiser *anonymiser, char *text)
{
	enum { MOST_OF_NAME = 15 };

	for (char *at = text; *at;) {
		const size_t length = strspn(at, "0123456789abcdef:");
		const char after = at[length];
		size_t colons = 0;

		for (size_t i = 0; i < length; i++)
			colons += at[i] == ':';
		at[length] = '\0';
		if (length == MOST_OF_NAME && colons > 1 && !strstr(at, "::") &&
		    (at == text || !is_of_name(at[-1])) && !is_of_name(after))
			anonymise_word(anonymiser, at, length);
		at[length] = after;
		at += length + (after != '\0');
	}
}

void anonymise_module_text(const struct anonymiser *anonymiser, char *text)
{
	anonymise_spoken_serials(anonymiser, text);
	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		for (size_t i = 0; *line == ' ' && line[i] && line[i] != '\n'; i++)
			if (isxdigit((unsigned char)line[i]))
				line[i] = '0';
	}
}

/* 0c-42-a1-a1-b2-c0; 0c42.a1a1.b2c0 and 0c42-a1a1-b2c0, as vendors of switches write them. */
struct spelling {
	char mark;
	size_t group; /* digits between two marks */
	size_t bytes;
};

/* Returns the length of the address, or 0. */
static size_t read_address(const char *text, const struct spelling *spelling,
			   uint8_t bytes[static GUID_BYTES])
{
	const char *at = text;

	for (size_t i = 0; i < 2 * spelling->bytes; i++, at++) {
		int digit;

		if (i && i % spelling->group == 0 && *at++ != spelling->mark)
			return 0;
		digit = text_hex_digit(*at);
		if (digit < 0)
			return 0;
		bytes[i / 2] = (uint8_t)(i & 1 ? bytes[i / 2] | digit : digit << 4);
	}
	/* A dot after the address may end a sentence. */
	if (is_of_name(*at) || (*at == spelling->mark && is_of_name(at[1])))
		return 0;
	return (size_t)(at - text);
}

size_t anonymise_other_marks(const struct anonymiser *anonymiser, const char *text, char before,
			     struct text_buffer *out)
{
	static const struct spelling spellings[] = {
		{'-', 2, ETHERNET_BYTES}, {'.', 4, ETHERNET_BYTES}, {'-', 4, ETHERNET_BYTES},
		{'-', 2, GUID_BYTES},	  {'.', 4, GUID_BYTES},	    {'-', 4, GUID_BYTES},
	};

	for_each_in (spelling, spellings, ARRAY_SIZE(spellings)) {
		const struct known *known = spelling->bytes == GUID_BYTES ? &anonymiser->guids
									  : &anonymiser->macs;
		uint8_t bytes[GUID_BYTES];
		const size_t length = read_address(text, spelling, bytes);

		if (!length || (before == '.' && spelling->mark == '.'))
			continue;
		/* A version may look the same, 2024.1231.0001, but has no letters. */
		if (spelling->group == 4 && strcspn(text, "abcdefABCDEF") >= length &&
		    !known_has(known, bytes))
			continue;
		anonymise_digits(anonymiser, text, length, spelling->bytes, out);
		return length;
	}
	return 0;
}
