/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface for check functions. A check is a row CHECK(function, id, title, members of struct
 * doctor_check) in the .def file of its group, and a function check_FUNCTION() in the folder of the
 * group. The function is called once for each object of its scope that it applies to, adds its
 * evidence with doctor_evidence(), and ends with exactly one verdict for each object it reports on:
 * silence is not ok. So a check returns what the functions that give a verdict return, or
 * doctor_judged() after those of a loop.
 *
 * Reading must not change the host: no module is loaded, and nothing is opened except files and the
 * sockets of interfaces that already exist.
 */
#pragma once

#include "doctor/frame/doctor.h"
#include "doctor/frame/facts.h"

/* The proof of a verdict. Nothing else makes one, so that no path through a check is silent. */
struct judged {
	char nothing;
};

enum doctor_scope {
	ON_HOST,     /* once */
	ON_FUNCTION, /* each PCI function with RDMA hardware: run->function */
	ON_DEVICE,   /* each RDMA device: run->device, and run->function if it has one */
	ON_PORT,     /* each port: run->device, run->port, run->function */
};

/* All texts are full sentences, except title (a noun phrase, lower case) and the lists. */
struct doctor_check {
	const char *id;
	const char *title; /* what is checked, in a few words */
	enum doctor_group group;
	enum doctor_scope scope;
	uint64_t inventory;  /* facts it needs from the inventory: bits of host/need.h */
	uint64_t needs;	     /* bits of enum doctor_need */
	const char *after;   /* ids, separated by blanks, of checks whose error leaves this one
			      * nothing to judge */
	uint64_t transports; /* bits 1 << enum transport of devices it applies to; 0: all */
	bool (*applies)(struct doctor_context *run); /* NULL: every object of the scope */
	bool of_host; /* about the host rather than the container: a note in that profile */
	const char *applies_to; /* `applies` in words */
	const char *question;	/* the question that it answers */
	const char *source;	/* where the fact comes from */
	const char *rule;	/* what is ok, a note, a warning, an error */
	const char *why;	/* why it matters */
	const char *remedy;	/* the next step, unless the function gives a better one */
	struct judged (*check)(struct doctor_context *run);
};

#define ON_TRANSPORT(transport) (UINT64_C(1) << TRANSPORT_##transport)
/*
 * Returns the transport bits of the port, or with NULL those of all ports of the device: an mlx4
 * adapter may have one Ethernet port and one InfiniBand port.
 */
uint64_t doctor_transports(const struct device *device, const struct port *port);

/* One call of a check. */
struct doctor_context {
	struct doctor_facts *facts;
	enum doctor_profile profile; /* never PROFILE_AUTO */
	const struct doctor_check *check;
	struct pci_function *function; /* NULL: the object has none */
	const struct device *device;
	const struct port *port;
	/* Private to the engine. */
	enum doctor_check_id id;
	struct doctor_results *results;
	struct doctor_result pending; /* collected since the last verdict */
	size_t verdicts;	      /* number of verdicts in this call */
};

