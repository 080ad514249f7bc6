/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Slots, chips and outside ports; chassis.h has the source of the facts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/graph/chassis.h"
#include "schema/schema.h"

const struct enum_name fabric_board_names[] = {
	{BOARD_LINE, "line", .help = "with ports on the outside"},
	{BOARD_SPINE, "spine", .help = "connects the other boards"},
	{BOARD_ROUTER, "router", .help = "to another network"},
	{0, NULL},
};

/*
 * Where the ports of one board lead: `per_slot` ports to each slot, and `per_chip` of these to each
 * of `chips` of the board there, in descending order if `falls`.
 */
struct wiring {
	uint8_t ports, per_slot, per_chip, chips;
	bool falls;
};

struct model {
	const char *name;
	struct wiring to_lines, to_spines; /* by the port of a spine, and of a line board */
	uint8_t spine_chips;		   /* chips per spine board */
	bool has_routers, guesses_routers;
};

static const struct model isr9096 = {
	"ISR9096", {24, 6, 3, 2}, {12, 3, 3, 1}, 1, .has_routers = true};
static const struct model isr2004 = {
	"ISR2004", {24, 6, 3, 2}, {12, 3, 3, 1}, 1, .has_routers = true};
static const struct model isr9288 = {"ISR9288", {24, 2, 1, 2},	     {12, 3, 1, 3},
				     3,		.has_routers = true, .guesses_routers = true};
static const struct model isr2012 = {"ISR2012", {24, 2, 1, 2},	     {12, 3, 1, 3},
				     3,		.has_routers = true, .guesses_routers = true};
static const struct model isr4700 = {"ISR4700", {36, 2, 2, 1}, {18, 2, 2, 1}, 2};
/* With spine boards of two chips, which also have outside ports. */
static const struct model isr4700_double = {"ISR4700", {18, 1, 1, 1}, {18, 2, 1, 2, true}, 2};
static const struct model isr4200 = {"ISR4200", {36, 4, 4, 1}, {18, 4, 4, 1}, 1};

/* Line boards of different kinds have different outside ports. */
enum line { NO_LINE, LINE_24, LINE_8, LINE_2024, LINE_4018 };

static const struct isr_board {
	uint16_t id;
	uint8_t board;
	uint8_t line;		   /* enum line */
	const struct model *model; /* of a spine; other boards have the model of their spines */
} devices[] = {
	{0x5a00, BOARD_ROUTER, NO_LINE, NULL},	  {0x5a01, BOARD_ROUTER, NO_LINE, NULL},
	{0x5a08, BOARD_SPINE, NO_LINE, &isr9288}, {0x5a09, BOARD_LINE, LINE_24, NULL},
	{0x5a0b, BOARD_SPINE, NO_LINE, &isr9096}, {0x5a0d, BOARD_LINE, LINE_8, NULL},
	{0x5a32, BOARD_SPINE, NO_LINE, &isr9288}, {0x5a33, BOARD_SPINE, NO_LINE, &isr9096},
	{0x5a34, BOARD_LINE, LINE_24, NULL},	  {0x5a37, BOARD_SPINE, NO_LINE, &isr2012},
	{0x5a38, BOARD_LINE, LINE_2024, NULL},	  {0x5a40, BOARD_SPINE, NO_LINE, &isr2004},
	{0x5a42, BOARD_LINE, LINE_24, NULL},	  {0x5a5b, BOARD_LINE, LINE_4018, NULL},
	{0x5a5c, BOARD_SPINE, NO_LINE, &isr4700}, {0x5a5d, BOARD_SPINE, NO_LINE, &isr4700_double},
	{0x5a60, BOARD_SPINE, NO_LINE, &isr4200},
};

static const struct isr_board *device_of(const struct fabric_node *node)
{
	uint16_t id = node_info_device_id(node->info);

	if (node_info_vendor_id(node->info) != VENDOR_VOLTAIRE || node->type != NODE_TYPE_SWITCH)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (devices[i].id == id)
			return &devices[i];
	return NULL;
}

/* Ports with higher numbers are on the outside. */
static unsigned int inside_ports(const struct isr_board *device)
{
	if (device->board == BOARD_SPINE)
		return device->model->to_lines.ports;
	if (device->board == BOARD_LINE)
		return device->line == LINE_4018 ? 18 : 12;
	return FABRIC_PORT_MOST;
}

bool chassis_is_inside(const struct fabric *fabric, uint32_t port)
{
	const struct isr_board *device = device_of(fabric_node_of(fabric, port));

	return device && fabric->ports[port].number <= inside_ports(device);
}

