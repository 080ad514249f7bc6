/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the checks of the group stack: the modules, the auxiliary devices and what a PCI
 * function lacks to become an RDMA device. Everything is read once, when first needed.
 */
#pragma once

#include <sys/stat.h>

#include "doctor/frame/check.h"
#include "host/pci/rdma_drivers.h"
#include "kernel/modules.h"
#include "kernel/verbs/providers.h"

/* A device on the auxiliary bus, which a PCI driver makes for other drivers. */
struct auxiliary_device {
	char *name;    /* mlx5_core.rdma.0 */
	char *address; /* of the PCI function above it */
	bool rdma;     /* is an RDMA half */
	bool bound;    /* bound to a driver */
	int rc;	       /* -errno: why `bound` is unknown */
};

struct auxiliary_devices {
	struct auxiliary_device *items;
	size_t count;
	int rc; /* -errno: why they cannot be listed; -ENOENT: the kernel has no such bus */
};

/* The RDMA half of a PCI function, best case first. */
enum rdma_half {
	HALF_HAS_DEVICE,    /* has an RDMA device */
	HALF_IS_SHARED,	    /* another function's device serves both: a bond of mlx5 */
	HALF_MAY_BE_SHARED, /* another one's device may or may not serve both */
	HALF_IS_HIDDEN,	    /* has a driver, but no RDMA device visible here */
	HALF_UNBOUND,	    /* an auxiliary device without a driver */
	HALF_NOT_MADE,	    /* the driver makes auxiliary devices, but none for RDMA */
	HALF_UNSEEN,	    /* this kernel's driver has no auxiliary devices: nothing to see */
	HALF_UNREADABLE,    /* the auxiliary devices cannot be read */
};

/* The state of a PCI function, for the checks of the chain up to its RDMA device. */
struct function_state {
	const struct rdma_driver *row;		  /* NULL: an RDMA device of an unknown driver */
	bool certain;				  /* it has RDMA: doctor_rdma_driver() */
	const char *module;			  /* of its RDMA half, in this kernel */
	bool has_driver;			  /* the row's driver is bound to the function */
	enum rdma_half half;			  /* valid if has_driver */
	const struct auxiliary_device *auxiliary; /* the unbound RDMA half, or the bound one */
	const struct device *device;		  /* its RDMA device, or the card's */
	int rc; /* -errno: why the auxiliary devices cannot be read */
	/* The module whose absence matters; NULL: nothing is missing. */
	const char *missing;
	enum tristate loaded; /* that module, or the RDMA half's; built-in counts, too */
};

/*
 * Returns the driver of an RDMA function; NULL: it is not one. *ret_certain: it certainly is,
 * because its driver always has RDMA, or has made an RDMA half.
 */
const struct rdma_driver *doctor_rdma_driver(struct doctor_facts *facts,
					     struct pci_function *function, bool *ret_certain);

void function_state_read(struct doctor_context *run, struct function_state *ret_state);

const struct auxiliary_devices *doctor_auxiliary_devices(struct doctor_facts *facts);
const struct module_rules *doctor_module_rules(struct doctor_facts *facts);
const struct module_files *doctor_module_files(struct doctor_facts *facts);
const char *doctor_built_in_modules(struct doctor_facts *facts); /* as modules_read_built_in() */
/* Whether the module is in the kernel, loaded or built in. */
enum tristate doctor_has_module(struct doctor_facts *facts, const char *module);
/* Returns where a module in the kernel came from. */
enum module_origin doctor_module_origin(struct doctor_facts *facts, const char *module);
/* Reads the ABI version of uverbs. 0 or -errno. */
int doctor_core_abi(struct doctor_facts *facts, struct number *ret_abi);
const struct providers *doctor_providers(struct doctor_facts *facts);
/* Whether every network namespace sees all RDMA devices; if unknown, *ret_rc is -errno. */
enum tristate doctor_namespaces_are_shared(struct doctor_facts *facts, int *ret_rc);
void doctor_stack_free(struct doctor_stack *stack);
/*
 * Adds the rule that keeps `module` from being loaded to the evidence, and sets the next step. The
 * rule may be against a module that it depends on.
 */
void doctor_blame_rule(struct doctor_context *run, const struct module_rule *rule,
		       const char *module);

/* The severity of what keeps the function from working: an error only if it certainly has RDMA. */
enum severity function_fault(const struct function_state *state);

/* Whether the process runs in a container, or the operator wants it to be treated as such. */
bool doctor_is_contained(const struct doctor_context *run);
/* The start of a next step that loads a module or binds a driver: "on the host: ", or "". */
const char *doctor_on_host(const struct doctor_context *run);

/* What is wrong with a device file for the user of this process. */
enum node_fault {
	NODE_FINE,
	NODE_MISSING,
	NODE_NO_DEVICE,	   /* not a character device */
	NODE_OTHER_NUMBER, /* belongs to another device than in the kernel */
	NODE_DENIED,
	NODE_FORBIDDEN, /* by a control group, regardless of its mode */
	NODE_UNREADABLE,
	NODE_NOT_SAVED, /* a saved tree without device files */
};

struct device_node {
	enum node_fault fault;
	int rc;	    /* -errno of NODE_UNREADABLE */
	bool known; /* the status is known: not in a saved tree */
	struct stat status;
};

/* Reads the node below /dev/infiniband; the device number comes from sysfs directory `class`. */
struct device_node doctor_read_node(struct doctor_facts *facts, const char *class,
				    const char *name);
/*
 * The pure part: takes the errno of stat(2) and faccessat(2), or 0, and the kernel's number, if
 * known.
 */
enum node_fault doctor_judge_node(const struct stat *status, int stat_error, int access_error,
				  const char *number);
