/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a check reports its verdict, and the facts that checks share: settings of the kernel,
 * variables, containers, the profile that a host suggests.
 */
#include <errno.h>

#include "doctor/expect/expect.h"
#include "doctor_bed.h"

static int set_up(void **state)
{
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	bed->run.id = CHECK_ID_multi_rail_arp;
	bed->run.check = doctor_check(CHECK_ID_multi_rail_arp);
	return 0;
}

/* Evidence belongs to the next verdict only. */
static void evidence(void **state)
{
	struct bed *bed = *state;
	struct doctor_context *run = &bed->run;

	doctor_evidence(run, "a", "first %d", 1);
	doctor_evidence(run, "b", "second");
	doctor_evidence(run, "a", "third");
	doctor_evidence(run, NULL, "fourth");
	doctor_object(run, "eth%d", 0);
	doctor_object(run, "eth%d", 1);
	doctor_expected(run, "x", NULL);
	doctor_expected(run, "y", "z");
	doctor_blocks(run);
	doctor_warning(run, "it is %s", "so");
	assert_string_equal(bed_last(bed)->finding.evidence, "first 1; second; third; fourth");
	assert_int_equal(bed_last(bed)->sources.count, 2);
	assert_true(bed_last(bed)->sources.known);
	assert_string_equal(bed_last(bed)->sources.items[1], "b");
	assert_string_equal(bed_last(bed)->finding.object, "eth1");
	assert_string_equal(bed_last(bed)->expected, "y");
	assert_string_equal(bed_last(bed)->actual, "z");
	assert_string_equal(bed_last(bed)->finding.summary, "it is so");
	assert_true(bed_last(bed)->blocks);
	assert_int_equal(bed_last(bed)->finding.id.value, CHECK_ID_multi_rail_arp);
	assert_int_equal(run->verdicts, 1);
	doctor_warning(run, "again");
	assert_int_equal(bed->results.count, 2);
	assert_int_equal(run->verdicts, 2);
	assert_null(bed_last(bed)->finding.evidence);
	assert_null(bed_last(bed)->finding.object);
	assert_null(bed_last(bed)->expected);
	assert_int_equal(bed_last(bed)->sources.count, 0);
	assert_false(bed_last(bed)->blocks);
	/* A check that does not apply reports nothing, and drops the evidence given before. */
	doctor_evidence(run, "a", "in vain");
	doctor_does_not_apply(run);
	assert_int_equal(run->verdicts, 3);
	assert_int_equal(bed->results.count, 2);
	doctor_ok(run, "fine");
	assert_null(bed_last(bed)->finding.evidence);
	/* After a loop that should have given a verdict, the lack of one is told. */
	doctor_judged(run);
	assert_int_equal(bed->results.count, 3);
	run->verdicts = 0;
	doctor_judged(run);
	assert_int_equal(bed->results.count, 4);
	assert_string_equal(bed_last(bed)->finding.summary, "the check ended without a verdict");
}

/* A fault has a next step: its own, or that of the row; a success has none. */
static void next_steps(void **state)
{
	static const struct {
		enum severity verdict;
		bool own, row;
	} cases[] = {
		{SEVERITY_OK, false, false},   {SEVERITY_INFO, true, false},
		{SEVERITY_NOTICE, true, true}, {SEVERITY_WARNING, true, true},
		{SEVERITY_ERROR, true, true},
	};
	struct bed *bed = *state;
	struct doctor_context *run = &bed->run;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		doctor_verdict(run, cases[i].verdict, "x");
		assert_int_equal(bed_last(bed)->finding.severity.value, cases[i].verdict);
		if (cases[i].row)
			assert_string_equal(bed_last(bed)->finding.next_step, run->check->remedy);
		else
			assert_null(bed_last(bed)->finding.next_step);
		doctor_next_step(run, "do %s", "this");
		doctor_next_step(run, "do %s", "that");
		doctor_verdict(run, cases[i].verdict, "x");
		if (cases[i].own)
			assert_string_equal(bed_last(bed)->finding.next_step, "do that");
		else
			assert_null(bed_last(bed)->finding.next_step);
	}
	doctor_next_step(run, "do that");
	doctor_because(run, CHECK_ID_port_state);
	assert_null(bed_last(bed)->finding.next_step);
	assert_string_equal(bed_last(bed)->finding.summary, "not checked because of port-state");
	assert_int_equal(bed_last(bed)->finding.severity.value, SEVERITY_INFO);
	assert_int_equal(bed_last(bed)->because.value, CHECK_ID_port_state);
	doctor_ok(run, "x");
	assert_false(bed_last(bed)->because.known);
}

