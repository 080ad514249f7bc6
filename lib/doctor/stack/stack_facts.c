/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/stack/stack.h"
#include "kernel/sysfs.h"

/* A module in sysfs. */
struct module_fact {
	char *name;
	enum tristate loaded;
	enum module_origin origin;
};

struct doctor_stack {
	struct module_fact *modules;
	size_t module_count;
	struct auxiliary_devices auxiliary;
	struct module_rules rules;
	struct module_files files;
	char *built_in;
	struct providers providers;
	enum tristate shared; /* use doctor_namespaces_are_shared() */
	int shared_rc;
	struct number abi; /* use doctor_core_abi() */
	int abi_rc;
	/* Which of these have been read. */
	bool has_auxiliary, has_rules, has_files, has_built_in, has_providers, has_shared, has_abi;
};

#define AUXILIARY "sys/bus/auxiliary/devices"

static void read_auxiliary(const struct root *root, struct auxiliary_devices *list,
			   const char *name)
{
	_cleanup_(freep) char *target = NULL, *driver = NULL, *address = NULL;
	struct auxiliary_device *device;
	int rc;

	if (sysfs_link(root, &target, AUXILIARY "/%s", name) || !sysfs_find_pci(target, &address))
		return;
	rc = sysfs_link(root, &driver, AUXILIARY "/%s/driver", name);
	device = mem_append(&list->items, &list->count, sizeof(*device));
	*device = (struct auxiliary_device){
		.name = text_clean(name, strlen(name)),
		.address = address,
		.rdma = rdma_is_auxiliary(name),
		.bound = !rc,
		.rc = rc == -ENOENT ? 0 : rc,
	};
	address = NULL;
}

const struct auxiliary_devices *doctor_auxiliary_devices(struct doctor_facts *facts)
{
	struct doctor_stack *stack = DOCTOR_PART(facts, stack);
	struct strings names = {.known = false};

	if (!doctor_is_first(&stack->has_auxiliary))
		return &stack->auxiliary;
	stack->auxiliary.rc = sysfs_list(&facts->root, &names, AUXILIARY);
	for (size_t i = 0; i < names.count; i++)
		read_auxiliary(&facts->root, &stack->auxiliary, names.items[i]);
	strings_free(&names);
	return &stack->auxiliary;
}

const struct module_rules *doctor_module_rules(struct doctor_facts *facts)
{
	struct doctor_stack *stack = DOCTOR_PART(facts, stack);

	if (!doctor_is_first(&stack->has_rules))
		return &stack->rules;
	module_rules_read(&facts->root, &stack->rules);
	if (stack->rules.unread.count && !doctor_needs_root(stack->rules.unread_rc))
		problem_add(facts->problems, NULL, "settings that block modules",
			    stack->rules.unread.items[0], stack->rules.unread_rc, NULL);
	return &stack->rules;
}

const struct module_files *doctor_module_files(struct doctor_facts *facts)
{
	struct doctor_stack *stack = DOCTOR_PART(facts, stack);

	if (doctor_is_first(&stack->has_files))
		module_files_read(&facts->root, &stack->files);
	return &stack->files;
}

const char *doctor_built_in_modules(struct doctor_facts *facts)
{
	struct doctor_stack *stack = DOCTOR_PART(facts, stack);

	if (doctor_is_first(&stack->has_built_in))
		stack->built_in = modules_read_built_in(&facts->root);
	return stack->built_in;
}

static const struct module_fact *module_fact(struct doctor_facts *facts, const char *name)
{
	struct doctor_stack *stack = DOCTOR_PART(facts, stack);
	struct module_fact *fact;
	int rc;

	for_each_in (module, stack->modules, stack->module_count)
		if (!strcmp(module->name, name))
			return module;
	fact = mem_append(&stack->modules, &stack->module_count, sizeof(*fact));
	fact->name = mem_string(name);
	fact->loaded = module_is_loaded(&facts->root, name);
	rc = module_loaded_origin(&facts->root, name, &fact->origin);
	if (rc && rc != -ENOENT)
		problem_add(facts->problems, name, "origin of the module", "sysfs", rc, NULL);
	return fact;
}

/* Built-in code has a sysfs directory only if it has parameters or a version. */
enum tristate doctor_has_module(struct doctor_facts *facts, const char *module)
{
	enum tristate loaded = module_fact(facts, module)->loaded;

	if (loaded == TRISTATE_NO && module_is_built_in(doctor_built_in_modules(facts), module))
		return TRISTATE_YES;
	return loaded;
}

enum module_origin doctor_module_origin(struct doctor_facts *facts, const char *module)
{
	return module_fact(facts, module)->origin;
}

