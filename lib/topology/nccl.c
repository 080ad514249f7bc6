/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads and writes topology files in NCCL's format: see topology/topology.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/attributes.h"
#include "kernel/sysfs.h"
#include "topology/place.h"
#include "topology/xml.h"

static bool is_named(const struct xml_element *element, const char *name)
{
	return !strcmp(element->name, name);
}

static struct number hexadecimal(const struct xml_document *document,
				 const struct xml_element *element, const char *name)
{
	const char *text = xml_attribute(document, element, name);
	uint64_t value;

	if (!text || text_parse_u64(text, 16, UINT32_MAX, &value))
		return (struct number){.known = false};
	return number_of(value);
}

/* Whether `at` is the switch `above`, or is above it. */
static bool leads_to(const struct topology_switch *at, const struct topology_switch *above)
{
	for (; above; above = above->up)
		if (above == at)
			return true;
	return false;
}

/* The switch of a pci element: one per busid. It and those above it are made unless they exist. */
static struct topology_switch *switch_of(struct topology *topology,
					 const struct xml_document *document, size_t index)
{
	const struct xml_element *element;
	const char *busid = NULL, *speed, *width, *rest;
	_cleanup_(freep) char *clean = NULL;
	struct topology_switch *found, *up;
	uint64_t lanes;

	if (index == XML_ROOT)
		return NULL;
	element = &document->elements[index];
	if (is_named(element, "pci"))
		busid = xml_attribute(document, element, "busid");
	if (!busid)
		return NULL;
	clean = text_clean(busid, strlen(busid));
	found = topology_find_switch(topology, clean, true);
	if (found)
		return found;
	found = topology_add_switch(topology, clean);
	found->vendor_id = hexadecimal(document, element, "vendor");
	found->device_id = hexadecimal(document, element, "device");
	found->subsystem_vendor_id = hexadecimal(document, element, "subsystem_vendor");
	found->subsystem_device_id = hexadecimal(document, element, "subsystem_device");
	speed = xml_attribute(document, element, "link_speed");
	width = xml_attribute(document, element, "link_width");
	if (speed)
		attribute_parse_real(speed, &found->speed_gtps, &rest);
	if (width && !text_parse_u64(width, 10, 64, &lanes) && lanes)
		number_set(&found->width_lanes, lanes);
	up = switch_of(topology, document, element->parent);
	/* A file may contain a name twice, one inside the other. */
	found->up = leads_to(found, up) ? NULL : up;
	return found;
}

/* Takes the NUMA node of the enclosing cpu element; -1 is NCCL's unknown. */
static void take_cpu(const struct xml_document *document, size_t index, struct topology_node *node)
{
	for (; index != XML_ROOT; index = document->elements[index].parent) {
		const struct xml_element *element = &document->elements[index];
		const char *text = is_named(element, "cpu")
					   ? xml_attribute(document, element, "numaid")
					   : NULL;
		uint64_t number;

		if (!text)
			continue;
		number_set(&node->numa_source, TOPOLOGY_UNKNOWN);
		if (!text_parse_u64(text, 10, UINT16_MAX, &number)) {
			number_set(&node->numa_node, number);
			number_set(&node->numa_source, TOPOLOGY_FILE);
		}
		return;
	}
}

static void place_node(struct topology *topology, const struct xml_document *document,
		       const struct xml_element *element, struct topology_node *node)
{
	const char *bridge = xml_attribute(document, element, "host_bridge");

	number_set(&node->place_source, TOPOLOGY_FILE);
	node->above = switch_of(topology, document, element->parent);
	free(node->host_bridge);
	/*
	 * Our own attribute: NCCL has no host bridges, and ignores attributes that it does not
	 * know.
	 */
	node->host_bridge = bridge ? text_clean(bridge, strlen(bridge)) : NULL;
	take_cpu(document, element->parent, node);
}

