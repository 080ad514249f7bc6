/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exports for Slurm's topology and Graphviz: made-up subnets, good, damaged and hostile. */
#include "fabric/format/drawing.h"
#include "fabric/format/dot.h"
#include "made_up_fabric.h"

static void test_damaged_dot(void **state)
{
	static const char *const parts[] = {
		/* A single host, with a label; its cable has the colour of slow ones. */
		"label=<host0 HCA-1<br/><font point-size=\"9\" color=\"#e8710a\">4x SDR<br/>"
		"could be 4x QDR</font>>",
		"tooltip=\"leaf1 - host0 HCA-1: 4x SDR, could be 4x QDR, port 5\"",
		/* One cable of two has the colour of slow ones, with a label in the middle. */
		"could be 4x QDR>];",
		"tooltip=\"spine1 - leaf1: 1x QDR, could be 4x QDR, port 2\", minlen=1];",
		/* Inactive, and without an answer. */
		"4x QDR<br/>init</font>>",
		"label=\"port 9\\nno answer\"",
		/* In the legend. */
		"4x QDR, init: 1</td>",
		"no answer: 1</td>",
		/* The good hosts of a leaf. */
		"3 hosts</font></td></tr><tr><td align=\"left\">host6</td></tr>",
		"\"S-0000000000001004\" -- \"S-0000000000001005\" [style=\"invis\"]",
	};
	struct sample_subnet *subnet = *state;
	char *text;

	sample_damage(subnet);
	text = fabric_dot_text(&subnet->view, &(const struct drawing_options){.all = false});
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(text, parts[i]))
			fail_msg("not there: %s\n%s", parts[i], text);
	free(text);
	/* -v: no groups. */
	text = fabric_dot_text(&subnet->view, &(const struct drawing_options){.all = true});
	assert_null(strstr(text, "3 hosts</font>"));
	assert_non_null(strstr(text, "label=\"host6 HCA-1\""));
	free(text);
}

static void test_slurm_of_a_tree(void **state)
{
	struct sample_subnet *subnet = *state;
	char *text;

	sample_make_tree(subnet);
	text = fabric_slurm_text(&subnet->view, NULL);
	assert_string_equal(text, "SwitchName=leaf1 Nodes=host[0-2]\n"
				  "SwitchName=leaf2 Nodes=host[3-5]\n"
				  "SwitchName=leaf3 Nodes=host[6-8]\n"
				  "SwitchName=leaf4 Nodes=host[9-11]\n"
				  "SwitchName=spine1 Switches=leaf[1-4]\n"
				  "SwitchName=spine2 Switches=leaf[1-4]\n");
	free(text);
}

