/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/form/heat.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/* In ascending order of badness. */
enum warmth {
	HEAT_EMPTY, /* not tested, or nothing was measured */
	HEAT_GOOD,
	HEAT_LOW,
	HEAT_HALF,
	HEAT_LEAST,
	HEAT_FAILED,
	HEAT_KINDS,
};

/*
 * For each kind: the least share of the median, the words in the legend (where each entry continues
 * the one before it), and the words for a cell.
 */
static const struct {
	double share;
	char letter;
	const char *color, *words, *of_cell;
} kinds[HEAT_KINDS] = {
	[HEAT_EMPTY] = {0, ' ', "#f5f7fa", "not tested", NULL},
	[HEAT_GOOD] = {0.93, '.', "#8fd3b0", "93 % of the median or more", NULL},
	[HEAT_LOW] = {0.75, '-', "#f2d16b", "75 %", "less than 93 % of the median"},
	[HEAT_HALF] = {0.5, '+', "#f2994a", "50 %", "less than 75 % of the median"},
	[HEAT_LEAST] = {0, '#', "#d64545", "less", "less than 50 % of the median"},
	[HEAT_FAILED] = {0, 'X', "#1f2933", "failed", "failed"},
};

struct cell {
	float least; /* Gb/s */
	bool measured, passed, failed;
};

struct heat {
	const struct mesh_host *hosts;
	uint32_t host_count, bins;
	uint32_t *place_of;	       /* of each host */
	uint32_t *host_at;	       /* of each place */
	struct cell *cells[HEAT_MAPS]; /* NULL: no result yet */
};

struct heat *heat_new(const struct mesh_host *hosts, uint32_t host_count, const uint32_t *order)
{
	struct heat *heat = mem_alloc_zero(1, sizeof(*heat));

	heat->hosts = hosts;
	heat->host_count = host_count;
	heat->bins = host_count < HEAT_MOST_BINS ? host_count : HEAT_MOST_BINS;
	heat->place_of = mem_alloc_zero((size_t)host_count + 1, sizeof(*heat->place_of));
	heat->host_at = mem_alloc_zero((size_t)host_count + 1, sizeof(*heat->host_at));
	for (uint32_t i = 0; i < host_count; i++) {
		heat->host_at[i] = order ? order[i] : i;
		heat->place_of[heat->host_at[i]] = i;
	}
	return heat;
}

void heat_free(struct heat *heat)
{
	if (!heat)
		return;
	for (size_t i = 0; i < HEAT_MAPS; i++)
		free(heat->cells[i]);
	free(heat->place_of);
	free(heat->host_at);
	free(heat);
}

static uint32_t bin_of(const struct heat *heat, uint32_t host)
{
	return (uint32_t)((uint64_t)heat->place_of[host] * heat->bins / heat->host_count);
}

static void take(struct heat *heat, uint32_t map, uint32_t from, uint32_t to,
		 const struct mesh_result *result, struct real gbps)
{
	struct cell *cell;

	if (!heat->cells[map])
		heat->cells[map] = mem_alloc_zero((size_t)heat->bins * heat->bins, sizeof(*cell));
	cell = &heat->cells[map][bin_of(heat, from) * heat->bins + bin_of(heat, to)];
	cell->failed |= result->outcome == MESH_FAIL;
	cell->passed |= result->outcome == MESH_PASS;
	if (!gbps.known || (cell->measured && (double)cell->least <= gbps.value))
		return;
	cell->measured = true;
	cell->least = (float)gbps.value;
}

void heat_take(struct heat *heat, const struct mesh_result *result)
{
	const struct mesh_pair *pair = &result->pair;
	const struct real *both = result->both_gbps;
	struct real sum;

	if (!mesh_was_tested(result->outcome) || pair->a >= heat->host_count ||
	    pair->b >= heat->host_count || pair->rail_a >= MESH_MOST_RAILS ||
	    pair->rail_b >= MESH_MOST_RAILS)
		return;
	take(heat, pair->rail_a, pair->a, pair->b, result, result->gbps[MESH_END_A]);
	take(heat, pair->rail_b, pair->b, pair->a, result, result->gbps[MESH_END_B]);
	if (!both[MESH_END_A].known || !both[MESH_END_B].known)
		return;
	sum = real_of(both[MESH_END_A].value + both[MESH_END_B].value);
	take(heat, HEAT_BOTH_WAYS + pair->rail_a, pair->a, pair->b, result, sum);
	take(heat, HEAT_BOTH_WAYS + pair->rail_b, pair->b, pair->a, result, sum);
}

