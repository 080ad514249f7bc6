/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options and the configuration of ibaddr, without a fabric: each with a distinct value, at the
 * limits, and wrong. tests/sim compares the output with that of the tool.
 */
#include <getopt.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "captured.h"
#include "cmd/compat/ibaddr.h"
#include "saved_tree.h"

struct parsed {
	struct ibaddr_args args;
	int status, left; /* the words after the options */
	char *out, *err;
};

static void parsed_clear(struct parsed *parsed)
{
	ibaddr_args_clear(&parsed->args);
	free(parsed->out);
	free(parsed->err);
}

/* Parses words separated by single blanks. */
static void parse_as(struct parsed *parsed, enum compat_release release, const char *line)
{
	const struct personality_call call = {.program = "ibaddr", .release = release};
	_cleanup_(freep) char *copy = mem_string(line);
	char *argv[16] = {(char[]){"ibaddr"}}, *rest = copy, *word;
	struct captured out, err;
	int argc = 1;

	while ((word = strsep(&rest, " ")))
		if (*word)
			argv[argc++] = word;
	optind = 0;
	capture_stream(&out, stdout);
	capture_stream(&err, stderr);
	parsed->status = ibaddr_parse(&parsed->args, &call, argc, argv);
	parsed->err = capture_end(&err);
	parsed->out = capture_end(&out);
	parsed->left = argc - optind;
}

static void parse(struct parsed *parsed, const char *line)
{
	parse_as(parsed, COMPAT_44, line);
}

/* A configuration with every setting. */
static char *configuration(const struct saved_tree *tree)
{
	static const char text[] = "# CA=no\nCA=mlx5_7 \n\nPort=3# the third\ntimeout=70\n"
				   "m_key=0x123456789abcdef0\nodd\n=7\nPort=\n";

	tree_write_bytes(tree, "conf", text, sizeof(text) - 1);
	return mem_format("%s/conf", tree->path);
}

static void each_option(void **state)
{
	static const struct {
		const char *line;
		bool gid;
		int lid, port;
		enum target_kind kind;
		int timeout_msec;
		uint16_t sm_lid;
		uint64_t mkey;
		bool errors;
		unsigned int debug;
		const char *adapter;
		int left;
	} samples[] = {
		{"", true, 1, 3, TARGET_LID, 70, 0, 0x123456789abcdef0, false, 0, "mlx5_7 ", 0},
		{"-g 7", true, 0, 3, TARGET_LID, 70, 0, 0x123456789abcdef0, false, 0, "mlx5_7 ", 1},
		{"-l -D 0,1 2", false, 1, 3, TARGET_DIRECT, 70, 0, 0x123456789abcdef0, false, 0,
		 "mlx5_7 ", 2},
		{"-ll", false, 2, 3, TARGET_LID, 70, 0, 0x123456789abcdef0, false, 0, "mlx5_7 ", 0},
		{"-Ll -g", true, -99, 3, TARGET_LID, 70, 0, 0x123456789abcdef0, false, 0, "mlx5_7 ",
		 0},
		{"-lL", false, -100, 3, TARGET_LID, 70, 0, 0x123456789abcdef0, false, 0, "mlx5_7 ",
		 0},
		{"-C mlx4_0 -P 2 -G 0x7", true, 1, 2, TARGET_GUID, 70, 0, 0x123456789abcdef0, false,
		 0, "mlx4_0", 1},
		{"-P 0x10 -t 2147483647 -s 0xbfff", true, 1, 16, TARGET_LID, INT_MAX, 0xbfff,
		 0x123456789abcdef0, false, 0, "mlx5_7 ", 0},
		{"-t 1 -s 1 -y 0x5", true, 1, 3, TARGET_LID, 1, 1, 5, false, 0, "mlx5_7 ", 0},
		{"-e -v", true, 1, 3, TARGET_LID, 70, 0, 0x123456789abcdef0, true, 0, "mlx5_7 ", 0},
		{"-dd", true, 1, 3, TARGET_LID, 70, 0, 0x123456789abcdef0, true, 2, "mlx5_7 ", 0},
		{"--gid_show --lid_show --Ca a --Port 1 --Guid --timeout 9 --sm_port 8 --m_key 7",
		 true, 1, 1, TARGET_GUID, 9, 8, 7, false, 0, "a", 0},
		{"--Lid_show --Direct --errors --debug --verbose x", false, -100, 3, TARGET_DIRECT,
		 70, 0, 0x123456789abcdef0, true, 1, "mlx5_7 ", 1},
	};
	_cleanup_(freep) char *path = configuration(*state);

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *line = mem_format("-z %s %s", path, samples[i].line);
		_cleanup_(parsed_clear) struct parsed parsed;
		const struct ibaddr_args *args = &parsed.args;

		parse(&parsed, line);
		assert_int_equal(parsed.status, -1);
		assert_int_equal(parsed.left, samples[i].left);
		assert_int_equal(args->gid, samples[i].gid);
		assert_int_equal(args->lid, samples[i].lid);
		assert_int_equal(args->port, samples[i].port);
		assert_int_equal(args->kind, samples[i].kind);
		assert_int_equal(args->timeout_msec, samples[i].timeout_msec);
		assert_int_equal(args->sm_lid, samples[i].sm_lid);
		assert_true(args->mkey == samples[i].mkey);
		assert_int_equal(args->errors, samples[i].errors);
		assert_int_equal(args->debug, samples[i].debug);
		assert_string_equal(args->adapter, samples[i].adapter);
		assert_int_equal(args->release, COMPAT_44);
		assert_string_equal(parsed.out, "");
		assert_string_equal(parsed.err, "");
	}
}