/* In a container, findings about the host are at most notes. */
static void containers_profile(void **state)
{
	static const enum severity verdicts[] = {SEVERITY_OK, SEVERITY_INFO, SEVERITY_NOTICE,
						 SEVERITY_WARNING, SEVERITY_ERROR};
	struct bed *bed = *state;
	struct doctor_check host = *bed->run.check, own = *bed->run.check;

	host.of_host = true;
	own.of_host = false;
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		const enum severity most = verdicts[i] > SEVERITY_NOTICE ? SEVERITY_NOTICE
									 : verdicts[i];

		bed->run.profile = PROFILE_CONTAINER;
		bed->run.check = &host;
		doctor_verdict(&bed->run, verdicts[i], "x");
		assert_int_equal(bed_last(bed)->finding.severity.value, most);
		bed->run.check = &own;
		doctor_verdict(&bed->run, verdicts[i], "x");
		assert_int_equal(bed_last(bed)->finding.severity.value, verdicts[i]);
		bed->run.profile = PROFILE_HPC;
		bed->run.check = &host;
		doctor_verdict(&bed->run, verdicts[i], "x");
		assert_int_equal(bed_last(bed)->finding.severity.value, verdicts[i]);
	}
}

/* A name of the object in the next step, as a shell word. */
static void forms(void **state)
{
	static const struct {
		const char *step, *form, *name;
	} cases[] = {
		{"ip link set eth1 up", "ip link set \001 up", "eth1"},
		{"eth1; eth1", "\001; \001", "eth1"},
		{"eth11, eth1", "eth11, \001", "eth1"},
		{"rdmactl perf --via mlx5_0/1", "rdmactl perf --via \001", "mlx5_0/1"},
		{"dev mlx5_0", "dev \001", "mlx5_0"},
		{"pci/0000:3b:00.0 is it", "pci/\001 is it", "0000:3b:00.0"},
		{"/dev/infiniband/uverbs0", "/dev/infiniband/\001", "uverbs0"},
		{"eth11 eth1.5 xeth1 eth1x", NULL, NULL},
		{"nothing", NULL, NULL},
	};
	struct bed *bed = *state;
	struct port port = {
		.device = (char[]){"mlx5_0"}, .netdev = (char[]){"eth1"}, .port = number_of(1)};
	const struct device device = {.name = (char[]){"mlx5_0"}, .uverbs = (char[]){"uverbs0"}};
	struct pci_function function = {.address = (char[]){"0000:3b:00.0"}};

	bed->run.check = doctor_check(CHECK_ID_port_state);
	bed->run.device = &device;
	bed->run.port = &port;
	bed->run.function = &function;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		doctor_next_step(&bed->run, "%s", cases[i].step);
		doctor_warning(&bed->run, "x");
		assert_string_equal(bed_last(bed)->finding.next_step, cases[i].step);
		if (!cases[i].form) {
			assert_null(bed_last(bed)->step_form);
			continue;
		}
		assert_string_equal(bed_last(bed)->step_form, cases[i].form);
		assert_string_equal(bed_last(bed)->step_name, cases[i].name);
	}
	/* A port without a netdev has the other names. */
	port.netdev = NULL;
	doctor_next_step(&bed->run, "dev mlx5_0");
	doctor_warning(&bed->run, "x");
	assert_string_equal(bed_last(bed)->step_name, "mlx5_0");
}