/* Adapters without a configured name have the factory's name; `n1` has two of them. */
static void test_slurm_of_shared_names(void **state)
{
	static const char *const names[] = {
		"MT25408 ConnectX Mellanox Technologies",
		"MT25408 ConnectX Mellanox Technologies",
		"n1 HCA-1",
		"n1 mlx5_1",
		"n2 HCA-1",
		"n2 HCA-1",
		"n3 ",
		"n3 HCA-2",
		"lab one",
		"lab two",
	};
	struct sample_subnet *subnet = *state;
	struct problems problems = {.count = 0};
	char *text;

	sample_add_switch(subnet, "leaf", 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		sample_join(subnet, 0, sample_add(subnet, NODE_TYPE_CA, names[i]));
	text = fabric_slurm_text(&subnet->view, &problems);
	assert_string_equal(
		text,
		"# NOT USABLE YET: 2 adapters share the name MT25408: which hosts they are in is "
		"unknown\n"
		"# NOT USABLE YET: 2 adapters share the name lab: which hosts they are in is "
		"unknown\n"
		"# NOT USABLE YET: 2 adapters share the name n2: which hosts they are in is "
		"unknown\n"
		"SwitchName=leaf1 Nodes=MT25408-0000000000001001,MT25408-0000000000001002,"
		"lab-000000000000100a,lab-0000000000001009,n1,n2-0000000000001005,"
		"n2-0000000000001006,n3\n");
	assert_int_equal(problems.count, 3);
	assert_string_equal(problems.items[0].error,
			    "2 adapters share the name MT25408: which hosts they are in is "
			    "unknown");
	problems_free(&problems);
	free(text);
}

/* One adapter with both ports cabled is one host, at the leaf of the first port. */
static void test_slurm_of_two_ports(void **state)
{
	struct sample_subnet *subnet = *state;
	struct problems problems = {.count = 0};
	uint32_t host;
	char *text;

	sample_add_switch(subnet, "leaf", 1);
	sample_add_switch(subnet, "leaf", 2);
	sample_add_switch(subnet, "spine", 1);
	sample_join_all(subnet, 0, 2, 2, 1, 1);
	host = sample_add(subnet, NODE_TYPE_CA, "host9 HCA-1");
	sample_join(subnet, 1, host);
	sample_join(subnet, 0, host);
	sample_add_hosts(subnet, 0, 1, 2);
	sample_add_hosts(subnet, 1, 3, 2);
	text = fabric_slurm_text(&subnet->view, &problems);
	assert_string_equal(text, "# host9 is cabled to several switches: listed at leaf1\n"
				  "SwitchName=leaf1 Nodes=host[1-2,9]\n"
				  "SwitchName=leaf2 Nodes=host[3-4]\n"
				  "SwitchName=spine1 Switches=leaf[1-2]\n");
	assert_int_equal(problems.count, 0);
	free(text);
}

/* A host is at one leaf: that of its first adapter. Slurm takes no leaf without hosts. */
static void test_slurm_of_two_rails(void **state)
{
	struct sample_subnet *subnet = *state;
	char *text;

	for (unsigned int i = 0; i < 3; i++)
		sample_add_switch(subnet, "leaf", i + 1);
	sample_add_switch(subnet, "spine", 1);
	sample_join_all(subnet, 0, 3, 3, 1, 1);
	for (uint32_t i = 0; i < 2; i++) {
		sample_join(subnet, 1 - i,
			    sample_add(subnet, NODE_TYPE_CA, i ? "n1 mlx5_1" : "n1 mlx5_0"));
		sample_join(subnet, 1 - i,
			    sample_add(subnet, NODE_TYPE_CA, i ? "n2 mlx5_1" : "n2 mlx5_0"));
	}
	sample_join(subnet, 0, sample_add(subnet, NODE_TYPE_CA, "n3"));
	text = fabric_slurm_text(&subnet->view, NULL);
	assert_string_equal(text, "# n1 is cabled to several switches: listed at leaf2\n"
				  "# n2 is cabled to several switches: listed at leaf2\n"
				  "SwitchName=leaf1 Nodes=n3\n"
				  "SwitchName=leaf2 Nodes=n[1-2]\n"
				  "SwitchName=spine1 Switches=leaf[1-2]\n");
	free(text);
}

/* Names that Slurm would refuse, or would interpret as a list of names. */
static void test_slurm_names(void **state)
{
	static const char map[] = "0x1002 \"edge 7\"\n0x1003 \"compute[1-9],x first\"\n";
	struct sample_subnet *subnet = *state;
	unsigned int line;
	char *text;

	sample_add(subnet, NODE_TYPE_SWITCH, "MF0;sw:MSB7800/U1");
	sample_add(subnet, NODE_TYPE_SWITCH, "MF0:sw;MSB7800/U1");
	sample_add(subnet, NODE_TYPE_SWITCH, "ignored");
	sample_add(subnet, NODE_TYPE_CA, "ignored");
	sample_add(subnet, NODE_TYPE_CA, "\n SwitchName=evil\n");
	sample_add(subnet, NODE_TYPE_CA, "\xff\xfe");
	sample_add(subnet, NODE_TYPE_CA, "[[[");
	assert_int_equal(node_names_parse(map, strlen(map), &subnet->names, &line), 0);
	for (uint32_t i = 3; i < 7; i++)
		sample_join(subnet, i % 2, i);
	sample_join_all(subnet, 0, 2, 2, 1, 1);
	text = fabric_slurm_text(&subnet->view, NULL);
	assert_string_equal(text, "SwitchName=MF0-sw-MSB7800-U1-0000000000001001 "
				  "Nodes=compute-1-9-x,xff-xfe\n"
				  "SwitchName=MF0-sw-MSB7800-U1 Nodes=H-0000000000001006,x0a\n"
				  "SwitchName=edge-7 Switches=MF0-sw-MSB7800-U1,"
				  "MF0-sw-MSB7800-U1-0000000000001001\n");
	free(text);
}

static void expect_dot(const char *string, const char *quoted, const char *html)
{
	struct text_buffer text = {.text = NULL};

	dot_add_string(&text, string);
	assert_string_equal(text.text, quoted);
	text.length = 0;
	text_buffer_add(&text, "%s", "");
	dot_add_html(&text, string);
	assert_string_equal(text.text, html);
	free(text.text);
}

static void test_dot_strings(void **state)
{
	(void)state;
	expect_dot("", "\"\"", "");
	expect_dot("leaf 1", "\"leaf 1\"", "leaf 1");
	expect_dot("a\"b", "\"a&#34;b\"", "a&#34;b");
	/* \N would be the node's identifier, &amp; an ampersand. */
	expect_dot("\\N", "\"\\\\N\"", "\\N");
	expect_dot("\\", "\"\\\\\"", "\\");
	expect_dot("&amp;<b>", "\"&#38;amp;&#60;b&#62;\"", "&#38;amp;&#60;b&#62;");
	expect_dot("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "\"??\xef\xbf\xbd\"", "??\xef\xbf\xbd");
	expect_dot("\xef", "\"\xef\"", "\xef");
}

/*
 * Whatever its name, a node stays inside its quotation marks, and text has no control characters.
 */
static void test_hostile_names(void **state)
{
	static const char *const names[] = {
		"\"; evil [label=\"x",
		"</td></tr></table>>] evil [",
		"\x1b[31mred",
		"\\N\\G\\",
		"%s%n&lt;",
		"\xff\xff\xff",
		"    ",
		"x\nSwitchName=evil",
	};
	struct sample_subnet *subnet = *state;
	char *text;

	sample_add(subnet, NODE_TYPE_SWITCH, names[0]);
	sample_add(subnet, NODE_TYPE_SWITCH, names[0]);
	sample_add(subnet, NODE_TYPE_SWITCH, names[1]);
	sample_join_all(subnet, 0, 2, 2, 1, 2);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		sample_join(subnet, i % 2, sample_add(subnet, NODE_TYPE_CA, names[i]));
	text = fabric_dot_text(&subnet->view, &(const struct drawing_options){.all = false});
	assert_null(strstr(text, "\"; evil"));
	assert_non_null(strstr(text, "label=\"&#34;; evil [label=&#34;x (0000:"));
	assert_null(strstr(text, "</table>>] evil"));
	assert_null(strchr(text, '\x1b'));
	assert_null(strchr(text, '\xff'));
	/* Two hosts of the same name get different names. */
	assert_non_null(strstr(text, "(0000:0000:0000:1000)\""));
	assert_non_null(strstr(text, "(0000:0000:0000:1001)\""));
	free(text);
	text = fabric_tree_text(&subnet->view, true);
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "\nSwitchName"));
	free(text);
	text = fabric_slurm_text(&subnet->view, NULL);
	assert_null(strstr(text, "SwitchName=evil "));
	assert_non_null(strstr(text, "x-x0aSwitchName-evil"));
	free(text);
}