/* Checks the version, as NCCL does; RCCL's is 2. */
static char *check_root(const struct xml_document *document)
{
	const struct xml_element *root = &document->elements[0];
	const char *version = xml_attribute(document, root, "version");

	if (!is_named(root, "system"))
		return mem_string("not a topology file of NCCL: no element 'system'");
	if (!version || (strcmp(version, "1") != 0 && strcmp(version, "2") != 0))
		return mem_string("the version of the topology file is not 1 (or 2, RCCL's)");
	return NULL;
}

int nccl_read(struct topology *topology, const char *text, size_t *ret_matched, char **ret_message)
{
	struct xml_document document;
	size_t matched = 0;
	char *message;
	int rc = xml_read(text, &document, ret_message);

	if (rc)
		return rc;
	message = check_root(&document);
	if (message) {
		xml_clear(&document);
		*ret_message = message;
		return -EINVAL;
	}
	for_each_in (element, document.elements, document.count) {
		const char *busid = is_named(element, "pci")
					    ? xml_attribute(&document, element, "busid")
					    : NULL;

		for (size_t j = 0; busid && j < topology->count; j++) {
			struct topology_node *node = &topology->nodes[j];

			if (!node->pci_address || strcasecmp(node->pci_address, busid) != 0)
				continue;
			place_node(topology, &document, element, node);
			matched++;
		}
	}
	xml_clear(&document);
	*ret_matched = matched;
	return 0;
}

struct writer {
	const struct topology *topology;
	struct topology_node *const *nodes;
	size_t count;
	struct text_buffer *text;
};

static void escape(struct text_buffer *text, const char *name, const char *value)
{
	text_buffer_add(text, " %s=\"", name);
	text_buffer_add_xml(text, value);
	text_buffer_add(text, "\"");
}

static void write_id(struct text_buffer *text, const char *name, const struct number *number)
{
	if (number->known)
		text_buffer_add(text, " %s=\"0x%04x\"", name, (unsigned int)number->value);
}

/* Writes a link as the kernel does, because NCCL compares the text: src/graph/topo.cc. */
static void write_link(struct text_buffer *text, const struct real *speed,
		       const struct number *lanes)
{
	if (speed->known)
		text_buffer_add(text, " link_speed=\"%.1f GT/s PCIe\"", speed->value);
	if (lanes->known)
		text_buffer_add(text, " link_width=\"%u\"", (unsigned int)lanes->value);
}

static void begin_pci(const struct writer *writer, int depth, const char *id, unsigned int class)
{
	text_buffer_add(writer->text, "%*s<pci", depth * 2, "");
	escape(writer->text, "busid", id);
	text_buffer_add(writer->text, " class=\"0x%06x\"", class);
}

/* Subfunctions have the function of their parent: one element represents them all. */
static bool is_first(const struct writer *writer, const struct topology_node *node)
{
	for (size_t i = 0; writer->nodes[i] != node; i++)
		if (writer->nodes[i]->pci_address &&
		    !strcmp(writer->nodes[i]->pci_address, node->pci_address))
			return false;
	return true;
}

static void write_node(const struct writer *writer, const struct topology_node *node, int depth)
{
	const struct pci_function *function = node->function;

	if (!is_first(writer, node))
		return;
	begin_pci(writer, depth, node->pci_address,
		  function ? (unsigned int)function->class_code.value : 0);
	write_id(writer->text, "vendor", &node->vendor_id);
	write_id(writer->text, "device", &node->device_id);
	if (function) {
		write_id(writer->text, "subsystem_vendor", &function->subsystem_vendor_id);
		write_id(writer->text, "subsystem_device", &function->subsystem_device_id);
	}
	write_link(writer->text, &node->max_speed_gtps, &node->max_width_lanes);
	if (node->host_bridge)
		escape(writer->text, "host_bridge", node->host_bridge);
	text_buffer_add(writer->text, "/>\n");
}