static enum warmth warmth_of(const struct cell *cell, double median)
{
	double share;

	if (cell->failed)
		return HEAT_FAILED;
	if (!cell->measured || median <= 0)
		return cell->passed ? HEAT_GOOD : HEAT_EMPTY;
	share = (double)cell->least / median;
	for (enum warmth i = HEAT_GOOD; i < HEAT_LEAST; i++)
		if (share >= kinds[i].share)
			return i;
	return HEAT_LEAST;
}

static uint32_t first_of_bin(const struct heat *heat, uint32_t bin)
{
	return (uint32_t)(((uint64_t)bin * heat->host_count + heat->bins - 1) / heat->bins);
}

/* `n17`, or `n17 to n24`; to be freed. */
static char *name_of_bin(const struct heat *heat, uint32_t bin)
{
	const uint32_t first = first_of_bin(heat, bin), end = first_of_bin(heat, bin + 1);
	const char *name = heat->hosts[heat->host_at[first]].name;
	const char *last = heat->hosts[heat->host_at[end - 1]].name;

	if (end - first < 2)
		return mem_string(name ? name : "?");
	return mem_format("%s to %s", name ? name : "?", last ? last : "?");
}

/* Says how many hosts a cell covers, or is empty; to be freed. */
static char *bin_words(const struct heat *heat)
{
	if (heat->bins == heat->host_count)
		return mem_string("");
	return mem_format("; a cell is the worst pair of up to %" PRIu32 " x %" PRIu32 " hosts",
			  (heat->host_count + heat->bins - 1) / heat->bins,
			  (heat->host_count + heat->bins - 1) / heat->bins);
}

/* In pixels. */
enum {
	HEAT_MAP = 384,
	HEAT_GAP = 24,
	HEAT_MARGIN = 24,
	HEAT_HEAD = 56,
	HEAT_LABEL = 18,
	MAPS_A_ROW = 4
};

/* Adjacent good cells become one rectangle. A bad cell has a text of its own. */
static void add_run(struct text_buffer *text, const struct heat *heat, uint32_t row, uint32_t from,
		    uint32_t to, enum warmth warmth)
{
	const double size = (double)HEAT_MAP / heat->bins;
	_cleanup_(freep) char *sender = NULL, *receiver = NULL;

	if (warmth == HEAT_EMPTY)
		return;
	text_buffer_add(text,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"k%d\"",
			from * size, row * size, (to - from) * size, size, warmth);
	if (warmth == HEAT_GOOD) {
		text_buffer_add(text, "/>\n");
		return;
	}
	sender = name_of_bin(heat, row);
	receiver = name_of_bin(heat, from);
	text_buffer_add(text, "><title>");
	text_buffer_add_xml(text, sender);
	text_buffer_add(text, first_of_bin(heat, row + 1) - first_of_bin(heat, row) > 1
				      ? " send to "
				      : " sends to ");
	text_buffer_add_xml(text, receiver);
	text_buffer_add(text, ": %s</title></rect>\n", kinds[warmth].of_cell);
}

static void add_map(struct text_buffer *text, const struct heat *heat, uint32_t map, double median)
{
	for (uint32_t row = 0; row < heat->bins; row++)
		for (uint32_t from = 0, to; from < heat->bins; from = to) {
			const struct cell *cells = &heat->cells[map][row * heat->bins];
			const enum warmth warmth = warmth_of(&cells[from], median);

			to = from + 1;
			/* Each bad cell has its own text. */
			while (warmth <= HEAT_GOOD && to < heat->bins &&
			       warmth_of(&cells[to], median) == warmth)
				to++;
			add_run(text, heat, row, from, to, warmth);
		}
}