bool chassis_peer_is_placed_by_links(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_node *other = fabric_node_of(fabric, fabric->ports[port].peer);

	return device_of(other) ||
	       (other->type != NODE_TYPE_SWITCH && chassis_is_inside(fabric, port));
}

static void follow(const struct wiring *wiring, unsigned int port, struct chassis_place *place)
{
	unsigned int chip;

	if (!port || port > wiring->ports)
		return;
	chip = (port - 1) / wiring->per_chip % wiring->chips;
	place->slot = (uint8_t)((port - 1) / wiring->per_slot + 1);
	place->chip = (uint8_t)(wiring->falls ? wiring->chips - chip : chip + 1);
}

/* The spine that a port of an ISR4200 line board leads to; ports 5 and 6 lead to none. */
static void follow_4200(unsigned int port, struct chassis_place *place)
{
	if (port >= 7)
		follow(&isr4200.to_spines, port - 2, place);
	else if (port <= 4)
		follow(&isr4200.to_spines, port, place);
}

/* The first port of a node that leads to a board of this kind, within the chassis. */
static uint32_t find_board(const struct fabric *fabric, uint32_t node, enum board board)
{
	const struct isr_board *own = device_of(&fabric->nodes[node]);

	for_each_port_of (port, &fabric->nodes[node]) {
		uint32_t peer = fabric->ports[port].peer;
		const struct isr_board *device;

		if (peer == FABRIC_NONE || (own && !chassis_is_inside(fabric, port)))
			continue;
		device = device_of(fabric_node_of(fabric, peer));
		if (device && device->board == board && chassis_is_inside(fabric, peer))
			return port;
	}
	return FABRIC_NONE;
}

static void name_model(struct chassis_place *place, const struct model *model)
{
	snprintf(place->model, sizeof(place->model), "%s", model->name);
}

static void place_spine(const struct fabric *fabric, uint32_t node, const struct isr_board *device,
			struct chassis_place *place)
{
	uint32_t port = find_board(fabric, node, BOARD_LINE);

	if (port != FABRIC_NONE && device->model == &isr4200)
		follow_4200(fabric->ports[fabric->ports[port].peer].number, place);
	else if (port != FABRIC_NONE)
		follow(&device->model->to_spines, fabric->ports[fabric->ports[port].peer].number,
		       place);
	name_model(place, device->model);
	if (place->slot)
		place->order = (uint8_t)(device->model->spine_chips * (place->slot - 1) +
					 place->chip);
}

/* A router board has three chips; which one this is follows from the wiring, or is guessed. */
static void place_router(const struct model *model, uint64_t spine_guid, unsigned int port,
			 struct chassis_place *place)
{
	static const uint8_t guesses[] = {2, 3, 2, 1};

	if (!model->has_routers)
		place->slot = place->chip = 0;
	else if (model->guesses_routers)
		place->chip = guesses[spine_guid % ARRAY_SIZE(guesses)];
	else
		place->chip = (uint8_t)(3 - (port - 1) % 3);
}

/* Places line boards, routers, and adapters in a router's place, by the spine port they are at. */
static bool place_at_spine(const struct fabric *fabric, uint32_t node,
			   const struct isr_board *device, struct chassis_place *place)
{
	uint32_t port = find_board(fabric, node, BOARD_SPINE), peer;
	const struct fabric_node *spine;
	const struct model *model;
	bool is_line = device && device->board == BOARD_LINE;

	if (port == FABRIC_NONE)
		return device;
	peer = fabric->ports[port].peer;
	spine = fabric_node_of(fabric, peer);
	model = device_of(spine)->model;
	name_model(place, model);
	place->board = is_line ? BOARD_LINE : BOARD_ROUTER;
	follow(&model->to_lines, fabric->ports[peer].number, place);
	if (place->slot && !is_line)
		place_router(model, spine->guid, fabric->ports[peer].number, place);
	if (place->slot)
		place->order = (uint8_t)(is_line && device->line == LINE_4018
						 ? place->slot
						 : 3 * (place->slot - 1) + place->chip);
	return true;
}

/* Copies up to one of the ends, and returns the text from there on; NULL if there is none. */
static const char *take_word(const char *from, const char *ends, char word[CHASSIS_WORD_SIZE])
{
	size_t length = strcspn(from, ends);

	if (!from[length])
		return NULL;
	memcpy(word, from, length);
	word[length] = '\0';
	return from + length;
}