static const struct topology_node *first_below(const struct writer *writer,
					       const struct topology_switch *at)
{
	for (size_t i = 0; i < writer->count; i++)
		if (writer->nodes[i]->pci_address && leads_to(at, writer->nodes[i]->above))
			return writer->nodes[i];
	return NULL;
}

/* Writes both halves of a switch, because NCCL merges them itself. */
static void write_switch(const struct writer *writer, const struct topology_switch *at, int depth)
{
	begin_pci(writer, depth, at->id, 0x060400);
	write_id(writer->text, "vendor", &at->vendor_id);
	write_id(writer->text, "device", &at->device_id);
	write_id(writer->text, "subsystem_vendor", &at->subsystem_vendor_id);
	write_id(writer->text, "subsystem_device", &at->subsystem_device_id);
	write_link(writer->text, &at->speed_gtps, &at->width_lanes);
	text_buffer_add(writer->text, ">\n");
	for (size_t i = 0; i < writer->count; i++)
		if (writer->nodes[i]->above == at && writer->nodes[i]->pci_address)
			write_node(writer, writer->nodes[i], depth + 1);
	for (size_t i = 0; i < writer->topology->switch_count; i++)
		if (writer->topology->switches[i]->up == at &&
		    first_below(writer, writer->topology->switches[i]))
			write_switch(writer, writer->topology->switches[i], depth + 1);
	text_buffer_add(writer->text, "%*s</pci>\n", depth * 2, "");
}

/* Writes "0-23,48-71" as the kernel's mask: ffffff,00000000 ... of 32 bits each. */
static void write_affinity(struct text_buffer *text, const char *cpus)
{
	enum { WORDS = 256 };
	_cleanup_(freep) uint32_t *words = mem_alloc_zero(WORDS, sizeof(*words));
	unsigned long first, last;
	size_t highest = 0;

	while (sysfs_take_range(&cpus, &first, &last))
		for (unsigned long cpu = first; cpu <= last && cpu < WORDS * 32; cpu++) {
			words[cpu / 32] |= UINT32_C(1) << cpu % 32;
			highest = cpu / 32 > highest ? cpu / 32 : highest;
		}
	text_buffer_add(text, " affinity=\"");
	for (size_t i = highest + 1; i > 0; i--)
		text_buffer_add(text, "%08x%s", words[i - 1], i > 1 ? "," : "");
	text_buffer_add(text, "\"");
}

static void write_cpu(const struct writer *writer, const struct topology_node *first)
{
	const struct topology *topology = writer->topology;

	if (first->numa_node.known)
		text_buffer_add(writer->text, "  <cpu numaid=\"%u\"",
				(unsigned int)first->numa_node.value);
	else
		text_buffer_add(writer->text, "  <cpu numaid=\"-1\"");
	if (first->cpus)
		write_affinity(writer->text, first->cpus);
	text_buffer_add(writer->text, ">\n");
	for (size_t i = 0; i < writer->count; i++)
		if (writer->nodes[i]->pci_address && !writer->nodes[i]->above &&
		    topology_is_same_numa(writer->nodes[i], first))
			write_node(writer, writer->nodes[i], 2);
	for (size_t i = 0; i < topology->switch_count; i++) {
		const struct topology_switch *at = topology->switches[i];
		const struct topology_node *below = at->up ? NULL : first_below(writer, at);

		if (below && topology_is_same_numa(below, first))
			write_switch(writer, at, 2);
	}
	text_buffer_add(writer->text, "  </cpu>\n");
}

void nccl_write(const struct topology *topology, struct topology_node *const *nodes, size_t count,
		struct text_buffer *text)
{
	const struct writer writer = {topology, nodes, count, text};

	text_buffer_add(text, "<system version=\"1\">\n");
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;

		if (!nodes[i]->pci_address)
			continue;
		while (!nodes[j]->pci_address || !topology_is_same_numa(nodes[j], nodes[i]))
			j++;
		if (i == j)
			write_cpu(&writer, nodes[i]);
	}
	text_buffer_add(text, "</system>\n");
}
