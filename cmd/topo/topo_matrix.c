/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl topo: the matrix. Its columns are the nodes, so its schema is made at run time. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/topo/topo_run.h"

/* The columns after the cells. */
static const struct {
	const char *key, *heading;
} tail[] = {
	{"numa", "NUMA"}, {"cpus", "CPUS"}, {"link", "LINK"}, {"best", "BEST"}, {"pci", "PCI"},
};

enum { TAIL = ARRAY_SIZE(tail) };

/* Classes and marks that the matrix has. */
struct legend {
	bool classes[TOPOLOGY_CLASS_UNKNOWN + 1];
	bool redirected, c2c;
	const struct hidden_fabric *hidden;
};

struct matrix {
	struct schema schema;
	struct field *fields;
	size_t width; /* pointers in a row */
	char **cells; /* rows of `width` strings */
	const void **rows;
	struct legend legend;
};

static char *numa_text(const struct topology_node *node)
{
	const char *source = enum_word(topology_source_names, node->numa_source.value, "?");

	if (!node->numa_node.known)
		return mem_string(node->role.value == TOPOLOGY_SOFTWARE ? "-" : "?");
	if (node->numa_source.value == TOPOLOGY_MEASURED)
		return mem_format("%u", (unsigned int)node->numa_node.value);
	return mem_format("%u (%s)", (unsigned int)node->numa_node.value, source);
}

/* The word, with `*` if ACS redirects, and `?` if a faster fabric would not be visible. */
static char *cell_text(const struct topo_run *run, struct legend *legend,
		       const struct topology_node *a, const struct topology_node *b)
{
	struct topology_pair pair;
	bool redirected, hidden;

	topology_compare(&run->topology, a, b, &pair);
	redirected = pair.redirected == TRISTATE_YES;
	hidden = pair.fabric_hidden == TRISTATE_YES && pair.class.value != TOPOLOGY_CLASS_UNKNOWN;
	legend->classes[pair.class.value] = true;
	legend->redirected |= redirected;
	legend->c2c |= pair.c2c;
	if (hidden)
		legend->hidden = topology_hidden_fabric(pair.node);
	return mem_format("%s%s%s", topology_word(&pair, topo_dialect(run)), redirected ? "*" : "",
			  hidden ? "?" : "");
}

static void add_field(struct matrix *matrix, const char *key, const char *heading)
{
	struct field *field = &matrix->fields[matrix->schema.field_count];

	*field = (struct field){
		.key = field_make_text(key, heading, key),
		.kind = FIELD_STRING,
		.flags = FIELD_DEFAULT,
		.offset = matrix->schema.field_count++ * sizeof(char *),
	};
}

static void fill_row(const struct topo_run *run, struct matrix *matrix, size_t row)
{
	char **cells = matrix->cells + row * matrix->width;
	const struct topology_node *node = run->rows[row];
	char *const more[] = {
		numa_text(node),
		mem_string(node->cpus ? node->cpus : "-"),
		topology_link_text(&node->speed_gtps, &node->width_lanes),
		topology_link_text(&node->max_speed_gtps, &node->max_width_lanes),
		mem_string(node->pci_address ? node->pci_address : "-"),
	};

	*cells++ = mem_string(node->name);
	for (size_t i = 0; i < run->count; i++)
		*cells++ = cell_text(run, &matrix->legend, node, run->nodes[i]);
	memcpy(cells, more, sizeof(more));
	matrix->rows[row] = matrix->cells + row * matrix->width;
}

static void make_matrix(const struct topo_run *run, struct matrix *matrix)
{
	matrix->width = 1 + run->count + TAIL;
	matrix->fields = mem_alloc_zero(matrix->width, sizeof(*matrix->fields));
	matrix->cells = mem_alloc_zero(matrix->width * run->row_count, sizeof(*matrix->cells));
	matrix->rows = mem_alloc_zero(run->row_count, sizeof(*matrix->rows));
	matrix->schema = (struct schema){.name = "matrix", .fields = matrix->fields};
	add_field(matrix, "node", "NODE");
	for (size_t i = 0; i < run->count; i++)
		add_field(matrix, run->nodes[i]->name, run->nodes[i]->name);
	for (size_t i = 0; i < TAIL; i++)
		add_field(matrix, tail[i].key, tail[i].heading);
	for (size_t i = 0; i < run->row_count; i++)
		fill_row(run, matrix, i);
}

static void clear_matrix(const struct topo_run *run, struct matrix *matrix)
{
	for (size_t i = 0; i < matrix->width * run->row_count; i++)
		free(matrix->cells[i]);
	free(matrix->cells);
	for (size_t i = 0; i < matrix->schema.field_count; i++)
		free((void *)(uintptr_t)matrix->fields[i].key);
	free(matrix->fields);
	free(matrix->rows);
}

static void add_line(struct text_buffer *text, const char *word, const char *help)
{
	text_buffer_add(text, "%-6s %s\n", word, help);
}

/* Classes that share a word in the dialect also share a line. */
static void add_classes(struct text_buffer *text, const struct legend *legend,
			enum topology_dialect dialect)
{
	const char *last = "";

	for (const struct enum_name *name = topology_class_names; name->word; name++) {
		const struct topology_pair pair = {.class = number_of(name->value)};
		const char *word = topology_word(&pair, dialect);

		if (!legend->classes[name->value])
			continue;
		if (strcmp(word, last))
			text_buffer_add(text, "\n%-6s %s", word, name->help);
		else
			text_buffer_add(text, ", or %s", name->help);
		last = word;
	}
	text_buffer_add(text, "\n");
}

static int print_legend(const struct topo_run *run, const struct legend *legend)
{
	const enum topology_dialect dialect = topo_dialect(run);
	struct text_buffer text = {.text = NULL};

	add_classes(&text, legend, dialect);
	if (legend->c2c && dialect == DIALECT_NCCL)
		add_line(&text, "P2C",
			 "one NUMA node, and NVLink-C2C from the CPU to the GPU (inferred)");
	if (legend->redirected)
		add_line(&text, "*",
			 "judging by IOMMU groups, ACS seems to send the traffic via the host "
			 "bridge");
	if (legend->hidden)
		text_buffer_add(&text,
				"?      after a word: this is the PCIe path; only %s can see %s\n",
				legend->hidden->library, legend->hidden->link);
	add_line(&text, "LINK", "PCIe link now; BEST: what both of its ends can do");
	topo_add_doubts(run, &text);
	return topo_print(&text);
}

int topo_print_matrix(struct topo_run *run)
{
	const struct render_options options = listing_options(&run->listing);
	const struct globals *globals = &run->listing.ctx->globals;
	_cleanup_(columns_free) struct columns columns = {.schema = NULL};
	struct matrix matrix = {.width = 0};
	struct document document = {.columns = &columns, .row_count = run->row_count};
	int rc;

	make_matrix(run, &matrix);
	columns = columns_of(&matrix.schema, COLUMNS_DEFAULT);
	document.rows = matrix.rows;
	rc = render(stdout, &options, &document);
	if (!rc && !globals->tsv && !globals->no_headings && !globals->quiet)
		rc = print_legend(run, &matrix.legend);
	clear_matrix(run, &matrix);
	return rc;
}