/* What is missing, and the first thing that would help. */
static void needs(void **state)
{
	static const struct {
		uint64_t needs;
		const char *next_step;
	} cases[] = {
		{0, NULL},
		{NEEDS_ROOT, "run it as root"},
		{NEEDS_LIVE, "run it on the host itself, without --root"},
		{NEEDS_INTERVAL,
		 "add --interval TIME, or --since FILE from rdmactl counters --save"},
		{NEEDS_PROBE, "add --probe, which opens devices"},
		{NEEDS_PEER, "add --peer HOST, where rdmactl selftest --serve runs"},
		{NEEDS_EXPECT, "add --expect FILE"},
		{NEEDS_PROBE | NEEDS_INTERVAL,
		 "add --interval TIME, or --since FILE from rdmactl counters --save"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		doctor_not_checked(&bed->run, cases[i].needs, "x");
		assert_int_equal(bed_last(bed)->finding.severity.value, SEVERITY_INFO);
		assert_int_equal(bed_last(bed)->needs.known, cases[i].needs != 0);
		assert_int_equal(bed_last(bed)->needs.value, cases[i].needs);
		if (cases[i].next_step)
			assert_string_equal(bed_last(bed)->finding.next_step, cases[i].next_step);
		else
			assert_null(bed_last(bed)->finding.next_step);
	}
	doctor_next_step(&bed->run, "mine");
	doctor_not_checked(&bed->run, NEEDS_ROOT, "x");
	assert_string_equal(bed_last(bed)->finding.next_step, "mine");
	doctor_unknown(&bed->run, "the colour");
	assert_string_equal(bed_last(bed)->finding.summary, "the colour is not known");
	assert_false(bed_last(bed)->needs.known);
	assert_int_equal(bed->problems.count, 0);
}

/* A root-only file that is refused to other users is not a problem; every other error is. */
static void unread(void **state)
{
	static const struct {
		int rc;
		bool for_root, denied;
	} cases[] = {
		{-EACCES, true, true},	{-EPERM, true, true},	 {-EIO, true, false},
		{-ENOENT, true, false}, {-EACCES, false, false}, {-EPERM, false, false},
	};
	struct bed *bed = *state;
	size_t problems = 0;

	for (int root = 0; root < 2; root++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			const bool denied = cases[i].denied && !root;

			if (root)
				tree_become_oneself();
			else
				tree_become_nobody();
			if (root && geteuid())
				continue;
			doctor_unread(&bed->run, "the file", "/a/b", cases[i].rc,
				      cases[i].for_root);
			tree_become_oneself();
			problems += !denied;
			assert_int_equal(bed->problems.count, problems);
			assert_string_equal(bed_last(bed)->finding.summary,
					    "the file cannot be read");
			assert_string_equal(bed_last(bed)->finding.evidence,
					    strerror(-cases[i].rc));
			assert_string_equal(bed_last(bed)->sources.items[0], "/a/b");
			assert_int_equal(bed_last(bed)->needs.value, denied ? NEEDS_ROOT : 0);
		}
	/* The problem belongs to the object of the verdict. */
	assert_null(bed->problems.items[0].object);
	doctor_object(&bed->run, "eth0");
	doctor_unread(&bed->run, "the file", "/a/b", -EIO, false);
	assert_string_equal(bed->problems.items[bed->problems.count - 1].object, "eth0");
	assert_string_equal(bed->problems.items[bed->problems.count - 1].attribute, "the file");
	assert_string_equal(bed->problems.items[bed->problems.count - 1].source, "/a/b");
}

/* The worst verdict of a check on the object, on what it is part of, or on the host. */
static void earlier(void **state)
{
	struct bed *bed = *state;
	struct doctor_context *run = &bed->run;
	struct device device = {.name = mem_string("mlx5_1")};
	char *object;

	run->device = &device;
	run->check = doctor_check(CHECK_ID_restricted_pf);
	assert_int_equal(run->check->scope, ON_DEVICE);
	object = doctor_scope_object(run);
	assert_string_equal(object, "mlx5_1");
	free(object);
	run->id = CHECK_ID_port_state;
	assert_int_equal(doctor_earlier(run, CHECK_ID_port_state), -1);
	doctor_object(run, "mlx5_10");
	doctor_error(run, "x");
	doctor_object(run, "mlx5_1/1");
	doctor_error(run, "x");
	assert_int_equal(doctor_earlier(run, CHECK_ID_port_state), -1);
	doctor_object(run, "mlx5_1");
	doctor_warning(run, "x");
	doctor_object(run, "mlx5_1");
	doctor_ok(run, "x");
	assert_int_equal(doctor_earlier(run, CHECK_ID_port_state), SEVERITY_WARNING);
	assert_int_equal(doctor_earlier(run, CHECK_ID_port_rate), -1);
	/* Without an object, it is that on the host. */
	run->check = doctor_check(CHECK_ID_multi_rail_arp);
	doctor_error(run, "x");
	assert_int_equal(doctor_earlier(run, CHECK_ID_port_state), SEVERITY_ERROR);
	free(device.name);
}

/* A setting is an integer in decimal digits. */
static void settings(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t value;
	} cases[] = {
		{"0", 0, 0},
		{"-1", 0, -1},
		{"9223372036854775807", 0, INT64_MAX},
		{"9223372036854775808", -EINVAL, 0},
		{"12x", -EINVAL, 0},
		{"1 2", -EINVAL, 0},
		{"x", -EINVAL, 0},
		{"", -EINVAL, 0},
	};
	struct bed *bed = *state;
	int64_t value = 77;

	assert_int_equal(doctor_read_signed(&bed->facts, &value, "proc/sys/vm/%s", "x"), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		value = 77;
		tree_write(&bed->tree, "proc/sys/vm/x", cases[i].text);
		assert_int_equal(doctor_read_signed(&bed->facts, &value, "proc/sys/vm/%s", "x"),
				 cases[i].rc);
		assert_int_equal(value, cases[i].rc ? 77 : cases[i].value);
	}
}

