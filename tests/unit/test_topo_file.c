/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Topology files: the XML, and the places that they give to nodes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "topology/place.h"
#include "topology/xml.h"

static void elements(void **state)
{
	static const char text[] =
		"<?xml version='1.0'?>\n<!-- <a b=c> -->\n"
		"<system version=\"1\" >text<cpu numaid='0'\n\tname = \"a&lt;&amp;"
		"&quot;\"><pci/></cpu>\n<pci a='&gt;&apos;'></pci ></system>\n";
	struct xml_document document;
	char *message = NULL;

	(void)state;
	assert_int_equal(xml_read(text, &document, &message), 0);
	assert_int_equal(document.count, 4);
	assert_string_equal(document.elements[0].name, "system");
	assert_true(document.elements[0].parent == XML_ROOT);
	assert_string_equal(xml_attribute(&document, &document.elements[0], "version"), "1");
	assert_string_equal(xml_attribute(&document, &document.elements[1], "name"), "a<&\"");
	assert_int_equal(document.elements[2].parent, 1);
	assert_null(xml_attribute(&document, &document.elements[2], "a"));
	assert_int_equal(document.elements[3].parent, 0);
	assert_string_equal(xml_attribute(&document, &document.elements[3], "a"), ">'");
	xml_clear(&document);
}

static void escaped(void **state)
{
	struct text_buffer buffer = {0};

	(void)state;
	text_buffer_add_xml(&buffer, "<a> & \"b'");
	assert_string_equal(buffer.text, "&lt;a&gt; &amp; &quot;b'");
	free(buffer.text);
}

static void faults(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "line 1: no element"},
		{"hello", "line 1: no element"},
		{"<a>\n<b>\n</a>", "line 3: the end tag of another element"},
		{"<a>\n<b/>", "line 2: an element without its end"},
		/* Names at the end of their line are cut there. */
		{"<a\n x='1'>\n<b\n y\n='&amp;\n'>\n<c", "line 7: this element has no end"},
		{"<a></a><b/>", "line 1: a second element after the end of the first"},
		{"</a>", "line 1: an end tag without its start tag"},
		{"<a></a", "line 1: an end tag without >"},
		{"<", "line 1: a name is missing"},
		{"<a", "line 1: this element has no end"},
		{"<a b", "line 1: an attribute without a value"},
		{"<a b>", "line 1: an attribute without a value"},
		{"<a b=c>", "line 1: a value without quotes"},
		{"<a\nb=\"c>", "line 2: a value without its closing quote"},
		{"<a b='1'c='2'/>", "line 1: a blank is missing"},
		{"<a b='&boom;'/>", "line 1: an entity that XML does not predefine"},
		{"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "line 1: a document type or marked section"},
		{"<!-- ", "line 1: this has no end"},
		{"<a><![CDATA[x]]></a>", "line 1: a document type or marked section"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct xml_document document = {.count = 0};
		char *message = NULL;

		assert_int_equal(xml_read(cases[i].text, &document, &message), -EINVAL);
		assert_string_equal(message, cases[i].message);
		free(message);
	}
}

/* Returns a text with a repeated part. */
static char *repeat(const char *begin, const char *part, size_t count, const char *end)
{
	struct text_buffer text = {.text = NULL};

	text_buffer_add(&text, "%s", begin);
	for (size_t i = 0; i < count; i++)
		text_buffer_add(&text, "%s", part);
	text_buffer_add(&text, "%s", end);
	return text_buffer_take(&text);
}

static void limits(void **state)
{
	char *const texts[] = {
		repeat("", "<a>", 33, ""),
		repeat("<a>", "<b/>", 8192, "</a>"),
		repeat("<a ", "b='1' ", 33, "/>"),
	};
	static const char *const messages[] = {
		"line 1: elements nested too deep",
		"line 1: too many elements",
		"line 1: too many attributes",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct xml_document document;
		char *message = NULL;

		assert_int_equal(xml_read(texts[i], &document, &message), -EINVAL);
		assert_string_equal(message, messages[i]);
		free(message);
		free(texts[i]);
	}
}

static void add(struct topology *topology, const char *name, const char *address)
{
	struct topology_node *node = mem_append(&topology->nodes, &topology->count,
						sizeof(*topology->nodes));

	node->name = mem_string(name);
	node->pci_address = mem_string(address);
}