const struct providers *doctor_providers(struct doctor_facts *facts)
{
	struct doctor_stack *stack = DOCTOR_PART(facts, stack);

	if (!doctor_is_first(&stack->has_providers))
		return &stack->providers;
	providers_read(&facts->root, &stack->providers);
	if (stack->providers.rc && stack->providers.rc != -ENOENT)
		problem_add(facts->problems, NULL, "configuration of libibverbs",
			    "/" PROVIDERS_CONFIG, stack->providers.rc, NULL);
	return &stack->providers;
}

/* `rdma system set netns` changes the parameter, too: drivers/infiniband/core/device.c. */
enum tristate doctor_namespaces_are_shared(struct doctor_facts *facts, int *ret_rc)
{
	struct doctor_stack *stack = DOCTOR_PART(facts, stack);
	char text[SYSFS_TEXT_SIZE];
	ssize_t length;

	if (doctor_is_first(&stack->has_shared)) {
		length = sysfs_read(&facts->root, text, "sys/module/ib_core/parameters/netns_mode");
		if (length < 0)
			stack->shared_rc = (int)length;
		else if (strcmp(text, "Y") && strcmp(text, "N"))
			stack->shared_rc = -EINVAL;
		else
			stack->shared = text[0] == 'Y' ? TRISTATE_YES : TRISTATE_NO;
	}
	*ret_rc = stack->shared_rc;
	return stack->shared;
}

int doctor_core_abi(struct doctor_facts *facts, struct number *ret_abi)
{
	struct doctor_stack *stack = DOCTOR_PART(facts, stack);

	if (doctor_is_first(&stack->has_abi))
		stack->abi_rc = sysfs_read_number(&facts->root, &stack->abi,
						  "sys/class/infiniband_verbs/abi_version");
	*ret_abi = stack->abi;
	return stack->abi_rc;
}

void doctor_stack_free(struct doctor_stack *stack)
{
	if (!stack)
		return;
	for_each (device, &stack->auxiliary) {
		free(device->name);
		free(device->address);
	}
	free(stack->auxiliary.items);
	for_each_in (module, stack->modules, stack->module_count)
		free(module->name);
	free(stack->modules);
	module_rules_clear(&stack->rules);
	module_files_clear(&stack->files);
	free(stack->built_in);
	providers_clear(&stack->providers);
	free(stack);
}

const struct rdma_driver *doctor_rdma_driver(struct doctor_facts *facts,
					     struct pci_function *function, bool *ret_certain)
{
	const struct rdma_driver *row = rdma_driver_of(&facts->root, function, facts->problems);
	const struct auxiliary_devices *list;

	*ret_certain = row && (!row->optional || doctor_device_at(facts, function->address));
	if (!row || *ret_certain)
		return row;
	list = doctor_auxiliary_devices(facts);
	for_each (half, list)
		*ret_certain |= half->rdma && !strcmp(half->address, function->address);
	return row;
}

static bool is_same_card(const struct pci_function *a, const char *address)
{
	const char *dot = strrchr(address, '.');

	return dot && !strncmp(a->address, address, (size_t)(dot + 1 - address));
}

/* Finds an RDMA device on a function of the same card. */
static const struct device *find_on_card(const struct doctor_context *run)
{
	for_each (device, &run->facts->inventory.devices)
		if (device->pci_address && is_same_card(run->function, device->pci_address))
			return device;
	return NULL;
}

/*
 * Finds an unbound RDMA half among the function's auxiliary devices, else a bound one; *ret_any: it
 * has auxiliary devices of any kind.
 */
static const struct auxiliary_device *find_half(struct doctor_context *run, bool *ret_any,
						int *ret_rc)
{
	const struct auxiliary_devices *list = doctor_auxiliary_devices(run->facts);
	const struct auxiliary_device *found = NULL;

	*ret_any = false;
	*ret_rc = list->rc == -ENOENT ? 0 : list->rc;
	for_each (device, list) {
		if (strcmp(device->address, run->function->address))
			continue;
		*ret_any = true;
		if (!device->rdma)
			continue;
		if (device->rc)
			*ret_rc = device->rc;
		if (!found || (found->bound && !device->bound))
			found = device;
	}
	return found;
}

/*
 * Whether the RDMA device of another function serves this one, too: mlx5 keeps one device for the
 * members of a bond (mlx5_lag_remove_devices(), lag/lag.c), and one device may have the ports of
 * several functions, but not if the ports are representors. Netdevs in another network namespace
 * are not visible.
 */