char *heat_svg(const struct heat *heat, const double medians[static HEAT_MAPS])
{
	_cleanup_(freep) char *words = bin_words(heat);
	struct text_buffer text = {0};
	unsigned int maps = 0, at = 0, columns, rows;

	for (uint32_t map = 0; map < HEAT_MAPS; map++)
		maps += heat->cells[map] != NULL;
	columns = maps < MAPS_A_ROW ? maps + !maps : MAPS_A_ROW;
	rows = (maps + MAPS_A_ROW - 1) / MAPS_A_ROW;
	text_buffer_add(&text,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
			"font-family=\"sans-serif\" font-size=\"12\">\n<style>rect.k0{fill:%s}",
			2 * HEAT_MARGIN + columns * HEAT_MAP + (columns - 1) * HEAT_GAP,
			HEAT_HEAD + rows * (HEAT_LABEL + HEAT_MAP + HEAT_GAP),
			kinds[HEAT_EMPTY].color);
	for (int i = HEAT_GOOD; i < HEAT_KINDS; i++)
		text_buffer_add(&text, ".k%d{fill:%s}", i, kinds[i].color);
	text_buffer_add(&text,
			"</style>\n<text x=\"%u\" y=\"20\">%" PRIu32
			" hosts: rows send, columns receive%s</text>\n",
			HEAT_MARGIN, heat->host_count, words);
	for (int i = HEAT_GOOD; i < HEAT_KINDS; i++)
		text_buffer_add(&text,
				"<rect x=\"%d\" y=\"30\" width=\"12\" height=\"12\" "
				"class=\"k%d\"/><text x=\"%d\" y=\"40\">%s</text>\n",
				HEAT_MARGIN + (i - 1) * 76 + (i > 1) * 110, i,
				HEAT_MARGIN + (i - 1) * 76 + (i > 1) * 110 + 16, kinds[i].words);
	for (uint32_t map = 0; map < HEAT_MAPS; map++) {
		if (!heat->cells[map])
			continue;
		text_buffer_add(&text,
				"<g transform=\"translate(%u %u)\"><text y=\"-5\">rail %u%s</text>"
				"<rect width=\"%u\" height=\"%u\" class=\"k0\"/>\n",
				HEAT_MARGIN + at % MAPS_A_ROW * (HEAT_MAP + HEAT_GAP),
				HEAT_HEAD + HEAT_LABEL +
					at / MAPS_A_ROW * (HEAT_LABEL + HEAT_MAP + HEAT_GAP),
				map % HEAT_BOTH_WAYS,
				map < HEAT_BOTH_WAYS ? "" : ", both ways at once, the sum",
				HEAT_MAP, HEAT_MAP);
		add_map(&text, heat, map, medians[map]);
		text_buffer_add(&text, "</g>\n");
		at++;
	}
	text_buffer_add(&text, "</svg>\n");
	return text_buffer_take(&text);
}

/* The worst of all maps, over the cells that one letter covers. */
static enum warmth worst_of(const struct heat *heat, const double *medians, uint32_t row,
			    uint32_t column, uint32_t step)
{
	enum warmth worst = HEAT_EMPTY;

	for (uint32_t map = 0; map < HEAT_MAPS; map++)
		for (uint32_t i = row; heat->cells[map] && i < row + step && i < heat->bins; i++)
			for (uint32_t j = column; j < column + step && j < heat->bins; j++) {
				enum warmth warmth = warmth_of(
					&heat->cells[map][i * heat->bins + j], medians[map]);

				if (warmth > worst)
					worst = warmth;
			}
	return worst;
}

char *heat_text(const struct heat *heat, const double medians[static HEAT_MAPS],
		unsigned int columns)
{
	/* A letter and a blank per cell make it square; names are at the left. */
	enum { NAME = 16, LEAST_CELLS = 8 };
	const unsigned int room = columns > NAME + 2 * LEAST_CELLS ? (columns - NAME) / 2
								   : LEAST_CELLS;
	const uint32_t step = heat->bins ? (heat->bins + room - 1) / room : 1;
	struct text_buffer text = {0};
	_cleanup_(freep) char *words = NULL;
	uint32_t letters = 0;

	for (uint32_t row = 0; row < heat->bins; row += step, letters++) {
		const char *name = heat->hosts[heat->host_at[first_of_bin(heat, row)]].name;

		text_buffer_add(&text, "%-*.*s", NAME, NAME - 1, name ? name : "?");
		for (uint32_t column = 0; column < heat->bins; column += step)
			text_buffer_add(&text, "%s%c", column ? " " : "",
					kinds[worst_of(heat, medians, row, column, step)].letter);
		while (text.length && text.text[text.length - 1] == ' ')
			text.text[--text.length] = '\0';
		text_buffer_add(&text, "\n");
	}
	if (letters && letters < heat->host_count)
		words = mem_format("; a letter is the worst of up to %" PRIu32 " x %" PRIu32
				   " hosts, and the name that of the first",
				   (heat->host_count + letters - 1) / letters,
				   (heat->host_count + letters - 1) / letters);
	text_buffer_add(
		&text,
		"rows send, columns receive, the worst of all rails: . %s, - %s, + %s, # %s, "
		"X %s%s\n",
		kinds[HEAT_GOOD].words, kinds[HEAT_LOW].words, kinds[HEAT_HALF].words,
		kinds[HEAT_LEAST].words, kinds[HEAT_FAILED].words, words ? words : "");
	return text_buffer_take(&text);
}
