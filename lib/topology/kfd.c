/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The links between AMD's accelerators, from /sys/class/kfd/kfd/topology/nodes: each node is a CPU
 * or a partition of an accelerator, and has the links that start there (drivers/gpu/drm/amd/amdkfd,
 * kfd_topology.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"
#include "topology/place.h"

#define KFD_NODES "sys/class/kfd/kfd/topology/nodes"

/* CRAT_IOLINK_TYPE_XGMI, kfd_crat.h */
enum { LINK_XGMI = 11 };

struct kfd {
	const struct topology_request *request;
	struct strings nodes;		       /* their folders, which are named by number */
	const struct pci_function **functions; /* of each; NULL: a CPU */
};

/* The value of a line "NAME VALUE"; unknown if there is none. */
static struct number property(const char *text, const char *name)
{
	_cleanup_(freep) char *label = mem_format("%s ", name), *digits = NULL;
	const char *line = text_line(text, label);
	uint64_t value;

	if (line)
		digits = mem_format("%.*s", (int)strcspn(line, "\n"), line);
	return digits && !text_parse_u64(digits, 10, UINT64_MAX, &value)
		       ? number_of(value)
		       : (struct number){.known = false};
}

static void note_failure(const struct kfd *kfd, const char *path, int rc)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	if (rc && rc != -ENOENT)
		problem_add(kfd->request->problems, clean, "links of the accelerator", "sysfs", rc,
			    NULL);
}

/* Reads the properties of a node, or of one of its links; empty if there are none. */
static char *read_properties(const struct kfd *kfd, const char *path)
{
	char *text = NULL;

	note_failure(kfd, path,
		     sysfs_read_long(kfd->request->root, &text, KFD_NODES "/%s/properties", path));
	return text ?: mem_string("");
}

/* location_id: bus in bits 15 to 8, device and function below them, a partition above them. */
static const struct pci_function *find_function(const struct topology *topology, const char *text)
{
	const struct number place = property(text, "location_id");
	const struct number domain = property(text, "domain");
	char address[32];

	if (!place.known || !place.value)
		return NULL;
	snprintf(address, sizeof(address), "%04x:%02x:%02x.%x", (unsigned int)domain.value,
		 (unsigned int)(place.value >> 8 & 0xff), (unsigned int)(place.value >> 3 & 0x1f),
		 (unsigned int)(place.value & 7));
	return pci_list_find(&topology->pci, address);
}

static const struct pci_function *function_of(const struct kfd *kfd, const struct number *number)
{
	uint64_t value;

	for (size_t i = 0; number->known && i < kfd->nodes.count; i++)
		if (!text_parse_u64(kfd->nodes.items[i], 10, UINT32_MAX, &value) &&
		    value == number->value)
			return kfd->functions[i];
	return NULL;
}

static void read_links(struct topology *topology, const struct kfd *kfd, const char *node,
		       const struct pci_function *from)
{
	_cleanup_(freep) char *folder = mem_format("%s/io_links", node);
	struct strings links = {0};

	note_failure(kfd, folder, sysfs_list(kfd->request->root, &links, KFD_NODES "/%s", folder));
	for (size_t i = 0; i < links.count; i++) {
		_cleanup_(freep) char *path = mem_format("%s/%s", folder, links.items[i]);
		_cleanup_(freep) char *text = read_properties(kfd, path);
		const struct number type = property(text, "type");
		const struct number to = property(text, "node_to");
		const struct pci_function *other = function_of(kfd, &to);

		if (type.value == LINK_XGMI && other && other != from)
			MEM_ADD(topology->links,
				topology->link_count) = (struct fabric_link){from, other};
	}
	strings_free(&links);
}

void topology_read_fabric(struct topology *topology, const struct topology_request *request)
{
	struct kfd kfd = {.request = request};
	int rc = sysfs_list(request->root, &kfd.nodes, KFD_NODES);

	if (rc && rc != -ENOENT)
		problem_add(request->problems, NULL, "links of AMD's accelerators", "sysfs", rc,
			    NULL);
	kfd.functions = mem_alloc_zero(kfd.nodes.count, sizeof(struct pci_function *));
	for (size_t i = 0; i < kfd.nodes.count; i++) {
		_cleanup_(freep) char *text = read_properties(&kfd, kfd.nodes.items[i]);
		uint64_t number;

		if (!text_parse_u64(kfd.nodes.items[i], 10, UINT32_MAX, &number))
			kfd.functions[i] = find_function(topology, text);
	}
	for (size_t i = 0; i < kfd.nodes.count; i++)
		if (kfd.functions[i])
			read_links(topology, &kfd, kfd.nodes.items[i], kfd.functions[i]);
	strings_free(&kfd.nodes);
	free(kfd.functions);
}

static bool has_link(const struct topology *topology, const struct pci_function *a,
		     const struct pci_function *b)
{
	for_each_in (link, topology->links, topology->link_count)
		if (link->from == a && link->to == b)
			return true;
	return false;
}

void topology_compare_fabric(const struct topology *topology, struct topology_pair *pair)
{
	const struct pci_function *a = pair->from->function, *b = pair->node->function;

	if (pair->from == pair->node || !a || !b ||
	    (!has_link(topology, a, b) && !has_link(topology, b, a)))
		return;
	number_set(&pair->class, TOPOLOGY_FABRIC);
	number_set(&pair->source, TOPOLOGY_MEASURED);
}
