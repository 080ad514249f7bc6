/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include <errno.h>

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/format/topology.h"

struct parser {
	struct topology_text *parts;
	struct topology_block next; /* from the lines above the next head */
	unsigned int line;
	const char *at, *end; /* the rest of the line */
	const char *wrong;    /* what a malformed line should be */
	const char *doubt;    /* what is wrong with a part of a line that is read nevertheless */
	bool skips;	      /* the head of this block is malformed */
};

/* Limit of faults that are reported one by one: a text may be any file. */
enum { MOST_FAULTS = 20 };

void topology_add_fault(struct topology_text *parts, unsigned int line, char *reason)
{
	struct topology_fault *fault;

	for (size_t i = 0; i < parts->fault_count; i++) {
		fault = &parts->faults[i];
		if (!strcmp(fault->reason, reason)) {
			fault->count++;
			fault->last = line;
			free(reason);
			return;
		}
	}
	if (parts->fault_count == MOST_FAULTS) {
		parts->more++;
		free(reason);
		return;
	}
	MEM_ADD(parts->faults, parts->fault_count) = (struct topology_fault){line, line, 1, reason};
}

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

/* Returns false, with nothing consumed, if there is no number or it is larger than `most`. */
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

/* Takes `[12]`, and perhaps the number on the outside of a chassis, `[ext 5]`. */
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

/* Takes `(2c90300000001)`, if there is one. Returns false, and skips it, if it is not a number. */
static bool take_guid(struct parser *parser, uint64_t *guid)
{
	const char *end;

	if (parser->at == parser->end || *parser->at != '(')
		return true;
	end = memchr(parser->at, ')', (size_t)(parser->end - parser->at));
	if (take(parser, "(") && take_number(parser, 16, UINT64_MAX, guid) && take(parser, ")"))
		return true;
	*guid = 0;
	parser->doubt = "the GUID in parentheses is not a hexadecimal number";
	if (end)
		parser->at = end + 1;
	return false;
}

/* Facts in a comment besides the description; unknown words are skipped. */
struct remark {
	uint64_t lid, lmc, lanes;
	unsigned int speed;
	bool enhanced;
};

/* Takes `4xEDR`, with `??` and `???` if unknown. Other words are ignored. */
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

/* A number that cannot be read counts as unknown, as if the word were missing. */
static void take_words(struct parser *parser, struct remark *remark)
{
	while (skip_blanks(parser), parser->at < parser->end) {
		if (take(parser, "lid ")) {
			skip_blanks(parser);
			if (!take_number(parser, 10, UINT16_MAX, &remark->lid)) {
				parser->doubt = "`lid` is not followed by a number from 0 to 65535";
				continue;
			}
		} else if (take(parser, "lmc ")) {
			if (!take_number(parser, 10, 7, &remark->lmc))
				parser->doubt = "`lmc` is not followed by a number from 0 to 7";
		} else if (take(parser, "enhanced ")) {
			remark->enhanced = true;
		} else {
			take_rate(parser, remark);
		}
		while (parser->at < parser->end && *parser->at != ' ' && *parser->at != '\t')
			parser->at++;
	}
}

/*
 * Takes `# words "description" words`; the description may contain quotation marks, and ends at the
 * last one. Returns false if there is something else.
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
	if (first == last) {
		take_words(parser, after);
		return true;
	}
	parser->end = first;
	take_words(parser, before);
	*ret_description = first + 1;
	*ret_length = (size_t)(last - first - 1);
	parser->at = last + 1;
	parser->end = end;
	take_words(parser, after);
	return true;
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
	MEM_ADD(parts->blocks, parts->block_count) = block;
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
	size_t length;

	parser->wrong =
		"a port has the form [NUMBER] \"NAME\"[NUMBER] # WORDS, with numbers from 1 to 254";
	if (!take_port(parser, &cable.port))
		return false;
	cable.bad_guid = !take_guid(parser, &cable.guid);
	skip_blanks(parser);
	if (!take_quoted(parser, &cable.peer_id, &cable.peer_id_length))
		return false;
	skip_blanks(parser);
	if (!take_port(parser, &cable.peer_port))
		return false;
	skip_blanks(parser);
	(void)take_guid(parser, &cable.peer_guid);
	if (!take_comment(parser, &before, &after, &description, &length))
		return false;
	cable.lid = (uint16_t)before.lid;
	cable.lmc = (uint8_t)before.lmc;
	cable.lanes = (uint8_t)after.lanes;
	cable.speed = after.speed;
	block->cable_count++;
	MEM_ADD(parts->cables, parts->cable_count) = cable;
	return true;
}

static const char not_a_guid[] = "not a GUID, a hexadecimal number of up to 16 digits";

/* Takes `switchguid=0x2c90300000001(2c90300000001)` and the like. */
static bool take_node_guid(struct parser *parser)
{
	struct topology_block *next = &parser->next;

	parser->wrong = not_a_guid;
	next->has_guid = take_hex(parser, UINT64_MAX, &next->guid);
	next->bad_guid = !next->has_guid;
	next->has_port_guid = next->has_guid && parser->at < parser->end && *parser->at == '(' &&
			      take_guid(parser, &next->port_guid);
	return next->has_guid;
}

