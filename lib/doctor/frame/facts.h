/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts for the checks. Each source is read only once, when the first check asks for it; the
 * inventory is read before the checks, with the combined needs of the selected ones. The facts own
 * all of it.
 */
#pragma once

#include "base/mem.h"
#include "host/inventory/inventory.h"
#include "host/pci/pci.h"
#include "kernel/root.h"

struct doctor_context;
struct doctor_request;

struct doctor_facts {
	const struct doctor_request *request;
	struct root root;
	struct inventory inventory;
	int inventory_rc;    /* result of inventory_load() */
	struct pci_list pci; /* use doctor_pci() */
	bool pci_was_read;
	int pci_rc;
	struct problems *problems; /* of the command */
	char *const *environment;  /* of this process; NULL with a saved tree */
	enum tristate container;   /* use doctor_in_container() */
	char *hypervisor;	   /* use doctor_hypervisor() */
	bool hypervisor_was_read;
	bool hypervisor_hidden; /* something that tells it cannot be read */
	char *filters;		/* packet filters in the kernel, for check_firewall() */
	bool filters_were_read;
	int filters_rc;
	struct doctor_growth *growth;	  /* doctor/frame/growth.h */
	struct doctor_ports *ports;	  /* doctor/port/port_facts.h */
	struct doctor_adapters *adapters; /* doctor/adapter/adapters.h */
	struct doctor_expect *expect;	  /* doctor/expect/expect.h */
	struct doctor_roce *roce;	  /* doctor/roce/roce.h */
	struct doctor_limits *limits;	  /* doctor/limits/limits.h */
	struct doctor_stack *stack;	  /* doctor/stack/stack.h */
};

/* Returns the facts of one subject, made when first asked for: DOCTOR_PART(facts, roce). */
#define DOCTOR_PART(facts, subject) \
	((facts)->subject = (facts)->subject ?: mem_alloc_zero(1, sizeof(*(facts)->subject)))

/* For facts that are read once: sets the flag, and returns whether it was not set before. */
static inline bool doctor_is_first(bool *was_read)
{
	const bool first = !*was_read;

	*was_read = true;
	return first;
}

/* Opens the root of the request. 0 or -errno, with the problem reported. */
int doctor_root_open(struct doctor_facts *facts);
/* Returns the PCI functions of the host; none if they cannot be listed: see facts->pci_rc. */
const struct pci_list *doctor_pci(struct doctor_facts *facts);
/* Reads a file as a number that may be negative. 0 or -errno. */
int doctor_read_signed(const struct doctor_facts *facts, int64_t *ret_value, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));
/* Returns an environment variable of this process; NULL: not set, or a saved tree. */
const char *doctor_environment(const struct doctor_facts *facts, const char *name);
/* Whether the host has a GPU or another accelerator. */
bool doctor_has_accelerator(struct doctor_facts *facts);
/* Returns the profile that the host suggests, by container, then accelerators, then fabric. */
enum doctor_profile doctor_choose_profile(struct doctor_facts *facts);
/* Whether this process runs in a container, by its files, its variables and its process 1. */
bool doctor_in_container(struct doctor_facts *facts);
/* Whether that is one whose processes inherit the limits of the job or login that starts it. */
bool doctor_in_apptainer(struct doctor_facts *facts);
/*
 * Returns the hypervisor of this virtual machine; NULL: none, or unknown if it is hidden, which is
 * a problem.
 */
const char *doctor_hypervisor(struct doctor_facts *facts);
/* Whether the PCI function has an RDMA device, or certainly has RDMA. */
bool doctor_has_rdma(struct doctor_facts *facts, struct pci_function *function);
/* Whether there is an RDMA device, or a PCI function that certainly has RDMA. */
bool doctor_has_hardware(struct doctor_facts *facts);
/* Returns the PCI function of a device; NULL: it has none, or they cannot be listed. */
struct pci_function *doctor_function_of(struct doctor_facts *facts, const struct device *device);
/* Returns the RDMA device of a PCI function, or NULL. */
const struct device *doctor_device_at(const struct doctor_facts *facts, const char *address);
/* Whether the PCI function has RDMA hardware, and its device was not deselected. */
bool doctor_is_selected(struct doctor_facts *facts, struct pci_function *function);
/* Returns the path to a file of the function, for the evidence; the caller frees it. */
char *doctor_pci_source(const struct pci_function *function, const char *file);
void doctor_facts_free(struct doctor_facts *facts);