/* Two nodes of the same GUID and name have different identifiers. */
static void test_twins(void **state)
{
	struct sample_subnet *subnet = *state;
	char *text;

	sample_make_tree(subnet);
	for (uint32_t i = 0; i < 2; i++) {
		subnet->fabric.nodes[i].guid = 0x77;
		subnet->fabric.nodes[i].ambiguous = true;
		memcpy(subnet->fabric.nodes[i].description, "twin\0", 6);
	}
	text = fabric_dot_text(&subnet->view, &(const struct drawing_options){.all = false});
	assert_non_null(strstr(text, "label=\"twin (0000:0000:0000:0077, node 0)\""));
	assert_non_null(strstr(text, "label=\"twin (0000:0000:0000:0077, node 1)\""));
	assert_null(strstr(text, "\"S-0000000000000077\""));
	free(text);
	text = fabric_slurm_text(&subnet->view, NULL);
	assert_non_null(strstr(text, "\nSwitchName=twin-0000-0000-0000-0077-node-0 "));
	assert_non_null(strstr(text, "\nSwitchName=twin-0000-0000-0000-0077-node-1 "));
	free(text);
}

int main(void)
{
#define TEST(function_) cmocka_unit_test_setup_teardown(function_, sample_begin, sample_end)
	const struct CMUnitTest tests[] = {
		TEST(test_damaged_dot),
		TEST(test_slurm_of_a_tree),
		TEST(test_slurm_of_shared_names),
		TEST(test_slurm_of_two_ports),
		TEST(test_slurm_of_two_rails),
		TEST(test_slurm_names),
		cmocka_unit_test(test_dot_strings),
		TEST(test_hostile_names),
		TEST(test_twins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
