/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shell settings for NCCL, UCX and MPI. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "topology/assign/assign.h"

const struct enum_name env_kind_names[] = {
	{ENV_NCCL, "nccl", TONE_PLAIN, "NCCL_IB_HCA, exact names"},
	{ENV_UCX, "ucx", TONE_PLAIN, "UCX_NET_DEVICES of each local rank"},
	{ENV_MPI, "mpi", TONE_PLAIN, "a wrapper of each rank: UCX_NET_DEVICES and CPUs"},
	{0, NULL},
};

/* The local rank, as named by Open MPI, Slurm, and both Hydra and Intel MPI. */
#define LOCAL_RANK "${OMPI_COMM_WORLD_LOCAL_RANK:-${SLURM_LOCALID:-${MPI_LOCALRANKID:-}}}"

/* Names in a script may have only these characters: everything else needs quoting somewhere. */
static bool is_plain(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_.") == strlen(name);
}

/* Appends "mlx5_0:1,mlx5_0:2" for the active ports of an adapter. */
static void add_ports(const struct topology_node *nic, struct text_buffer *text,
		      struct problems *problems)
{
	if (!is_plain(nic->name)) {
		problem_add_text(problems, nic->name, NULL, NULL,
				 "left out, because its name is not a plain word",
				 "rename the device");
		return;
	}
	for (size_t i = 0; i < nic->ports.count; i++)
		text_buffer_add(text, "%s%s:%s", text->length ? "," : "", nic->name,
				nic->ports.items[i]);
}

/* The ports of all adapters of an accelerator; the caller frees the text. */
static char *ports_of(const struct assignment_list *list, const struct assignment *assignment,
		      struct problems *problems)
{
	struct text_buffer text = {.text = NULL};

	for (size_t i = 0; i < assignment->nics.count; i++)
		add_ports(list->nics[assignment_nic(list, assignment->nics.items[i])], &text,
			  problems);
	return text_buffer_take(&text);
}

static const struct assignment *find_assignment(const struct assignment_list *list,
						const struct topology_node *gpu)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].accelerator == gpu)
			return &list->items[i];
	return NULL;
}

/* A leading = asks for exact names: without it, mlx5_1 also matches mlx5_10. */
static void nccl_env(const struct assignment_list *list, const struct assignment *only,
		     struct text_buffer *text, struct problems *problems)
{
	struct text_buffer all = {.text = NULL};
	_cleanup_(freep) char *ports = NULL;

	for (size_t i = 0; !only && i < list->nic_count; i++)
		add_ports(list->nics[i], &all, problems);
	ports = only ? ports_of(list, only, problems) : text_buffer_take(&all);
	if (*ports)
		text_buffer_add(text, "NCCL_IB_HCA==%s\n", ports);
}

/* Writes a case for each local rank, which has the accelerator of the same number. */
static void rank_cases(const struct assignment_list *list, bool cpus, struct text_buffer *text,
		       struct problems *problems)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].source.value == TOPOLOGY_UNKNOWN) {
			text_buffer_add(text,
					"# The distances are unknown: in the order of the bus.\n");
			break;
		}
	text_buffer_add(text, "case \"" LOCAL_RANK "\" in\n");
	for (size_t i = 0; i < list->count; i++) {
		_cleanup_(freep) char *ports = ports_of(list, &list->items[i], problems);
		const char *near = list->items[i].accelerator->cpus;

		/* Tell the rank, which exists, that all of its adapters were omitted. */
		if (!*ports) {
			text_buffer_add(text,
					"%zu) echo \"no adapter to name for %s\" >&2; exit 1 ;;\n",
					i, list->items[i].node);
			continue;
		}
		text_buffer_add(text, "%zu) export UCX_NET_DEVICES=%s", i, ports);
		/* Only a list of CPUs from the kernel gets into the script. */
		if (cpus && near && *near && strspn(near, "0123456789,-") == strlen(near))
			text_buffer_add(text, " cpus=%s", near);
		text_buffer_add(text, " ;; # %s %s\n", list->items[i].node,
				list->items[i].pci_address);
	}
	text_buffer_add(text,
			"*) echo \"the local rank is not between 0 and %zu\" >&2; exit 1 ;;\n"
			"esac\n",
			list->count - 1);
}

void assign_env(const struct assignment_list *list, enum env_kind kind,
		const struct topology_node *gpu, struct text_buffer *text,
		struct problems *problems)
{
	const struct assignment *only = gpu ? find_assignment(list, gpu) : NULL;
	_cleanup_(freep) char *ports = NULL;

	if (kind == ENV_NCCL) {
		nccl_env(list, only, text, problems);
	} else if (only) {
		ports = ports_of(list, only, problems);
		if (*ports)
			text_buffer_add(text, "UCX_NET_DEVICES=%s\n", ports);
	} else if (kind == ENV_UCX) {
		rank_cases(list, false, text, problems);
	} else {
		text_buffer_add(text, "#!/bin/sh\n# mpirun ... THIS-FILE PROGRAM ARGUMENTS\n");
		rank_cases(list, true, text, problems);
		text_buffer_add(text, "exec ${cpus:+taskset -c \"$cpus\"} \"$@\"\n");
	}
}