static enum tristate is_shared(struct doctor_context *run, const struct device *device,
			       bool representors)
{
	enum { CLASS_INFINIBAND = 0x0207 };
	const struct root *root = &run->facts->root;
	struct pci_function *function = run->function;
	struct strings netdevs = {.known = false};
	enum tristate shared;

	pci_read(root, function, PCI_CLASS | PCI_VIRTUAL, run->facts->problems);
	if (function->physfn ||
	    (function->class_code.known && function->class_code.value >> 8 == CLASS_INFINIBAND))
		return TRISTATE_NO;
	if (device->port_count > 1 && !representors)
		return TRISTATE_YES;
	sysfs_list(root, &netdevs, PCI_FUNCTION "/net", function->address);
	shared = netdevs.count ? TRISTATE_NO : TRISTATE_UNKNOWN;
	for (size_t i = 0; i < netdevs.count; i++) {
		_cleanup_(freep) char *bond = mem_format("sys/class/net/%s/master/bonding",
							 netdevs.items[i]);

		if (sysfs_has_directory(root, bond))
			shared = TRISTATE_YES;
	}
	strings_free(&netdevs);
	return shared;
}

/*
 * Finds the device of another function of the card that has, or may have, the ports of this one:
 * because this one is its second port (drivers/infiniband/hw/mlx5/main.c), or because of a bond. In
 * switchdev mode one device then has the representors of both members, though each has its half
 * (mlx5_ib_vport_rep_load(), ib_rep.c).
 */
static const struct device *find_shared(struct doctor_context *run,
					const struct auxiliary_device *half,
					enum tristate *ret_shared)
{
	const bool second = half && strstr(half->name, ".multiport.");
	const bool representors = half && strstr(half->name, ".rdma-rep.");
	const struct device *other = !half || second || representors ? find_on_card(run) : NULL;

	*ret_shared = !other   ? TRISTATE_NO
		      : second ? TRISTATE_YES
			       : is_shared(run, other, representors);
	return other;
}

static enum rdma_half judge_half(struct doctor_context *run, struct function_state *state)
{
	const bool is_one = state->row && !strcmp(state->row->driver, state->row->module);
	const struct device *other;
	enum tristate shared;
	bool any;

	state->auxiliary = find_half(run, &any, &state->rc);
	state->device = doctor_device_at(run->facts, run->function->address);
	if (state->device)
		return HALF_HAS_DEVICE;
	if (state->rc)
		return HALF_UNREADABLE;
	if (state->auxiliary && !state->auxiliary->bound)
		return HALF_UNBOUND;
	other = find_shared(run, state->auxiliary, &shared);
	if (shared != TRISTATE_NO) {
		state->device = other;
		return shared == TRISTATE_YES ? HALF_IS_SHARED : HALF_MAY_BE_SHARED;
	}
	if (is_one || state->auxiliary)
		return HALF_IS_HIDDEN;
	return any ? HALF_NOT_MADE : HALF_UNSEEN;
}

static const char *half_module(struct doctor_facts *facts, const struct rdma_driver *row)
{
	_cleanup_(freep) char *file = NULL;

	if (!row->former || doctor_has_module(facts, row->module) == TRISTATE_YES)
		return row->module;
	if (doctor_has_module(facts, row->former) == TRISTATE_YES)
		return row->former;
	file = module_file(doctor_module_files(facts), row->former);
	return file ? row->former : row->module;
}

void function_state_read(struct doctor_context *run, struct function_state *ret_state)
{
	struct pci_function *function = run->function;
	struct function_state state = {.half = HALF_UNSEEN};

	state.row = doctor_rdma_driver(run->facts, function, &state.certain);
	pci_read(&run->facts->root, function, PCI_VIRTUAL, run->facts->problems);
	state.has_driver = function->driver &&
			   (!state.row || !strcmp(function->driver, state.row->driver));
	if (state.has_driver || doctor_device_at(run->facts, function->address))
		state.half = judge_half(run, &state);
	if (state.row) {
		const char *module = state.row->driver;

		state.module = half_module(run->facts, state.row);
		if (state.has_driver)
			module = state.module;
		state.loaded = doctor_has_module(run->facts, module);
		/* A virtual function without a driver may be meant for a guest. */
		if (!state.has_driver && !function->driver && !function->driver_unknown &&
		    !function->physfn && !state.device)
			state.missing = module;
		if (state.has_driver && (state.half == HALF_UNBOUND ||
					 (state.half == HALF_UNSEEN && !state.row->optional &&
					  state.loaded == TRISTATE_NO)))
			state.missing = module;
	}
	*ret_state = state;
}

enum severity function_fault(const struct function_state *state)
{
	return state->certain ? SEVERITY_ERROR : SEVERITY_NOTICE;
}
