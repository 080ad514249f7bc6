/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include <errno.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/format/topology.h"
#include "fabric/graph/graph.h"

struct parser {
	struct topology_text *parts;
	struct topology_block next; /* from the lines above the next head */
	unsigned int line;
	const char *at, *end; /* the rest of the line */
	const char *wrong;    /* what a malformed line should be */
};

static bool take(struct parser *parser, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length))
		return false;
	parser->at += length;
	return true;
}

static void skip_blanks(struct parser *parser)
{
	while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\t'))
		parser->at++;
}

/* False, with nothing consumed: there is no number, or it is larger than `most`. */
static bool take_number(struct parser *parser, unsigned int base, uint64_t most, uint64_t *number)
{
	const char *at = parser->at;
	uint64_t value = 0;

	for (; at < parser->end; at++) {
		const unsigned int digit = (unsigned int)text_hex_digit(*at);

		if (digit >= base)
			break;
		if (digit > most || value > (most - digit) / base)
			return false;
		value = value * base + digit;
	}
	if (at == parser->at)
		return false;
	parser->at = at;
	*number = value;
	return true;
}

static bool take_hex(struct parser *parser, uint64_t most, uint64_t *number)
{
	(void)(take(parser, "0x") || take(parser, "0X"));
	return take_number(parser, 16, most, number);
}

/* Takes `"words"` and returns the bytes between the quotation marks. */
static bool take_quoted(struct parser *parser, const char **ret_start, size_t *ret_length)
{
	const char *mark;

	if (!take(parser, "\""))
		return false;
	mark = memchr(parser->at, '"', (size_t)(parser->end - parser->at));
	if (!mark)
		return false;
	*ret_start = parser->at;
	*ret_length = (size_t)(mark - parser->at);
	parser->at = mark + 1;
	return true;
}

/* `[12]`, and perhaps the number on the outside of a chassis, `[ext 5]`. */
static bool take_port(struct parser *parser, uint8_t *port)
{
	uint64_t number, outside;

	if (!take(parser, "[") || !take_number(parser, 10, FABRIC_PORT_MOST, &number) || !number ||
	    !take(parser, "]"))
		return false;
	*port = (uint8_t)number;
	return !take(parser, "[ext ") ||
	       (take_number(parser, 10, UINT8_MAX, &outside) && take(parser, "]"));
}

/* `(2c90300000001)` */
static bool take_guid(struct parser *parser, uint64_t *guid)
{
	return take(parser, "(") && take_number(parser, 16, UINT64_MAX, guid) && take(parser, ")");
}

/* The facts in a comment besides the description; unknown words are skipped. */
struct remark {
	uint64_t lid, lmc, lanes;
	unsigned int speed;
	bool enhanced;
};

/* `4xEDR`, with `??` and `???` if unknown. Other words are ignored. */
static void take_rate(struct parser *parser, struct remark *remark)
{
	const struct enum_name *name = lane_speed_names;
	uint64_t lanes = 0;

	if (!(take_number(parser, 10, 12, &lanes) && take(parser, "x")) && !take(parser, "??"))
		return;
	for (; name->word; name++) {
		size_t length = strlen(name->word);

		if ((size_t)(parser->end - parser->at) >= length &&
		    !memcmp(parser->at, name->word, length) &&
		    (parser->at + length == parser->end || parser->at[length] == ' '))
			break;
	}
	if (!name->word && !take(parser, "???"))
		return;
	remark->lanes = lanes;
	remark->speed = (unsigned int)name->value;
}

static bool take_words(struct parser *parser, struct remark *remark)
{
	while (skip_blanks(parser), parser->at < parser->end) {
		if (take(parser, "lid ")) {
			if (!take_number(parser, 10, UINT16_MAX, &remark->lid))
				return false;
		} else if (take(parser, "lmc ")) {
			if (!take_number(parser, 10, 7, &remark->lmc))
				return false;
		} else if (take(parser, "enhanced ")) {
			remark->enhanced = true;
		} else {
			take_rate(parser, remark);
		}
		while (parser->at < parser->end && *parser->at != ' ' && *parser->at != '\t')
			parser->at++;
	}
	return true;
}

/*
 * `# words "description" words`, up to the last quotation mark, as the description may have some.
 * False: there is something else, or an impossible number.
 */