static unsigned int number_after(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= 3 ? (unsigned int)strtoul(text, NULL, 10) : 0;
}

/*
 * The chips of a modular Mellanox switch are called `MF0;SYSTEM:MODEL/L03/U1`, with L for line
 * boards and S for spines, and possibly with `:BOARD` before the last slash.
 */
static bool place_mellanox(const struct fabric_node *node, struct chassis_place *place)
{
	char text[CHASSIS_WORD_SIZE] = "", slot[CHASSIS_WORD_SIZE], board[CHASSIS_WORD_SIZE];
	const unsigned int most[] = {[BOARD_LINE] = 36, [BOARD_SPINE] = 18};
	const char *rest = text;
	unsigned int number;

	if (node->type != NODE_TYPE_SWITCH || !node->has_description ||
	    node_info_vendor_id(node->info) != FABRIC_VENDOR_MELLANOX)
		return false;
	memcpy(text, node->description, NODE_DESCRIPTION_BYTES);
	if (strncmp(text, "MF0;", 4) != 0 || !(rest = take_word(text + 4, ":", place->system)) ||
	    !(rest = take_word(rest + 1, "/", place->model)) ||
	    !(rest = take_word(rest + 1, "/:", slot)) ||
	    (*rest == ':' && !(rest = take_word(rest + 1, "/", board))) || rest[1] != 'U' ||
	    (*slot != 'L' && *slot != 'S'))
		return false;
	place->board = *slot == 'L' ? BOARD_LINE : BOARD_SPINE;
	number = number_after(slot + 1);
	if (number && number <= most[place->board])
		place->slot = place->order = (uint8_t)number;
	number = number_after(rest + 2);
	place->chip = number <= UINT8_MAX ? (uint8_t)number : 0;
	place->of_diags = node_info_device_id(node->info) == 0xbd36; /* InfiniScale IV */
	return true;
}

bool chassis_place_of(const struct fabric *fabric, uint32_t node, struct chassis_place *ret_place)
{
	const struct fabric_node *at = &fabric->nodes[node];
	const struct isr_board *device = device_of(at);
	struct chassis_place place = {.board = device ? device->board : BOARD_UNKNOWN,
				      .of_diags = true};
	bool found = true;

	if (device && device->board == BOARD_SPINE)
		place_spine(fabric, node, device, &place);
	else if (device || at->type != NODE_TYPE_SWITCH)
		found = place_at_spine(fabric, node, device, &place);
	else
		found = place_mellanox(at, &place);
	if (found)
		*ret_place = place;
	return found;
}

/*
 * Outside ports of line boards by chip port (13 to 24). The second chip of a board continues the
 * numbers of the first; on a 2024 board it is the other way round.
 */
static unsigned int line_port(enum line line, unsigned int chip, unsigned int port)
{
	static const uint8_t of_24[] = {6, 5, 4, 18, 17, 16, 1, 2, 3, 13, 14, 15};
	static const uint8_t of_8[] = {2, 6, 1, 5};

	if (line == LINE_4018)
		return port >= 19 && port <= 36 ? port - 18 : 0;
	if (port < 13 || port > 24)
		return 0;
	port -= 13;
	if (line == LINE_24)
		return of_24[port] + 6 * (chip - 1);
	if (line == LINE_8)
		return of_8[port / 3] + 2 * (chip - 1);
	return chip == 1 ? port + 13 : port + 1;
}

unsigned int chassis_outside_port(const struct fabric *fabric, uint32_t port)
{
	const struct fabric_node *node = fabric_node_of(fabric, port);
	const struct isr_board *device = device_of(node);
	unsigned int number = fabric->ports[port].number;
	struct chassis_place place;

	if (!number || (!device && (node_info_vendor_id(node->info) != FABRIC_VENDOR_MELLANOX ||
				    node->type != NODE_TYPE_SWITCH)))
		return 0;
	if (!chassis_place_of(fabric, fabric->ports[port].node, &place))
		return 0;
	if (!device) /* an InfiniScale IV chip of a line board: half of its ports */
		return place.of_diags && place.board == BOARD_LINE && place.slot && number <= 18
			       ? number
			       : 0;
	if (place.chip < 1 || place.chip > 2)
		return 0;
	if (device->board == BOARD_LINE)
		return line_port((enum line)device->line, place.chip, number);
	/* Each outside connector of such a spine has 12 lanes: three ports of 4. */
	if (device->model == &isr4700_double && number >= 19 && number <= 36)
		return (number - 19) / 3 + (place.chip == 1 ? 7 : 1);
	return 0;
}
