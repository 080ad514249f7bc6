/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of rdmactl fabric --save: the input is one of them, or two separated by a NUL. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/check/check.h"
#include "fabric/diff/diff.h"
#include "fabric/format/drawing.h"
#include "fabric/route/multicast.h"
#include "graph_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t compare(const struct fabric *before, const struct fabric *after)
{
	const struct fabric_view views[] = {{.fabric = before}, {.fabric = after}};
	struct fabric_changes changes = {.items = NULL};
	size_t count;

	fabric_compare(&views[0], &views[1], COMPARE_ALL, &changes);
	count = changes.count;
	for (size_t i = 0; i < count; i++) {
		check_clean(changes.items[i].node);
		check_clean(changes.items[i].texts[BEFORE]);
		check_clean(changes.items[i].texts[AFTER]);
	}
	fabric_changes_clear(&changes);
	return count;
}

/* Every loop has a packet for each of its channels, and words without control characters. */
static void check_loops(const struct fabric *fabric, const struct credit_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++) {
		const struct credit_loop *loop = &loops->items[i];

		if (loop->count < 2 || loop->count > loop->ports)
			abort();
		for (size_t j = 0; j < loop->count; j++)
			if (loop->waits[j].wanted != loop->waits[(j + 1) % loop->count].held ||
			    !forwarding_is_end(fabric, loop->waits[j].source))
				abort();
	}
}

static void find_loops(const struct fabric *fabric, const struct forwarding *forwarding)
{
	const struct fabric_view view = {.fabric = fabric};
	struct credit_study study = {.question = CREDIT_OF_SLS, .sls = UINT16_MAX};
	struct fabric_findings findings = {.items = NULL};

	credit_study_begin(fabric, forwarding, &study);
	if (study.any.count) {
		credit_pairs_list(fabric, forwarding, &study.any, 3, &study.pairs);
		credit_study_end(fabric, forwarding, &study);
	}
	check_loops(fabric, &study.any);
	check_loops(fabric, &study.sure);
	check_loops(fabric, &study.loops);
	fabric_check(&(const struct fabric_check_input){.view = &view,
							.forwarding = forwarding,
							.credit = &study},
		     &findings);
	for (size_t i = 0; i < findings.count; i++)
		check_clean(findings.items[i].finding.evidence);
	fabric_findings_clear(&findings);
	credit_study_clear(&study);
}

/* The tables in the file lead along its cables, where they lead anywhere; loops end. */
static void follow_tables(const struct fabric *fabric)
{
	const struct multicast_members unknown = {.known = false};
	const struct fabric_view view = {.fabric = fabric};
	struct forwarding forwarding = {.tables = NULL};
	struct balance balance = {.routes = NULL};

	forwarding_recall(fabric, NULL, 0, FORWARDING_LINEAR | FORWARDING_MULTICAST, &forwarding);
	balance_count(fabric, &forwarding, &balance);
	balance_clear(&balance);
	find_loops(fabric, &forwarding);
	for (uint16_t mlid = FORWARDING_LIDS; mlid < FORWARDING_LIDS + 3; mlid++) {
		struct multicast_tree tree = {.hops = NULL};

		multicast_tree_fill(fabric, &forwarding, mlid, &unknown, &tree);
		for (unsigned int i = 0; i < MULTICAST_FAULTS; i++) {
			const enum multicast_fault fault = 1 << i;
			const struct multicast_hop *first = NULL;
			const size_t count = multicast_count_faults(&tree, fault, &first);
			char *text = count ? multicast_fault_text(&view, &tree, fault, count, first)
					   : NULL;

			check_clean(text);
			free(text);
		}
		multicast_tree_clear(&tree);
	}
	forwarding_clear(&forwarding);
}

/* Passes each line to the check, which gets it without the tabs that indent it. */
static void check_lines(char *text, void (*check)(const char *line))
{
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
		check(line + strspn(line, "\t"));
	free(text);
}

static void check_slurm_line(const char *line)
{
	check_clean(line);
	if (*line && *line != '#' && strncmp(line, "SwitchName=", strlen("SwitchName=")))
		abort();
}

/*
 * No name ends a string or a label of Graphviz: strings and labels end on their line, and so do
 * brackets outside of them.
 */
static void check_dot_line(const char *line)
{
	int brackets = 0, tags = 0;
	bool quoted = false;

	check_clean(line);
	for (; *line; line++) {
		if (quoted && *line == '\\' && line[1])
			line++;
		else if (*line == '"')
			quoted = !quoted;
		else if (!quoted && !strncmp(line, "->", 2))
			line++;
		else if (!quoted && (*line == '<' || *line == '>'))
			tags += *line == '<' ? 1 : -1;
		else if (!quoted && !tags && (*line == '[' || *line == ']'))
			brackets += *line == '[' ? 1 : -1;
		if (tags < 0 || brackets < 0)
			abort();
	}
	if (quoted || tags || brackets)
		abort();
}

static void draw(const struct fabric *fabric)
{
	static const enum drawing_scheme schemes[] = {DRAWING_STATE, DRAWING_LEVEL, DRAWING_DEVICE};
	const struct fabric_view view = {.fabric = fabric};
	struct problems problems = {.count = 0};

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		const struct drawing_options options = {.all = i, .scheme = schemes[i]};

		check_lines(fabric_dot_text(&view, &options), check_dot_line);
	}
	check_lines(fabric_tree_text(&view, false), check_clean);
	check_lines(fabric_tree_text(&view, true), check_clean);
	check_lines(fabric_slurm_text(&view, &problems), check_slurm_line);
	problems_free(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	const size_t lengths[] = {nul ? (size_t)(nul - data) : size,
				  nul ? size - 1 - (size_t)(nul - data) : 0};
	struct fabric fabrics[] = {{.nodes = NULL}, {.nodes = NULL}};

	for (size_t i = 0; i < 2; i++) {
		/* The copy has exactly this size, so that the sanitizer sees every overrun. */
		char *copy = mem_alloc_zero(lengths[i], 1);

		if (lengths[i])
			memcpy(copy, data + (i ? lengths[0] + 1 : 0), lengths[i]);
		if (read_graph(copy, lengths[i], &fabrics[i])) {
			check_round_trip(&fabrics[i]);
			if (compare(&fabrics[i], &fabrics[i]))
				abort();
			follow_tables(&fabrics[i]);
			draw(&fabrics[i]);
		}
		free(copy);
	}
	compare(&fabrics[0], &fabrics[1]);
	compare(&fabrics[1], &fabrics[0]);
	fabric_clear(&fabrics[0]);
	fabric_clear(&fabrics[1]);
	return 0;
}