static bool take_comment(struct parser *parser, struct remark *before, struct remark *after,
			 const char **ret_description, size_t *ret_length)
{
	const char *end = parser->end, *first, *last;

	skip_blanks(parser);
	if (parser->at < end && !take(parser, "#"))
		return false;
	first = memchr(parser->at, '"', (size_t)(end - parser->at));
	last = memrchr(parser->at, '"', (size_t)(end - parser->at));
	if (first == last)
		return take_words(parser, after);
	parser->end = first;
	if (!take_words(parser, before))
		return false;
	*ret_description = first + 1;
	*ret_length = (size_t)(last - first - 1);
	parser->at = last + 1;
	parser->end = end;
	return take_words(parser, after);
}

/* `Switch 36 "S-0002c90300000001" # "description" base port 0 lid 1 lmc 0` */
static bool take_head(struct parser *parser, uint8_t type)
{
	struct topology_text *parts = parser->parts;
	struct topology_block block = parser->next;
	struct remark before = {.lid = 0}, after = {.lid = 0};
	uint64_t ports;

	parser->wrong = "a node has the form TYPE PORTS \"NAME\" # \"DESCRIPTION\"";
	skip_blanks(parser);
	if (!take_number(parser, 10, FABRIC_PORT_MOST, &ports) || !ports)
		return false;
	skip_blanks(parser);
	if (!take_quoted(parser, &block.id, &block.id_length) || !block.id_length ||
	    !take_comment(parser, &before, &after, &block.description, &block.description_length))
		return false;
	block.line = parser->line;
	block.type = type;
	block.ports = (uint8_t)ports;
	block.lid = (uint16_t)after.lid;
	block.lmc = (uint8_t)after.lmc;
	block.enhanced = after.enhanced;
	block.first_cable = (uint32_t)parts->cable_count;
	*(struct topology_block *)mem_append(&parts->blocks, &parts->block_count,
					     sizeof(block)) = block;
	parser->next = (struct topology_block){.line = 0};
	return true;
}

/* `[1](2c90300000001) "S-0002c90300000001"[2](2c9...) # lid 1 lmc 0 "description" lid 2 4xEDR` */
static bool take_cable(struct parser *parser)
{
	struct topology_text *parts = parser->parts;
	struct topology_cable cable = {.line = parser->line};
	struct topology_block *block = &parts->blocks[parts->block_count - 1];
	struct remark before = {.lid = 0}, after = {.lid = 0};
	const char *description;
	uint64_t guid;
	size_t length;

	parser->wrong =
		"a port has the form [NUMBER] \"NAME\"[NUMBER] # WORDS, with numbers from 1 to 254";
	if (!take_port(parser, &cable.port))
		return false;
	(void)take_guid(parser, &cable.guid);
	skip_blanks(parser);
	if (!take_quoted(parser, &cable.peer_id, &cable.peer_id_length))
		return false;
	skip_blanks(parser);
	if (!take_port(parser, &cable.peer_port))
		return false;
	skip_blanks(parser);
	(void)take_guid(parser, &guid);
	if (!take_comment(parser, &before, &after, &description, &length))
		return false;
	cable.lid = (uint16_t)before.lid;
	cable.lmc = (uint8_t)before.lmc;
	cable.lanes = (uint8_t)after.lanes;
	cable.speed = after.speed;
	block->cable_count++;
	*(struct topology_cable *)mem_append(&parts->cables, &parts->cable_count,
					     sizeof(cable)) = cable;
	return true;
}

/* `switchguid=0x2c90300000001(2c90300000001)` and the like. */
static bool take_node_guid(struct parser *parser)
{
	struct topology_block *next = &parser->next;

	next->has_guid = take_hex(parser, UINT64_MAX, &next->guid);
	next->has_port_guid = next->has_guid && take_guid(parser, &next->port_guid);
	return next->has_guid;
}

static bool take_vendor(struct parser *parser)
{
	uint64_t number;

	if (!take_hex(parser, 0xffffff, &number))
		return false;
	parser->next.vendor = (uint32_t)number;
	return true;
}

static bool take_device(struct parser *parser)
{
	uint64_t number;

	if (!take_hex(parser, UINT16_MAX, &number))
		return false;
	parser->next.device = (uint16_t)number;
	return true;
}

static bool take_system(struct parser *parser)
{
	return take_hex(parser, UINT64_MAX, &parser->next.system_guid);
}