static void variables(void **state)
{
	char longer[] = "NAMES=1", own[] = "NAME=2=3", empty[] = "EMPTY=", bare[] = "BARE";
	char *const environment[] = {longer, own, empty, bare, NULL};
	struct bed *bed = *state;

	assert_null(doctor_environment(&bed->facts, "NAME"));
	bed->facts.environment = environment;
	assert_string_equal(doctor_environment(&bed->facts, "NAME"), "2=3");
	assert_string_equal(doctor_environment(&bed->facts, "EMPTY"), "");
	assert_null(doctor_environment(&bed->facts, "BARE"));
	assert_null(doctor_environment(&bed->facts, "NAM"));
}

/* The traces of Docker, Podman, systemd-nspawn, Kubernetes and Apptainer. */
static void containers(void **state)
{
	static const char *const files[] = {".dockerenv", "run/.containerenv",
					    "run/systemd/container"};
	char kubernetes[] = "KUBERNETES_SERVICE_HOST=10.0.0.1";
	char *const environment[] = {kubernetes, NULL};
	struct bed *bed = *state;

	assert_false(doctor_in_container(&bed->facts));
	assert_int_equal(doctor_choose_profile(&bed->facts), PROFILE_HPC);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		tree_write(&bed->tree, files[i], "");
		/* The answer is kept after the first look. */
		assert_false(doctor_in_container(&bed->facts));
		bed->facts.container = TRISTATE_UNKNOWN;
		assert_true(doctor_in_container(&bed->facts));
		assert_int_equal(doctor_choose_profile(&bed->facts), PROFILE_CONTAINER);
		tree_delete(&bed->tree, files[i]);
		bed->facts.container = TRISTATE_UNKNOWN;
		assert_false(doctor_in_container(&bed->facts));
	}
	bed->facts.environment = environment;
	bed->facts.container = TRISTATE_UNKNOWN;
	assert_true(doctor_in_container(&bed->facts));
	assert_false(doctor_in_apptainer(&bed->facts));
	bed->facts.environment = NULL;
	bed->facts.container = TRISTATE_UNKNOWN;
	tree_directory(&bed->tree, ".singularity.d");
	assert_true(doctor_in_container(&bed->facts));
	assert_true(doctor_in_apptainer(&bed->facts));
}

