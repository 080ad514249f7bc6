/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processors of a host, from /proc/cpuinfo texts of several architectures; its name; the
 * versions of libraries and of the kernel. The system's answers are made up here.
 */
#include "saved_tree.h"

#include <netlink/version.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/text.h"
#include "host/host.h"
#include "library_versions.h"

static struct {
	const char *name, *domain; /* NULL: the call fails */
	const char *missing;	   /* missing libraries, with blanks around their names */
	const char *versionless;   /* a missing one that is there, but has no version; or NULL */
} machine;

static int tell(char *text, size_t size, const char *answer)
{
	/* The previous content of the buffer does not matter. */
	snprintf(text, size, "%s", answer ? answer : "rest");
	return answer ? 0 : -1;
}

int gethostname(char *name, size_t size)
{
	return tell(name, size, machine.name);
}

int getdomainname(char *name, size_t size)
{
	return tell(name, size, machine.domain);
}

char *library_version(const char *soname, const char *call)
{
	_cleanup_(freep) char *word = mem_format(" %s ", soname);

	return strstr(machine.missing, word) ? NULL : mem_format("v-%s", call ? call : soname);
}

/* A library may be there without a version. */
char *library_path(const char *soname)
{
	_cleanup_(freep) char *version = library_version(soname, NULL);

	return version || (machine.versionless && !strcmp(soname, machine.versionless))
		       ? mem_string(soname)
		       : NULL;
}

static void expect(const char *text, const char *wanted)
{
	_cleanup_(freep) char *copy = mem_string(text), *got = NULL;
	_cleanup_(fclosep) FILE *file = fmemopen(copy, strlen(text) + 1, "r");

	assert_non_null(file);
	got = host_read_processors(file);
	assert_string_equal(got, wanted);
}

static void processors(void **state)
{
	(void)state;
	/* x86, show_cpuinfo() of arch/x86/kernel/cpu/proc.c */
	expect("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
	       "model name\t: Intel(R) Xeon(R) Gold 6226R CPU @ 2.90GHz\ncpu MHz\t\t: 2900.004\n"
	       "flags\t\t: fpu vme: de\n\n"
	       "processor\t: 1\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)\n"
	       "cpu MHz\t\t: 1200.000\n\n",
	       "cpu 0: model Intel(R) Xeon(R) Gold 6226R CPU @ 2.90GHz MHZ 2900.004\n"
	       "cpu 1: model Intel(R) Xeon(R) MHZ 1200.000\n");
	/* arm64 has neither; the last line may lack its newline. */
	expect("processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n\nprocessor\t: 63",
	       "cpu 0: model ? MHZ ?\ncpu 63: model ? MHZ ?\n");
	/* A value that one processor lacks is not inherited from the previous one. */
	expect("processor\t: 2\nmodel name\t: one\nprocessor\t: 4\ncpu MHz\t\t: 7\n",
	       "cpu 2: model one MHZ ?\ncpu 4: model ? MHZ 7\n");
	/* The first of two lines counts, even before the processor's number. */
	expect("processor\t: 5\nmodel name\t: a\nmodel name\t: b\ncpu MHz\t\t: 1\ncpu MHz\t\t: 2\n",
	       "cpu 5: model a MHZ 1\n");
	expect("processor\t: 6\nmodel name\t: a: b\n", "cpu 6: model a: b MHZ ?\n");
}

/* s390 uses other lines; numbers may be invalid. */
static void no_processors(void **state)
{
	(void)state;
	expect("", "");
	expect("\n\n", "");
	expect("vendor_id       : IBM/S390\n# processors    : 1\nprocessor 0: version = FF,  "
	       "identification = 0\n",
	       "");
	expect("model name\t: alone\n", "");
	expect("processor\t: x\nmodel name\t: none\n", "");
	expect("processor\t: 1000000\n", "");
	expect("processor\t: 999999\n", "cpu 999999: model ? MHZ ?\n");
	expect("processor\t: -1\nprocessor\t: 3\n", "cpu 3: model ? MHZ ?\n");
}

/* Every Linux machine with x86 or ARM processors has some. */
static void own_processors(void **state)
{
	_cleanup_(freep) char *lines = host_processors();

	(void)state;
	/* Not every architecture has such lines. */
	if (*lines)
		assert_memory_equal(lines, "cpu ", strlen("cpu "));
}

