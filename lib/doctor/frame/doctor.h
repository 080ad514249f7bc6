/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The verdict on a host: is it set up correctly for RDMA, and if not, what is the cause and the
 * next step? A check is a row of checks.def and a function (doctor/frame/check.h); doctor_run()
 * runs the selected ones on the objects that they apply to, causes before effects, and returns
 * their results. It changes nothing on the host: it loads no module, writes nothing, and opens
 * devices only for the checks that request->probe asks for.
 */
#pragma once

#include "base/mem.h"
#include "host/object.h"
#include "schema/problem.h"

enum doctor_profile {
	PROFILE_AUTO, /* chosen from what the host has: see doctor_run() */
	PROFILE_HPC,
	PROFILE_ROCE,
	PROFILE_GPU,
	PROFILE_CONTAINER,
};

enum doctor_group {
	DOCTOR_STACK,
	DOCTOR_PORT,
	DOCTOR_PCIE,
	DOCTOR_ROCE,
	DOCTOR_LIMITS,
	DOCTOR_CONTAINER,
	DOCTOR_EXPECT,
	DOCTOR_PEER,
	DOCTOR_GROUPS,
};

/* Identifiers of the checks, in the order in which they run: causes first. */
#define CHECK(name_, ...) CHECK_ID_##name_,
enum doctor_check_id {
#include "doctor/frame/checks.def"
	DOCTOR_CHECKS
};
#undef CHECK

/* What a check needs apart from files that any user may read. */
enum doctor_need {
	NEEDS_ROOT = 1 << 0,	 /* a capability: the check says which */
	NEEDS_LIVE = 1 << 1,	 /* netlink or system calls; snapshots record answers */
	NEEDS_INTERVAL = 1 << 2, /* a second reading: --interval or --since */
	NEEDS_PROBE = 1 << 3,	 /* opens a device: --probe */
	NEEDS_PEER = 1 << 4,	 /* --peer HOST */
	NEEDS_EXPECT = 1 << 5,	 /* --expect FILE */
};
enum { DOCTOR_NEED_BITS = 6 };

extern const struct enum_name doctor_check_names[];  /* by enum doctor_check_id: id and title */
extern const struct enum_name doctor_choice_names[]; /* ids, then groups, for --only */
#define doctor_group_names (&doctor_choice_names[DOCTOR_CHECKS])
extern const struct enum_name doctor_need_names[];
extern const struct enum_name doctor_profile_names[];
/* The severities of findings in the words of a verdict: ok, not-checked, note, warning, error. */
extern const struct enum_name verdict_names[];

struct doctor_request {
	const char *root; /* a saved tree instead of the live system, or NULL */
	const struct objects *objects;
	bool run[DOCTOR_CHECKS]; /* the selected checks */
	enum doctor_profile profile;
	uint64_t interval_msec; /* between two readings; 0: only one reading */
	const char *since;	/* a `counters --save` file as the first reading, or NULL */
	const char *expect;	/* an expectation file, or NULL */
	const char *peer;
	bool probe;
	char *const *environment; /* of this process */
};

/* The verdict of one check on one object. The list owns all strings. */
struct doctor_result {
	struct finding finding; /* severity: the verdict; object NULL: the host */
	char *expected, *actual;
	struct strings sources; /* of the evidence: files, netlink requests, system calls */
	struct number because;	/* enum doctor_check_id: the cause, if this check was not run */
	struct number needs;	/* enum doctor_need bits missing, if the check was not run */
	/* The object's name in the next step, and the step with that marked out; or NULL. */
	char *step_name, *step_form;
	char *ignored; /* why the expectation file ignores it; NULL: not ignored */
	bool blocks;   /* later checks cannot judge the object */
	size_t next;   /* next result of the same check: its position + 1, or 0 */
};

struct doctor_results {
	struct doctor_result *items;
	size_t count;
	size_t first[DOCTOR_CHECKS], last[DOCTOR_CHECKS]; /* of each check: position + 1, or 0 */
	size_t blocking[DOCTOR_CHECKS]; /* results of each check that leave nothing to judge */
	enum doctor_profile profile;	/* the one used */
	struct strings not_applicable;	/* ids of checks without an object on this host */
	bool hardware; /* there is an RDMA device or function, or a file expects one */
	bool missing;  /* a named device does not exist, so nothing was checked */
};

/* Return the first result of one check, and the one after `result`; NULL: none. */
const struct doctor_result *doctor_first(const struct doctor_results *results, uint64_t id);
const struct doctor_result *doctor_next(const struct doctor_results *results,
					const struct doctor_result *result);

extern const struct schema doctor_schema;

/*
 * Runs the checks. Facts that should have been readable but were not are added to `problems`.
 * Returns 0, or -errno if the root or the expectation file cannot be read, with the reason among
 * the problems.
 */
int doctor_run(const struct doctor_request *request, struct doctor_results *ret_results,
	       struct problems *problems);
void doctor_results_free(struct doctor_results *results);

/*
 * Writes an expectation file from what the host has, with the profile of the request or the one
 * that the host suggests; the caller frees the text. 0; -ENODEV if there is no device, or another
 * -errno, with the reason among the problems.
 */
int doctor_learn(const struct doctor_request *request, char **ret_text, struct problems *problems);

/*
 * Selects checks: `list` has ids and groups separated by commas. -EINVAL: *ret_bad has the wrong
 * word.
 */
int doctor_select(const char *list, bool value, bool run[static DOCTOR_CHECKS], char **ret_bad);

/* A row of the table of checks, as a record for --list and --explain. */
struct doctor_check;
extern const struct schema doctor_check_schema;
const struct doctor_check *doctor_check(enum doctor_check_id id);

/* One block for findings that differ only in object, its name in the next step, and evidence. */
struct doctor_block {
	const struct doctor_result **results; /* a part of those of struct doctor_blocks */
	size_t count;
	size_t total;	   /* objects that the check examined */
	size_t dependents; /* checks not run because of it */
};

struct doctor_blocks {
	const struct doctor_result **results; /* sorted */
	struct doctor_block *items;
	size_t count;
};

/* Merges and sorts the findings: the worst first, then in table order. */
void doctor_blocks_make(const struct doctor_results *results, struct doctor_blocks *ret_blocks);
void doctor_blocks_free(struct doctor_blocks *blocks);
/*
 * Returns the objects of the block: "mlx5_0/1", "8 of 8 ports"; NULL: the host. The caller frees
 * it.
 */
char *doctor_block_object(const struct doctor_block *block);
/*
 * Returns the first finding's next step, and the other names that it applies to; NULL: none. The
 * caller frees it.
 */
char *doctor_block_step(const struct doctor_block *block);

/* Counts checks, not results, by the worst verdict of each. */
struct doctor_coverage {
	size_t checked;
	size_t made[SEVERITY_ERROR + 1]; /* of them, by enum severity */
	size_t not_checked;		 /* the sum of the next three */
	size_t because;			 /* not run because of another check */
	size_t needs[DOCTOR_NEED_BITS];	 /* not run, by the first bit of their needs */
	size_t unknown;			 /* not completed for another reason */
	size_t partial; /* objects that a check could not examine although it was made on others */
	size_t not_applicable;
};

void doctor_count(const struct doctor_results *results, struct doctor_coverage *ret_coverage);