/* Takes the line that tells where the scan began; other comments are ignored. */
static void take_note(struct parser *parser)
{
	struct topology_text *parts = parser->parts;
	uint64_t root, port = 0;

	if (!take(parser, "# Initiated from node ") || !take_number(parser, 16, UINT64_MAX, &root))
		return;
	if (!take(parser, " port ") || !take_number(parser, 16, UINT64_MAX, &port))
		port = 0;
	parts->has_root = true;
	parts->root = root;
	parts->root_port = port;
}

static const struct {
	const char *word;
	uint8_t type;
} heads[] = {
	{"Switch", NODE_TYPE_SWITCH}, {"Ca", NODE_TYPE_CA},	    {"Hca", NODE_TYPE_CA},
	{"Rt", NODE_TYPE_ROUTER},     {"Router", NODE_TYPE_ROUTER},
};

static const struct {
	const char *word;
	bool (*take)(struct parser *parser);
} assignments[] = {
	{"vendid=", take_vendor},	 {"devid=", take_device},     {"sysimgguid=", take_system},
	{"switchguid=", take_node_guid}, {"caguid=", take_node_guid}, {"rtguid=", take_node_guid},
};

/*
 * Headings of chassis (ibnetdiscover --grouping), and instructions to the simulator in net files.
 */
static const char *const passed_over[] = {
	"Chassis ", "Non-Chassis Nodes", "Hostname:", "do ", "module", "width=",
	"speed=",   "extspeed=",
};

/* Returns 0; -EINVAL if the line is malformed; -ENOMSG if it cannot be in such a text. */
static int take_line(struct parser *parser)
{
	skip_blanks(parser);
	if (parser->at == parser->end)
		return 0;
	if (*parser->at == '#') {
		take_note(parser);
		return 0;
	}
	if (*parser->at == '[' && parser->parts->block_count)
		return take_cable(parser) ? 0 : -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(passed_over); i++)
		if (take(parser, passed_over[i]))
			return 0;
	for (size_t i = 0; i < ARRAY_SIZE(assignments); i++)
		if (take(parser, assignments[i].word)) {
			parser->wrong = "not a valid number";
			return assignments[i].take(parser) ? 0 : -EINVAL;
		}
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		const char *start = parser->at;

		if (take(parser, heads[i].word) && parser->at < parser->end &&
		    (*parser->at == ' ' || *parser->at == '\t'))
			return take_head(parser, heads[i].type) ? 0 : -EINVAL;
		parser->at = start;
	}
	parser->wrong = "not a line of ibnetdiscover";
	return -ENOMSG;
}

static int fail(const struct parser *parser, const char *line, char **ret_message)
{
	/* Long enough to be found, short enough for one line of a terminal. */
	enum { SHOWN = 60 };
	size_t length = (size_t)(parser->end - line);
	_cleanup_(freep) char *shown = text_clean(line, length < SHOWN ? length : SHOWN);

	*ret_message = mem_format("line %u: %s: %s", parser->line, parser->wrong, shown);
	return -EINVAL;
}

static int topology_parse(const char *text, size_t length, struct topology_text *parts,
			  char **ret_message)
{
	struct parser parser = {.parts = parts};
	const char *line = text, *end = text + length;
	bool known = false; /* a line was recognised, so this is such a text */

	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline ? newline : end;
		int rc;

		parser.line++;
		parser.at = line;
		parser.end = line_end;
		while (parser.end > line &&
		       (parser.end[-1] == '\r' || parser.end[-1] == ' ' || parser.end[-1] == '\t'))
			parser.end--;
		rc = take_line(&parser);
		if (rc == -ENOMSG && !known)
			return rc;
		if (rc) {
			parser.end = line_end;
			return fail(&parser, line, ret_message);
		}
		known = known || parts->block_count || parts->has_root || parser.next.has_guid ||
			parser.next.vendor;
		line = line_end + (newline != NULL);
	}
	return parts->block_count ? 0 : -ENOMSG;
}

int fabric_read_topology(const char *text, size_t length, struct fabric *fabric, char **ret_message)
{
	struct topology_text parts = {.blocks = NULL};
	struct fabric found = {.nodes = NULL};
	int rc = topology_parse(text, length, &parts, ret_message);

	if (!rc)
		rc = topology_build(&parts, &found, ret_message);
	free(parts.blocks);
	free(parts.cables);
	if (rc) {
		fabric_clear(&found);
		return rc;
	}
	found.blanked = true;
	*fabric = found;
	return 0;
}
