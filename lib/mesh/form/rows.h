/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A result as a row: a line of JSON, written while the mesh runs, and read by a later run that
 * resumes an interrupted one.
 */
#pragma once

#include "mesh/plan/plan.h"
#include "schema/schema.h"

/* Borrows the mode and the names of hosts; a row that was made has its reason in `result`. */
struct mesh_row {
	struct number stage;
	char *mode; /* of the stage; NULL in the second pass, or in an older file */
	struct number round;
	char *host, *peer;
	struct number rail, peer_rail;
	char *device, *peer_device; /* of these rails; owned */
	enum tristate again;
	struct number outcome;	   /* enum mesh_outcome */
	struct mesh_result result; /* its figures; the host is end A */
	char *reason;
	enum tristate older_agent;
};

extern const struct schema mesh_rows_schema;

void mesh_row_make(const struct mesh_host *hosts, char *mode, const struct mesh_result *result,
		   struct mesh_row *ret_row);
/* Frees what a row of mesh_row_make() owns. */
void mesh_row_free(struct mesh_row *row);

struct mesh_rows_read {
	uint64_t taken;
	uint64_t unused; /* rows of hosts that are not in this run, or of other ports */
	char *cause;	 /* of the first of them; to be freed */
	uint64_t broken; /* lines that are not results */
	char *reason;	 /* of the first of them: `line 7: ...`; to be freed */
};

/*
 * Passes each result of the text to `take`. An incomplete last line, as a killed run leaves, is no
 * error. Everything in the text may be wrong.
 */
void mesh_rows_read(const char *text, size_t length, const struct mesh_host *hosts,
		    uint32_t host_count,
		    void (*take)(void *context, const struct mesh_result *result), void *context,
		    struct mesh_rows_read *ret_read);

/*
 * Whether the stages in the text match the modes of a plan; the text may have more or fewer. If
 * not, *ret_stage is the first that differs and *ret_mode its mode in the text, to be freed.
 */
bool mesh_rows_fit(const char *text, size_t length, const struct strings *modes,
		   uint32_t *ret_stage, char **ret_mode);

/* Set of pairs, such as those that have a result. {0} is empty. */
struct mesh_done {
	/*
	 * Stages, as bits, in which a pair is another one the other way round: in an incast, each
	 * host sends to others and then receives from them.
	 */
	uint32_t directed;
	uint64_t *keys;
	size_t places, count;
};

void mesh_done_add(struct mesh_done *done, uint32_t stage, const struct mesh_pair *pair);
void mesh_done_remove(struct mesh_done *done, uint32_t stage, const struct mesh_pair *pair);
bool mesh_done_has(const struct mesh_done *done, uint32_t stage, const struct mesh_pair *pair);
void mesh_done_clear(struct mesh_done *done);
