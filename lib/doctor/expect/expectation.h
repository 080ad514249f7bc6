/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The document of an expectation file, schema rdmactl/expect/1, parsed into a struct that owns
 * everything. man/rdmactl-doctor.1 describes it. Independent of any host.
 */
#pragma once

#include "schema/value.h"

#define EXPECTATION_SCHEMA "rdmactl/expect/1"

/* What a file can want from the selected devices together or from each of them. */
enum wanted_key {
	WANTED_COUNT, /* of devices */
	WANTED_ACTIVE_PORTS,
	WANTED_FIRMWARE,
	WANTED_DRIVER,
	WANTED_LINK_LAYER,
	WANTED_RATE,
	WANTED_MTU,
	WANTED_PCIE_SPEED,
	WANTED_PCIE_WIDTH,
	WANTED_KEYS,
};

/* What the value belongs to: all selected devices together, each device, or each port. */
enum wanted_scope { OF_ALL, OF_DEVICE, OF_PORT };

struct wanted_row {
	const char *key;   /* in the file */
	const char *title; /* in messages */
	enum wanted_scope scope;
	bool words; /* else numbers */
	bool pcie;  /* a member of pcie */
};

extern const struct wanted_row wanted_rows[WANTED_KEYS];

/* A wanted value: one from a list, or a minimum. */
struct wanted {
	bool known;
	size_t at; /* offset in the text */
	bool at_least;
	double least;
	double *numbers;
	size_t number_count;
	struct strings words;
};

enum selector_kind { SELECT_BOARD, SELECT_PCI, SELECT_DEVICE };

struct selector {
	enum selector_kind kind;
	char *name; /* PCI addresses and device names may have the wildcards of fnmatch(3) */
	size_t at;
	struct wanted wanted[WANTED_KEYS];
};

struct ignored {
	char *pci, *device, *port; /* NULL: any */
	struct number check;	   /* enum doctor_check_id; unknown: any */
	char *why;
	size_t at;
	bool matched; /* used by the caller */
};

struct expectation {
	char *text;
	struct number profile; /* enum doctor_profile */
	struct wanted memlock; /* bytes; INFINITY: unlimited */
	struct selector *selectors;
	size_t selector_count;
	struct ignored *ignored;
	size_t ignored_count;
};

/*
 * Parses the text. 0, or -EINVAL with a line in *ret_message that says what is wrong and where; the
 * caller frees it.
 */
int expectation_parse(const char *text, size_t length, struct expectation *ret_expectation,
		      char **ret_message);
void expectation_clear(struct expectation *expectation);
/* Returns "line 3, column 7" for an offset; the caller frees it. */
char *expectation_place(const struct expectation *expectation, size_t at);

bool wanted_allows_number(const struct wanted *wanted, double number);
bool wanted_allows_word(const struct wanted *wanted, const char *word);
/* Returns "400", "unlimited"; the caller frees it. */
char *wanted_number_text(double number);
/* Returns "at least 400", "28.43.2026 or 28.43.1014"; the caller frees it. */
char *wanted_text(const struct wanted *wanted);