/* A host that was installed from the image of a container has its files, but is none. */
static void host_with_image(void **state)
{
	static const char host[] = "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
				   "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n";
	static const struct {
		const char *namespace, *own, *first;
		bool contained;
	} cases[] = {
		{"pid:[4026531836]", host, host, false},
		/* With mounts of its own, as of a service; the last one at / counts. */
		{"pid:[4026531836]",
		 "90 1 0:2 / / rw - rootfs none rw\n91 90 254:0 / / rw shared:1 - ext4 /dev/vda "
		 "rw\n",
		 host, false},
		/* Docker with --pid=host, LXC in a folder of the host, another PID namespace. */
		{"pid:[4026531836]", "300 200 0:52 / / rw - overlay overlay rw\n", host, true},
		{"pid:[4026531836]", "300 200 254:0 /var/lib/lxc/a / rw - ext4 /dev/vda rw\n", host,
		 true},
		{"pid:[4026532200]", host, host, true},
		/* chroot(2) leaves no mount at /; the other one's cannot be read. */
		{"pid:[4026531836]", "22 27 0:21 / /proc rw - proc proc rw\n", host, true},
		{"pid:[4026531836]", "\n22 27", "\n", true},
		{"pid:[4026531836]", host, NULL, true},
		{NULL, host, host, true},
	};
	struct bed *bed = *state;

	tree_write(&bed->tree, ".dockerenv", "");
	tree_directory(&bed->tree, ".singularity.d");
	for_each_in (row, cases, ARRAY_SIZE(cases)) {
		bed->facts.container = TRISTATE_UNKNOWN;
		tree_write(&bed->tree, "proc/self/mountinfo", row->own);
		if (row->first)
			tree_write(&bed->tree, "proc/1/mountinfo", row->first);
		if (row->namespace)
			tree_link(&bed->tree, "proc/self/ns/pid", row->namespace);
		assert_int_equal(doctor_in_container(&bed->facts), row->contained);
		assert_int_equal(doctor_in_apptainer(&bed->facts), row->contained);
		if (row->first)
			tree_delete(&bed->tree, "proc/1/mountinfo");
		if (row->namespace)
			tree_delete(&bed->tree, "proc/self/ns/pid");
	}
}

/* Only RoCE hardware makes a RoCE host; an accelerator makes it a GPU host. */
static void profiles(void **state)
{
	static const struct {
		int first, second; /* of the first and the second device; -1: no device */
		bool software;	   /* the first device is software */
		enum doctor_profile profile;
	} cases[] = {
		{-1, -1, false, PROFILE_HPC},
		{TRANSPORT_INFINIBAND, -1, false, PROFILE_HPC},
		{TRANSPORT_ROCE, -1, false, PROFILE_ROCE},
		{TRANSPORT_ROCE, -1, true, PROFILE_HPC},
		{TRANSPORT_ROCE, TRANSPORT_INFINIBAND, false, PROFILE_HPC},
		{TRANSPORT_INFINIBAND, TRANSPORT_ROCE, false, PROFILE_HPC},
		{TRANSPORT_INFINIBAND, TRANSPORT_ROCE, true, PROFILE_ROCE},
		{TRANSPORT_IWARP, -1, false, PROFILE_HPC},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const int transports[] = {cases[i].first, cases[i].second};

		device_list_clear(&bed->facts.inventory.devices);
		for (size_t j = 0; j < 2 && transports[j] >= 0; j++) {
			struct device *device = device_list_add(&bed->facts.inventory.devices,
								j ? "b" : "a");

			device->transport = number_of((unsigned int)transports[j]);
			device->software = !j && cases[i].software;
		}
		assert_int_equal(doctor_choose_profile(&bed->facts), cases[i].profile);
	}
	bed->facts.inventory.devices.items[0].transport.known = false;
	assert_int_equal(doctor_choose_profile(&bed->facts), PROFILE_HPC);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(evidence),	  TEST(next_steps),	 TEST(containers_profile), TEST(needs),
		TEST(unread),	  TEST(earlier),	 TEST(settings),	   TEST(variables),
		TEST(containers), TEST(host_with_image), TEST(profiles),	   TEST(forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