/* -Y is newer than the older release. */
static void pkey_indices(void **state)
{
	static const char *const wrong[] = {"-Y x", "-Y 65536", "-Y -1", "--pkey-idx=1x"};
	_cleanup_(parsed_clear) struct parsed most, hexadecimal, older, help;

	(void)state;
	parse_as(&most, COMPAT_65, "-Y 65535 7");
	assert_int_equal(most.status, -1);
	assert_int_equal(most.args.pkey_index, UINT16_MAX);
	assert_int_equal(most.left, 1);
	parse_as(&hexadecimal, COMPAT_65, "--pkey-idx 0x10");
	assert_int_equal(hexadecimal.status, -1);
	assert_int_equal(hexadecimal.args.pkey_index, 16);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		_cleanup_(parsed_clear) struct parsed parsed;

		parse_as(&parsed, COMPAT_65, wrong[i]);
		assert_int_equal(parsed.status, 255);
		assert_non_null(strstr(parsed.out, "ibaddr: iberror: failed: Invalid P_Key index"));
		assert_string_equal(parsed.err, "");
	}
	parse_as(&help, COMPAT_65, "-h");
	assert_non_null(strstr(help.err, "  --pkey-idx, -Y <idx>    P_Key table index for outgoing "
					 "SA/GMP MADs \n                          (default 0)\n"
					 "  --errors, -e "));
	parse_as(&older, COMPAT_44, "-Y 0");
	assert_int_equal(older.status, 2);
	assert_null(strstr(older.err, "pkey"));
}

/* Whether this machine's configuration contains any setting. */
static bool is_configured(void)
{
	FILE *file = fopen("/etc/infiniband-diags/ibdiag.conf", "re");
	char line[256];
	bool set = false;

	while (file && !set && fgets(line, sizeof(line), file))
		set = strcspn(line, "=") < strcspn(line, "#\n");
	if (file)
		fclose(file);
	return set;
}

