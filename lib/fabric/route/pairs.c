/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file of pairs, and the columns of their routes. */
#include "fabric/route/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/rows.h"

static const char blanks[] = " \t\r";

/*
 * Cuts the next word off the line. Returns 0 with the word, or with NULL at the end; -EINVAL if a
 * quotation mark is unpaired or touches another word.
 */
static int next_word(char **line, char **ret_word)
{
	char *begin = *line + strspn(*line, blanks), *end;

	*ret_word = NULL;
	if (!*begin || *begin == '#') {
		*line = begin + strlen(begin);
		return 0;
	}
	if (*begin == '"') {
		end = strchr(++begin, '"');
		if (!end || end == begin || (end[1] && !strchr(blanks, end[1])))
			return -EINVAL;
	} else {
		end = begin + strcspn(begin, blanks);
	}
	*line = *end ? end + 1 : end;
	*end = '\0';
	*ret_word = begin;
	return 0;
}

static int parse_line(struct route_pairs *pairs, char *line, unsigned int number)
{
	char *words[3];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (next_word(&line, &words[i]))
			return -EINVAL;
	if (!words[0])
		return 0;
	if (!words[1] || words[2])
		return -EINVAL;
	MEM_ADD(pairs->items, pairs->count) = (struct route_pair){
		.from = mem_string(words[0]),
		.to = mem_string(words[1]),
		.line = number,
	};
	return 0;
}

int route_pairs_parse(struct route_pairs *pairs, const char *text, unsigned int *ret_line)
{
	char *copy = mem_string(text), *rest = copy, *line;
	unsigned int number = 0;
	int rc = 0;

	while (!rc && (line = strsep(&rest, "\n")))
		rc = parse_line(pairs, line, ++number);
	free(copy);
	if (rc)
		*ret_line = number;
	return rc;
}

void route_pairs_clear(struct route_pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++) {
		free(pairs->items[i].from);
		free(pairs->items[i].to);
	}
	free(pairs->items);
	*pairs = (struct route_pairs){.items = NULL};
}

static const struct enum_name end_names[] = {
	{ROUTE_ARRIVED, "arrives", .help = "packets arrive"},
	{ROUTE_NOWHERE, "nowhere", .help = "a table has no port for the LID"},
	{ROUTE_NO_PORT, "no-port", .help = "a table has a port that its switch does not have"},
	{ROUTE_NO_PEER, "no-peer", .help = "the other end of a port is unknown"},
	{ROUTE_LOOP, "loop", .help = "packets come back to a switch"},
	{ROUTE_STRANGER, "stranger", .help = "packets come to a port with another LID"},
	{ROUTE_UNKNOWN, "unknown", .help = "a table could not be read"},
	{0, NULL},
};

ROW_OF(destination, struct pair_row, to)
GETTER_OF(static, get_to, destination, place_get_node)
GETTER_OF(static, get_to_port, destination, place_get_port)
GETTER_OF(static, get_to_guid, destination, place_get_guid)

ROW_OF(most_shared, struct pair_row, most_shared)
GETTER_OF(static, get_shared_node, most_shared, place_get_node)
GETTER_OF(static, get_shared_port, most_shared, place_get_port)

#define RECORD struct pair_row
static const struct field pair_fields[] = {
	VIEW_TEXT(place_get_node, "from", "FROM", SHOWN, "name of the node that sends"),
	VIEW_NUMBER(place_get_port, "from_port", "FROM PORT", 0, "number of its port"),
	VIEW_TEXT(get_to, "to", "TO", SHOWN, "name of the node that packets go to"),
	VIEW_NUMBER(get_to_port, "to_port", "TO PORT", 0, "number of its port"),
	NUMBER_AS("dlid", lid, "DLID", 0, 0, "destination LID"),
	WORD(end, end_names, "END", SHOWN, 0, "where the route ends"),
	NUMBER(hops, "HOPS", SHOWN, 0, "number of cables on the route"),
	NUMBER_AS("most_pairs", most, "MOST PAIRS", SHOWN, 0,
		  "pairs over the cable of the route that most pairs of the file share"),
	VIEW_TEXT(get_shared_node, "shared_node", "SHARED NODE", SHOWN,
		  "name of the node through whose port they leave"),
	VIEW_NUMBER(get_shared_port, "shared_port", "SHARED PORT", SHOWN, "number of that port"),
	LIST(cables, "CABLES", 0, 0, "ports that packets leave nodes by, from the source on"),
	NUMBER(line, "LINE", 0, 0, "number of the line in the file"),
	VIEW_GUID(place_get_guid, "from_guid", "FROM GUID", 0, "GUID of the node that sends"),
	VIEW_GUID(get_to_guid, "to_guid", "TO GUID", 0, "GUID of the node that packets go to"),
};
#undef RECORD

const struct schema fabric_pairs_schema = SCHEMA("fabric_pairs", struct pair_row, pair_fields,
						 "the route of a pair of --pairs-file");

#define RECORD struct shared_row
static const struct field shared_fields[] = {
	PORT_COLUMNS(place_get_port),
	PEER_COLUMNS,
	NUMBER(pairs, "PAIRS", SHOWN, 0, "pairs of the file whose packets leave by the port"),
	NODE_GUID_COLUMN,
	PEER_GUID_COLUMN,
};
#undef RECORD

const struct schema fabric_shared_schema = SCHEMA("fabric_shared", struct shared_row, shared_fields,
						  "a cable of the routes of --pairs-file");