static void names(void **state)
{
	static const struct {
		const char *name, *domain, *wanted;
	} samples[] = {
		{"node1", "(none)", "node1"},
		{"node1", "example.org", "node1.example.org"},
		{"node1", "", "node1"},
		{"node1", NULL, "node1"},
		{"node1.a.b", "example.org", "node1.a.b"},
		{NULL, "(none)", ""},
		{"a\033b", "(none)", "a\\x1bb"},
		{"a", "b\033c", "a.b\\x1bc"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *name = NULL;

		machine.name = samples[i].name;
		machine.domain = samples[i].domain;
		name = host_name();
		assert_string_equal(name, samples[i].wanted);
	}
}

/*
 * Replace the library's variables, which may equal the version that the program was compiled with.
 */
const int nl_ver_maj = 9, nl_ver_min = 87, nl_ver_mic = 6;

/* name|compiled with|in use|note */
static void expect_components(const char *root, int rc, const char *wanted)
{
	struct component_list list = {.items = NULL};
	struct text_buffer text = {.text = NULL};

	assert_int_equal(components_load(&list, root), rc);
	for (size_t i = 0; i < list.count; i++) {
		const struct component *one = &list.items[i];

		text_buffer_add(&text, "%s|%s|%s|%s\n", one->name, one->built ? one->built : "-",
				one->running ? one->running : "-", one->note);
	}
	assert_string_equal(text.text, wanted);
	free(text_buffer_take(&text));
	component_list_clear(&list);
	assert_int_equal(list.count, 0);
}

#define FIRST(libverbs, no)                                                                       \
	"libnl-3|" NL_BUILT_VERSION "|9.87.6|netlink\n"                                           \
	"libibverbs|" IBVERBS_BUILT_VERSION "|" libverbs "|" no "MTU, capabilities, selftest\n"   \
	"librdmacm|" RDMACM_BUILT_VERSION "|v-" LIBRDMACM "|selftest --cm, multicast, rping\n"    \
	"libibumad|" IBUMAD_BUILT_VERSION "|v-" LIBUMAD                                           \
	"|smp, perf, sa, mad, ping, sysstat, fabric\n"                                            \
	"libgnutls|" GNUTLS_BUILT_VERSION "|v-gnutls_check_version|tokens of selftest and mesh\n" \
	"libmicrohttpd|" MICROHTTPD_BUILT_VERSION "|v-MHD_get_version|metrics --listen\n"         \
	"libarchive|" ARCHIVE_BUILT_VERSION "|v-archive_version_string|snapshots\n"

/* Accelerator libraries are shown if present; the kernel is that of the tree. */
static void components(void **state)
{
	const struct saved_tree *tree = *state;

	machine.missing = " " LIBCUDA "  " LIBHIP "  " LIBHIP_6 "  " LIBHIP_5 " ";
	expect_components(tree->path, 0,
			  FIRST("v-" LIBIBVERBS,
				"") "kernel|-|-|unknown whether the RDMA core is loaded\n");
	tree_directory(tree, "sys/class");
	expect_components(tree->path, 0,
			  FIRST("v-" LIBIBVERBS, "") "kernel|-|-|no RDMA core loaded\n");
	tree_write(tree, "proc/sys/kernel/osrelease", "6.12.0-x\033");
	tree_directory(tree, "sys/class/infiniband");
	machine.missing = " " LIBIBVERBS "  " LIBHIP "  " LIBHIP_5 " ";
	expect_components(
		tree->path, 0,
		FIRST("-", "cannot be loaded: no ") "libcuda|-|v-" LIBCUDA
						    "|selftest --memory cuda\n"
						    "libamdhip64|-|v-" LIBHIP_6
						    "|selftest --memory hip\n"
						    "kernel|-|6.12.0-x\\x1b|RDMA core loaded\n");
	machine.versionless = LIBIBVERBS;
	machine.missing = " " LIBIBVERBS "  " LIBCUDA "  " LIBHIP "  " LIBHIP_6 "  " LIBHIP_5 " ";
	expect_components(tree->path, 0,
			  FIRST("-", "") "kernel|-|6.12.0-x\\x1b|RDMA core loaded\n");
	machine.versionless = NULL;
	machine.missing = " " LIBCUDA " ";
	tree_write(tree, "proc/sys/kernel/osrelease", "");
	expect_components(tree->path, 0,
			  FIRST("v-" LIBIBVERBS,
				"") "libamdhip64|-|v-" LIBHIP "|selftest --memory hip\n"
				    "libamdhip64|-|v-" LIBHIP_6 "|selftest --memory hip\n"
				    "libamdhip64|-|v-" LIBHIP_5 "|selftest --memory hip\n"
				    "kernel|-|-|RDMA core loaded\n");
	expect_components("/nonexistent", -ENOENT,
			  FIRST("v-" LIBIBVERBS,
				"") "libamdhip64|-|v-" LIBHIP "|selftest --memory hip\n"
				    "libamdhip64|-|v-" LIBHIP_6 "|selftest --memory hip\n"
				    "libamdhip64|-|v-" LIBHIP_5 "|selftest --memory hip\n"
				    "kernel|-|-|unknown whether the RDMA core is loaded\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(processors),
		cmocka_unit_test(no_processors),
		cmocka_unit_test(own_processors),
		cmocka_unit_test(names),
		cmocka_unit_test_setup_teardown(components, tree_only_set_up, tree_only_tear_down),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