static bool take_vendor(struct parser *parser)
{
	return take_hex(parser, 0xffffff, &parser->next.vendor);
}

static bool take_device(struct parser *parser)
{
	return take_hex(parser, UINT16_MAX, &parser->next.device);
}

static bool take_system(struct parser *parser)
{
	parser->wrong = not_a_guid;
	return take_hex(parser, UINT64_MAX, &parser->next.system_guid);
}

/* Takes the line that says where the scan began; other comments are ignored. */
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

/* Skipped: headings of ibnetdiscover --grouping, and instructions to the simulator. */
static const char *const passed_over[] = {
	"Chassis ", "Non-Chassis Nodes", "Hostname:", "do ", "module", "width=",
	"speed=",   "extspeed=",
};

static bool is_port_line(const struct parser *parser)
{
	return parser->end - parser->at > 1 && *parser->at == '[' && parser->at[1] >= '0' &&
	       parser->at[1] <= '9';
}

/* Returns 0; -EINVAL if the line is malformed; -ENOMSG if it cannot belong to such a text. */
static int take_line(struct parser *parser)
{
	skip_blanks(parser);
	if (parser->at == parser->end)
		return 0;
	if (*parser->at == '#') {
		take_note(parser);
		return 0;
	}
	/* A shell prompt may begin with a bracket, too. */
	if (is_port_line(parser) && parser->skips)
		return 0;
	if (is_port_line(parser) && parser->parts->block_count)
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
		    (*parser->at == ' ' || *parser->at == '\t')) {
			parser->skips = !take_head(parser, heads[i].type);
			parser->next = (struct topology_block){.line = 0};
			return parser->skips ? -EINVAL : 0;
		}
		parser->at = start;
	}
	if (topology_take_port(parser->parts, parser->line, parser->at,
			       (size_t)(parser->end - parser->at)))
		return 0;
	parser->wrong = "not a line of ibnetdiscover";
	return -ENOMSG;
}

static void add_fault(const struct parser *parser, const char *why, const char *line,
		      const char *end)
{
	/* Long enough to be found, short enough for one line of a terminal. */
	enum { SHOWN = 60 };
	size_t length = (size_t)(end - line);
	_cleanup_(freep) char *shown = text_clean(line, length < SHOWN ? length : SHOWN);

	topology_add_fault(parser->parts, parser->line, mem_format("%s: %s", why, shown));
}

/* Returns 0 if there is a node, else -EINVAL if a line was malformed, else -ENOMSG. */
static int topology_parse(const char *text, size_t length, struct topology_text *parts)
{
	struct parser parser = {.parts = parts};
	const char *line = text, *end = text + length;
	int result = -ENOMSG;

	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline ? newline : end;
		int rc;

		parser.line++;
		parser.at = line;
		parser.end = line_end;
		parser.doubt = NULL;
		while (parser.end > line &&
		       (parser.end[-1] == '\r' || parser.end[-1] == ' ' || parser.end[-1] == '\t'))
			parser.end--;
		rc = take_line(&parser);
		if (rc || parser.doubt)
			add_fault(&parser, rc ? parser.wrong : parser.doubt, line, line_end);
		if (rc == -EINVAL)
			result = rc;
		line = line_end + (newline != NULL);
	}
	return parts->block_count ? 0 : result;
}

/* Moves the faults to the fabric. */
static void tell_faults(struct topology_text *parts, struct fabric *fabric)
{
	for_each_in (from, parts->faults, parts->fault_count) {
		MEM_ADD(fabric->faults, fabric->fault_count) = (struct fabric_fault){
			.line = from->line,
			.reason = from->count == 1
					  ? mem_string(from->reason)
					  : mem_format(
						    "%s (and %u more such line%s, up to line %u)",
						    from->reason, from->count - 1,
						    text_plural_s(from->count - 1), from->last),
		};
	}
	if (parts->more)
		MEM_ADD(fabric->faults, fabric->fault_count) = (struct fabric_fault){
			.reason = mem_format("%u more lines cannot be used", parts->more),
		};
}

int fabric_read_topology(const char *text, size_t length, struct fabric *fabric, char **ret_message)
{
	struct topology_text parts = {.blocks = NULL};
	struct fabric found = {.nodes = NULL};
	int rc = topology_parse(text, length, &parts);

	if (!rc)
		rc = topology_build(&parts, &found, ret_message);
	else if (rc == -EINVAL)
		*ret_message = mem_format("line %u: %s", parts.faults[0].line,
					  parts.faults[0].reason);
	if (!rc)
		tell_faults(&parts, &found);
	free(parts.blocks);
	free(parts.cables);
	for (size_t i = 0; i < parts.fault_count; i++)
		free(parts.faults[i].reason);
	free(parts.faults);
	if (rc) {
		fabric_clear(&found);
		return rc;
	}
	found.source = parts.by_port ? FABRIC_PORT_LIST : FABRIC_TEXT;
	found.by_port = parts.by_port;
	*fabric = found;
	return 0;
}