/* A missing configuration is ignored. */
static void nothing_given(void **state)
{
	static const char *const lines[] = {"", "-z /nonexistent/ibdiag.conf"};

	(void)state;
	if (is_configured())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_(parsed_clear) struct parsed parsed;

		parse(&parsed, lines[i]);
		assert_int_equal(parsed.status, -1);
		assert_null(parsed.args.adapter);
		assert_int_equal(parsed.args.port, 0);
		/* MAD_DEF_TIMEOUT_MS, infiniband/mad.h */
		assert_int_equal(parsed.args.timeout_msec, 1000);
		assert_true(!parsed.args.mkey);
		assert_int_equal(parsed.args.sm_lid, 0);
	}
}

#define TIMEOUT(text)                                      \
	"ibaddr: iberror: failed: Invalid timeout \"" text \
	"\".  Timeout requires a positive integer value < 2147483647.\n"
#define MANAGER(text) "ibaddr: iberror: failed: cannot resolve SM destination port " text "\n"

static void wrong_values(void **state)
{
	static const struct {
		const char *line, *out;
	} samples[] = {
		{"-t 0", TIMEOUT("0")},
		{"-t -5", TIMEOUT("-5")},
		{"-t 7x", TIMEOUT("7x")},
		{"-t 2147483648", TIMEOUT("2147483648")},
		{"-t 99999999999999999999", TIMEOUT("99999999999999999999")},
		{"-s 0", MANAGER("0")},
		{"-s 0xc000", MANAGER("0xc000")},
		{"-s -1", MANAGER("-1")},
		{"-s 65537", MANAGER("65537")},
		{"-s x", MANAGER("x")},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(parsed_clear) struct parsed parsed;

		parse(&parsed, samples[i].line);
		assert_int_equal(parsed.status, 255);
		assert_string_equal(parsed.out, samples[i].out);
		assert_string_equal(parsed.err, "");
	}
}

/* The first option that ends the command does so, and nothing after it is parsed. */
static void options_that_end(void **state)
{
	static const struct {
		const char *line;
		int status;
		const char *err; /* beginning of the message */
	} samples[] = {
		{"-V", 0, "ibaddr BUILD VERSION: 44.0\n"},
		{"--version -t 0", 0, "ibaddr BUILD VERSION: 44.0\n"},
		{"-h", 2, "\nUsage: ibaddr [options] [<lid|dr_path|guid>]\n"},
		{"--help -V", 2, "\nUsage: ibaddr [options] [<lid|dr_path|guid>]\n"},
	};
	_cleanup_(parsed_clear) struct parsed unknown;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(parsed_clear) struct parsed parsed;

		parse(&parsed, samples[i].line);
		assert_int_equal(parsed.status, samples[i].status);
		assert_string_equal(parsed.out, "");
		assert_memory_equal(parsed.err, samples[i].err, strlen(samples[i].err));
	}
	parse(&unknown, "-x");
	assert_int_equal(unknown.status, 2);
	assert_string_equal(unknown.out, "");
	assert_non_null(strstr(unknown.err, "\n\nUsage: ibaddr [options]"));
}

/* Unicast LIDs end before 0xc000: InfiniBand Architecture 1.2.1, 4.1.3. */
static void lids(void **state)
{
	static const struct {
		const char *text;
		uint16_t lid;
	} samples[] = {
		{"1", 1},	    {"0x10", 16},  {"010", 8}, {"49151", 0xbfff}, {"49152", 0},
		{"0xbfff", 0xbfff}, {"0xc000", 0}, {"0", 0},   {"-1", 0},	  {"65537", 0},
		{"7x", 7},	    {"x7", 0},	   {"", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_int_equal(ibaddr_parse_lid(samples[i].text), samples[i].lid);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_option, tree_only_set_up, tree_only_tear_down),
		cmocka_unit_test(pkey_indices),
		cmocka_unit_test(nothing_given),
		cmocka_unit_test(wrong_values),
		cmocka_unit_test(options_that_end),
		cmocka_unit_test(lids),
	};

	return cmocka_run_group_tests_name("compat-ibaddr", tests, NULL, NULL);
}