/* Adds to the evidence of the next verdict; `source` NULL: the source has been named already. */
void doctor_evidence(struct doctor_context *run, const char *source, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns "a, b, c, d and 3 more" for evidence; NULL if there are none. The caller frees it. */
char *doctor_names(const struct strings *names);
/* Replaces one of the texts of the next verdict. */
void doctor_say(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Names the next verdict's object, instead of the scope's: eth2, slurmd[712]. */
#define doctor_object(run, ...) doctor_say(&(run)->pending.finding.object, __VA_ARGS__)
/* Sets the next step of the next verdict, instead of the row's. */
#define doctor_next_step(run, ...) doctor_say(&(run)->pending.finding.next_step, __VA_ARGS__)
/* Sets the expected and the actual value of the next verdict, each as a single value. */
void doctor_expected(struct doctor_context *run, const char *expected, const char *actual);
/* Later checks cannot judge the object, even if the next verdict is not an error. */
void doctor_blocks(struct doctor_context *run);

/* Gives a verdict with its summary: a sentence without the object, lower case, no full stop. */
#define doctor_verdict(run, verdict, ...) \
	(doctor_say(&(run)->pending.finding.summary, __VA_ARGS__), doctor_conclude(run, verdict))
struct judged doctor_conclude(struct doctor_context *run, enum severity verdict);
#define doctor_ok(run, ...)	 doctor_verdict(run, SEVERITY_OK, __VA_ARGS__)
#define doctor_note(run, ...)	 doctor_verdict(run, SEVERITY_NOTICE, __VA_ARGS__)
#define doctor_warning(run, ...) doctor_verdict(run, SEVERITY_WARNING, __VA_ARGS__)
#define doctor_error(run, ...)	 doctor_verdict(run, SEVERITY_ERROR, __VA_ARGS__)
/*
 * Not checked, and why; `needs` are bits of enum doctor_need, or 0. Not a problem of the command.
 */
#define doctor_not_checked(run, needs, ...)                        \
	(doctor_say(&(run)->pending.finding.summary, __VA_ARGS__), \
	 doctor_conclude_unchecked(run, needs))
struct judged doctor_conclude_unchecked(struct doctor_context *run, uint64_t needs);
/*
 * Not checked, because `what` could not be read from `source`: -errno in `rc`. With `needs_root`,
 * EACCES and EPERM of an ordinary user become NEEDS_ROOT; any other error is also a problem of the
 * command (status 3).
 */
struct judged doctor_unread(struct doctor_context *run, const char *what, const char *source,
			    int rc, bool needs_root);
/* Whether root would not get the error. */
bool doctor_needs_root(int rc);
/* Not checked, because the inventory lacks the fact and has reported the problem. */
struct judged doctor_unknown(struct doctor_context *run, const char *what);
/* Not checked, because the verdict of `cause` on this object leaves nothing to judge. */
struct judged doctor_because(struct doctor_context *run, enum doctor_check_id cause);
/* The check does not apply to this object after all. */
struct judged doctor_does_not_apply(struct doctor_context *run);
/* The verdicts were given before, at least one: the lack of any is a bug, and reported as such. */
struct judged doctor_judged(struct doctor_context *run);

/* Whether later checks cannot judge the result's object. */
bool doctor_leaves_nothing(const struct doctor_result *result);
/* Returns the verdict of an earlier check on this object, or on what it is a part of; -1: none. */
int doctor_earlier(const struct doctor_context *run, enum doctor_check_id id);

/* Whether the object is the other one or its part, like mlx5_0/1 of mlx5_0. */
bool doctor_is_in(const char *object, const char *whole);
/* Makes the context be about the host as a whole, whatever the scope of the check. */
void doctor_leave_object(struct doctor_context *run);
/* Returns the name of the context's object, NULL for the host; the caller frees it. */
char *doctor_scope_object(const struct doctor_context *run);
void doctor_result_clear(struct doctor_result *result);
/* For `applies`. Whether the PCI function is known and not virtual. */
bool pcie_is_physical(struct doctor_context *run);
/* Whether the device may be a virtual function: it is one, or has no GUID. */
bool pcie_may_be_virtual(struct doctor_context *run);
/* Whether the host has accelerators and RDMA devices. */
bool pcie_has_accelerator(struct doctor_context *run);

/* For rows: whether there is an RDMA device, or hardware for one. */
bool doctor_may_have_adapters(struct doctor_context *run);
/* For rows: whether it is an Ethernet port. */
bool doctor_is_ethernet_port(struct doctor_context *run);

/* Conditions of rows (.applies). */
bool stack_has_devices(struct doctor_context *run);
bool stack_sees_modules(struct doctor_context *run);
bool container_has_devices(struct doctor_context *run);

#define CHECK(name_, ...) struct judged check_##name_(struct doctor_context *run);
#include "doctor/frame/checks.def"
#undef CHECK

struct selftest_results;
/*
 * The verdict on the data path to a peer, separate from the tests: reports one finding for each
 * failed test, or one that lists what passed; `peer` is clean text.
 */
struct judged doctor_judge_peer(struct doctor_context *run, const char *peer,
				const struct selftest_results *results);

/* More conditions of rows (.applies). */
bool limits_apply_to_accelerators(struct doctor_context *run);
bool limits_apply_to_latency(struct doctor_context *run); /* profiles hpc and gpu */
bool limits_apply_to_function(struct doctor_context *run);
bool expect_wants_ports(struct doctor_context *run);