static void places(void **state)
{
	struct topology topology = {.count = 0};
	struct topology_pair pair;
	char *message = NULL;
	size_t matched = 0;

	(void)state;
	add(&topology, "mlx5_0", "0001:00:00.0");
	add(&topology, "gpu0", "000a:00:00.0");
	add(&topology, "gpu1", "0003:00:00.0");
	assert_int_equal(
		nccl_read(&topology,
			  "<system version='1'><cpu numaid='1'><pci busid='ffff:ff:01.0' "
			  "link_width='16' link_speed='16 GT/s'><pci busid='0001:00:00.0'/>"
			  "<pci busid='ffff:ff:02.0'><pci busid='000A:00:00.0'/></pci></pci></cpu>"
			  "<cpu numaid='-1'><pci busid='0003:00:00.0'/></cpu></system>",
			  &matched, &message),
		0);
	assert_int_equal(matched, 3);
	topology_merge_switches(&topology);
	topology_compare(&topology, &topology.nodes[0], &topology.nodes[1], &pair);
	assert_int_equal(pair.class.value, TOPOLOGY_SWITCHES);
	assert_int_equal(pair.source.value, TOPOLOGY_FILE);
	assert_int_equal(pair.switches.value, 2);
	assert_int_equal(topology.nodes[1].numa_node.value, 1);
	assert_false(topology.nodes[2].numa_node.known);
	topology_compare(&topology, &topology.nodes[0], &topology.nodes[2], &pair);
	assert_int_equal(pair.class.value, TOPOLOGY_CLASS_UNKNOWN);
	topology_clear(&topology);
}

/* A file may place elsewhere a switch that the kernel has; the kernel's own stays as it is. */
static void moved_switch(void **state)
{
	struct pci_function function = {.parent = NULL};
	struct topology topology = {.count = 0};
	struct topology_switch *own, *moved;
	char *message = NULL;
	size_t matched = 0;

	(void)state;
	add(&topology, "gpu0", "0000:04:00.0");
	own = topology_add_switch(&topology, "0000:01:00.0");
	own->function = &function;
	topology.nodes[0].above = own;
	assert_int_equal(
		nccl_read(&topology,
			  "<system version='1'><pci busid='ffff:ff:01.0'><pci busid='0000:01:00.0'>"
			  "<pci busid='0000:04:00.0'/></pci></pci></system>",
			  &matched, &message),
		0);
	assert_int_equal(matched, 1);
	moved = topology.nodes[0].above;
	assert_ptr_not_equal(moved, own);
	assert_string_equal(moved->id, own->id);
	assert_string_equal(moved->up->id, "ffff:ff:01.0");
	assert_null(own->up);
	assert_ptr_equal(topology_find_switch(&topology, own->id, false), own);
	topology_clear(&topology);
}

static void wrong_files(void **state)
{
	static const char *const texts[] = {
		"<graphs version='1'/>",
		"<system/>",
		"<system version='3'/>",
		"<system version='1'>",
	};
	struct topology topology = {.count = 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *message = NULL;
		size_t matched = 0;

		assert_int_equal(nccl_read(&topology, texts[i], &matched, &message), -EINVAL);
		assert_non_null(message);
		free(message);
	}
}

/* A switch named inside itself must not form a loop. */
static void circles(void **state)
{
	struct topology topology = {.count = 0};
	char *message = NULL;
	size_t matched = 0;

	(void)state;
	add(&topology, "gpu0", "0003:00:00.0");
	assert_int_equal(
		nccl_read(&topology,
			  "<system version='1'><pci busid='a'><pci busid='b'><pci busid='a'>"
			  "<pci busid='0003:00:00.0'><pci busid='0003:00:00.0'/></pci></pci>"
			  "</pci></pci></system>",
			  &matched, &message),
		0);
	assert_int_equal(matched, 2);
	topology_merge_switches(&topology);
	assert_true(topology.nodes[0].switches.count <= 3);
	topology_clear(&topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements),    cmocka_unit_test(faults),
		cmocka_unit_test(limits),      cmocka_unit_test(places),
		cmocka_unit_test(wrong_files), cmocka_unit_test(circles),
		cmocka_unit_test(escaped),     cmocka_unit_test(moved_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
