/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks that ask netlink or the kernel log, on made-up facts: good, bad, unreadable. The PCI
 * functions and the links of the devices are a saved tree.
 */
#include "saved_tree.h"

#include <linux/devlink.h>
#include <linux/genetlink.h>

#include "base/cleanup.h"
#include "doctor/adapter/adapters.h"
#include "doctor/frame/check.h"
#include "doctor/frame/growth.h"
#include "doctor/adapter/kernel_log.h"
#include "doctor/roce/roce.h"
#include "kernel/kmsg.h"
#include "kernel/netlink/netlink.h"
#include "netlink_message.h"

/* After codes.h, because it defines one of its names as a macro. */
#include <linux/ethtool_netlink.h>

#define FIRST  "0000:3b:00.0"
#define SECOND "0000:5e:00.0"

struct bed {
	struct saved_tree tree;
	struct doctor_facts facts;
	struct doctor_request request;
	struct objects objects;
	struct doctor_results results;
	struct problems problems;
	struct doctor_context run;
};

static void make_device(struct bed *bed, const char *name, const char *place, const char *address)
{
	struct device *device = device_list_add(&bed->facts.inventory.devices, name);
	_cleanup_(freep) char *path = mem_format("sys/class/infiniband/%s", name);
	_cleanup_(freep) char *target = mem_format("../../devices/%s/infiniband/%s", place, name);

	device->pci_address = mem_string_or_null(address);
	tree_link(&bed->tree, path, target);
}

static int setup(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	bed->facts.root = bed->tree.root;
	bed->facts.request = &bed->request;
	bed->facts.problems = &bed->problems;
	bed->request.objects = &bed->objects;
	bed->run = (struct doctor_context){
		.facts = &bed->facts,
		.profile = PROFILE_HPC,
		.results = &bed->results,
	};
	tree_function(&bed->tree, "pci0000:3a/" FIRST, "0x020000", "0x15b3", "0x1021", NULL);
	tree_function(&bed->tree, "pci0000:5d/" SECOND, "0x020000", "0x15b3", "0x1021", NULL);
	make_device(bed, "mlx5_0", "pci0000:3a/" FIRST, FIRST);
	bed->facts.adapters = mem_alloc_zero(1, sizeof(*bed->facts.adapters));
	bed->facts.adapters->was_opened = bed->facts.adapters->was_listed = true;
	bed->facts.adapters->have = ~0u;
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	/* The tree is closed with it. */
	bed->facts.root.fd = -1;
	doctor_facts_free(&bed->facts);
	doctor_results_free(&bed->results);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static struct devlink *add_devlink(struct bed *bed, const char *bus, const char *name)
{
	struct devlink_list *list = &bed->facts.adapters->list;
	struct devlink *devlink = mem_append(&list->items, &list->count, sizeof(*devlink));

	devlink->bus = mem_string(bus);
	devlink->name = mem_string(name);
	memset(devlink->switch_modes, DEVLINK_PARAM_CMODE_DRIVERINIT,
	       sizeof(devlink->switch_modes));
	return devlink;
}

static void add_version(struct devlink *devlink, const char *name, const char *running,
			const char *stored)
{
	struct devlink_version *version = mem_append(&devlink->versions, &devlink->version_count,
						     sizeof(*version));

	version->name = mem_string(name);
	version->running = mem_string_or_null(running);
	version->stored = mem_string_or_null(stored);
}

static void add_reporter(struct devlink *devlink, const char *name, uint64_t state)
{
	struct devlink_reporter *reporter = mem_append(&devlink->reporters,
						       &devlink->reporter_count, sizeof(*reporter));

	reporter->name = mem_string(name);
	reporter->state = number_of(state);
	reporter->errors = number_of(4);
	reporter->recoveries = number_of(3);
}

static void begin(struct bed *bed, enum doctor_check_id id)
{
	doctor_results_free(&bed->results);
	bed->results = (struct doctor_results){.count = 0};
	bed->run.id = id;
	bed->run.check = doctor_check(id);
	bed->run.verdicts = 0;
}

static void check(struct bed *bed, enum doctor_check_id id)
{
	begin(bed, id);
	bed->run.check->check(&bed->run);
	assert_true(bed->run.verdicts > 0);
}

/*
 * Expects this verdict on the object, with these words in its evidence, or without evidence in its
 * summary.
 */
static void assert_said(const struct bed *bed, const char *object, enum severity severity,
			const char *words)
{
	for (size_t i = 0; i < bed->results.count; i++) {
		const struct finding *finding = &bed->results.items[i].finding;
		_cleanup_(freep) char *said = NULL;

		if (!finding->object || strcmp(finding->object, object))
			continue;
		said = mem_format("%s; %s", finding->summary,
				  finding->evidence ? finding->evidence : "");
		if (finding->severity.value != severity || !strstr(said, words))
			fail_msg("%s: severity %u, %s", object,
				 (unsigned int)finding->severity.value, said);
		assert_true(severity < SEVERITY_NOTICE || finding->next_step);
		return;
	}
	fail_msg("nothing was said of %s", object);
}

/* The first next step given must be this one. */
static void assert_step(const struct bed *bed, const char *wanted)
{
	size_t i = 0;

	while (i < bed->results.count && !bed->results.items[i].finding.next_step)
		i++;
	assert_true(i < bed->results.count);
	assert_string_equal(bed->results.items[i].finding.next_step, wanted);
}

static void pending(void **state)
{
	struct bed *bed = *state;
	struct devlink *devlink;

	/* Another device comes first in the list. */
	add_devlink(bed, "auxiliary", "mlx5_core.eth.7");
	devlink = add_devlink(bed, "pci", FIRST);
	add_version(devlink, "fw.psid", NULL, NULL);
	add_version(devlink, "fw.version", "28.43.2026", "28.43.2026");
	add_version(devlink, "fw", "28.43.2026", "28.43.2026");
	check(bed, CHECK_ID_firmware_pending);
	assert_said(bed, FIRST, SEVERITY_OK, "the stored firmware is the one that is running");
	/* The other function has no devlink device, which is reported. */
	assert_said(bed, SECOND, SEVERITY_INFO, "no devlink device");

	/* mlx5 reports the same version twice; it is shown once. */
	for (size_t i = 1; i < 3; i++) {
		free(devlink->versions[i].stored);
		devlink->versions[i].stored = mem_string("28.45.1200");
	}
	check(bed, CHECK_ID_firmware_pending);
	assert_said(bed, FIRST, SEVERITY_WARNING,
		    "; fw.version: 28.43.2026 is running, 28.45.1200 is stored");
	assert_step(bed, "when no job runs: devlink dev reload pci/" FIRST " action fw_activate, "
			 "which takes its network down for a moment, or restart the host");
	for (size_t i = 0; i < bed->results.count; i++)
		assert_true(!bed->results.items[i].finding.evidence ||
			    !strchr(bed->results.items[i].finding.evidence, ';'));
	/* A version that is running already comes between it and another one that is pending. */
	add_version(devlink, "fw.undi", "14.36.16", "14.36.16");
	add_version(devlink, "fw.uefi", "14.36.0021", "14.38.0016");
	check(bed, CHECK_ID_firmware_pending);
	assert_said(
		bed, FIRST, SEVERITY_WARNING,
		"; fw.version: 28.43.2026 is running, 28.45.1200 is stored; fw.uefi: 14.36.0021 is "
		"running, 14.38.0016 is stored");
}

static void pending_unknown(void **state)
{
	struct bed *bed = *state;
	struct devlink *devlink = add_devlink(bed, "pci", FIRST);
	struct devlink *second;

	/*
	 * What mlx5 reports if it could not query, and a driver that reports only one of the two.
	 */
	add_version(devlink, "fw", "255.255.65535", "0.0.0000");
	add_version(devlink, "fw.mgmt", "1.0", NULL);
	second = add_devlink(bed, "pci", SECOND);
	second->info_rc = -EIO;
	check(bed, CHECK_ID_firmware_pending);
	assert_said(bed, FIRST, SEVERITY_INFO, "does not report which firmware is stored");
	assert_said(bed, SECOND, SEVERITY_INFO, "Input/output error");
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, SECOND);
	second->info_rc = -EOPNOTSUPP;
	check(bed, CHECK_ID_firmware_pending);
	assert_said(bed, SECOND, SEVERITY_INFO, "does not report its versions");
	assert_int_equal(bed->problems.count, 1);
}

/* Virtual functions are not queried: the driver of Linux 6.1 logs complaints about that. */
static void pending_virtual(void **state)
{
	struct bed *bed = *state;

	add_devlink(bed, "pci", FIRST);
	add_devlink(bed, "pci", SECOND);
	for (size_t i = 0; i < 2; i++)
		bed->facts.adapters->list.items[i].info_rc = -EIO;
	tree_write(&bed->tree, "sys/devices/pci0000:3a/" FIRST "/device", "0x101e");
	tree_link(&bed->tree, "sys/devices/pci0000:5d/" SECOND "/physfn", "../" FIRST);
	check(bed, CHECK_ID_firmware_pending);
	assert_int_equal(bed->results.count, 0);
	assert_int_equal(bed->problems.count, 0);
}

static void health(void **state)
{
	struct bed *bed = *state;
	struct devlink *devlink = add_devlink(bed, "pci", FIRST);

	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, FIRST, SEVERITY_INFO, "no health reporters");
	add_reporter(devlink, "fw", DEVLINK_REPORTER_HEALTHY);
	add_reporter(devlink, "tx", DEVLINK_REPORTER_HEALTHY);
	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, FIRST, SEVERITY_OK, "");
	devlink->reporters[1].state.value = DEVLINK_REPORTER_ERROR;
	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, FIRST, SEVERITY_WARNING, "; tx is in error: 4 errors, 3 recoveries");
	devlink->reporters[0].state.value = DEVLINK_REPORTER_ERROR;
	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, FIRST, SEVERITY_ERROR, "fw is in error: 4 errors");
	devlink->reporters[0].errors = devlink->reporters[0].recoveries = number_of(1);
	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, FIRST, SEVERITY_ERROR, "fw is in error: 1 error, 1 recovery since");
	/* mlx5's fw reporter only informs: its error state does not mean that nothing works. */
	assert_string_equal(bed->results.items[bed->results.count - 1].finding.summary,
			    "the adapter or its driver reports a persistent fault");
	/* A state that this program does not know is not health. */
	devlink->reporters[0].state.value = 7;
	devlink->reporters[1].state.value = DEVLINK_REPORTER_HEALTHY;
	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, FIRST, SEVERITY_INFO, "fw is in an unknown state");
	devlink->reporters[0].state.value = DEVLINK_REPORTER_HEALTHY;
	devlink->reload_failed = TRISTATE_YES;
	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, FIRST, SEVERITY_ERROR, "reload of the driver failed");
}

static void unreadable(void **state)
{
	struct bed *bed = *state;

	bed->facts.adapters->list_rc = -EPERM;
	check(bed, CHECK_ID_firmware_health);
	assert_int_equal(bed->results.count, 1);
	assert_int_equal(bed->results.items[0].finding.severity.value, SEVERITY_INFO);
	assert_int_equal(bed->problems.count, 1);
	bed->facts.adapters->list_rc = -EPROTONOSUPPORT;
	check(bed, CHECK_ID_rdma_disabled);
	assert_string_equal(bed->results.items[0].finding.summary, "the kernel has no devlink");
	assert_int_equal(bed->problems.count, 1);
}

static void switches(void **state)
{
	static const struct {
		enum tristate rdma, roce, iwarp;
		enum severity severity;
	} cases[] = {
		{TRISTATE_YES, TRISTATE_YES, TRISTATE_UNKNOWN, SEVERITY_OK},
		{TRISTATE_NO, TRISTATE_YES, TRISTATE_UNKNOWN, SEVERITY_NOTICE},
		{TRISTATE_YES, TRISTATE_NO, TRISTATE_UNKNOWN, SEVERITY_NOTICE},
		/* ice: one of the two is on. */
		{TRISTATE_UNKNOWN, TRISTATE_NO, TRISTATE_YES, SEVERITY_OK},
		{TRISTATE_UNKNOWN, TRISTATE_YES, TRISTATE_NO, SEVERITY_OK},
		{TRISTATE_UNKNOWN, TRISTATE_NO, TRISTATE_NO, SEVERITY_NOTICE},
		/* A driver without such parameters. */
		{TRISTATE_UNKNOWN, TRISTATE_UNKNOWN, TRISTATE_UNKNOWN, SEVERITY_OK},
	};
	struct bed *bed = *state;
	struct devlink *devlink = add_devlink(bed, "pci", SECOND);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		devlink->switches[DEVLINK_RDMA] = cases[i].rdma;
		devlink->switches[DEVLINK_ROCE] = cases[i].roce;
		devlink->switches[DEVLINK_IWARP] = cases[i].iwarp;
		check(bed, CHECK_ID_rdma_disabled);
		assert_said(bed, SECOND, cases[i].severity,
			    cases[i].roce == TRISTATE_YES  ? "enable_roce is true"
			    : cases[i].roce == TRISTATE_NO ? "enable_roce is false"
							   : "");
	}
	devlink->switches[DEVLINK_ROCE] = devlink->switches[DEVLINK_IWARP] = TRISTATE_NO;
	check(bed, CHECK_ID_rdma_disabled);
	assert_non_null(strstr(bed->results.items[bed->results.count - 1].finding.next_step,
			       SECOND " name enable_roce value true cmode driverinit, then devlink "
				      "dev reload pci/" SECOND));
	devlink->switch_modes[DEVLINK_ROCE] = DEVLINK_PARAM_CMODE_PERMANENT;
	check(bed, CHECK_ID_rdma_disabled);
	assert_string_equal(bed->results.items[bed->results.count - 1].finding.next_step,
			    "if RDMA is wanted: devlink dev param set pci/" SECOND
			    " name enable_roce value true cmode permanent, and restart the host");
	devlink->switch_modes[DEVLINK_ROCE] = DEVLINK_PARAM_CMODE_RUNTIME;
	check(bed, CHECK_ID_rdma_disabled);
	assert_string_equal(bed->results.items[bed->results.count - 1].finding.next_step,
			    "if RDMA is wanted: devlink dev param set pci/" SECOND
			    " name enable_roce value true cmode runtime");
	devlink->switches_rc = -EIO;
	check(bed, CHECK_ID_rdma_disabled);
	assert_said(bed, SECOND, SEVERITY_INFO, "Input/output error");
}

/* RDMA that is off while a device exists will be gone after the next driver load. */
static void switched_off_later(void **state)
{
	struct bed *bed = *state;
	struct devlink *devlink = add_devlink(bed, "pci", FIRST);

	devlink->switches[DEVLINK_RDMA] = TRISTATE_NO;
	check(bed, CHECK_ID_rdma_disabled);
	assert_said(bed, FIRST, SEVERITY_NOTICE, "as of the next load of the driver");
	devlink->switches[DEVLINK_RDMA] = TRISTATE_YES;
	devlink->switches[DEVLINK_ROCE] = TRISTATE_NO;
	check(bed, CHECK_ID_rdma_disabled);
	assert_said(bed, FIRST, SEVERITY_NOTICE, "RoCE is switched off, as of the next load");
}

/* The device below a subfunction or a software device is found by the links of sysfs. */
static void no_pci(void **state)
{
	struct bed *bed = *state;
	const char *place = "pci0000:3a/" FIRST "/mlx5_core.sf.4";

	make_device(bed, "mlx5_2", place, FIRST);
	make_device(bed, "rxe0", "virtual", NULL);
	bed->facts.inventory.devices.items[2].software = true;
	device_add_port(&bed->facts.inventory.devices.items[2], 1)->netdev = mem_string("eth7");
	tree_link(&bed->tree, "sys/class/net/eth7", "../../devices/netdevsim7/net/eth7");
	add_reporter(add_devlink(bed, "auxiliary", "mlx5_core.sf.4"), "tx", 0);
	add_reporter(add_devlink(bed, "netdevsim", "netdevsim7"), "dummy", 0);
	add_reporter(add_devlink(bed, "netdevsim", "netdevsim"), "dummy", 0);
	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, "mlx5_2", SEVERITY_OK, "");
	assert_said(bed, "rxe0", SEVERITY_OK, "");
	assert_int_equal(bed->run.verdicts, 4);
}

static void log_line(struct complaints *complaints, uint64_t usec, const char *device,
		     const char *text)
{
	_cleanup_(freep) char *line = mem_format(
		"3,901,%llu,-,caller=T1;%s\n SUBSYSTEM=pci\n%s%s\n", (unsigned long long)usec, text,
		device ? " DEVICE=" : "", device ? device : "");
	struct kmsg_record record;

	assert_int_equal(kmsg_parse(line, strlen(line), &record), 0);
	assert_int_equal(record.level, 3);
	assert_int_equal(record.facility, 0);
	complaints_take(complaints, &record);
}

/* 2026-11-22T00:00:00Z */
#define BOOT (UINT64_C(1795305600) * 1000000000)

static void judge_log(struct bed *bed, const struct complaints *complaints)
{
	begin(bed, CHECK_ID_kernel_log);
	complaints_judge(&bed->run, complaints, BOOT);
}

static void kernel_log(void **state)
{
	struct bed *bed = *state;
	_cleanup_(complaints_clear) struct complaints complaints = {.count = 0};

	judge_log(bed, &complaints);
	assert_string_equal(bed->results.items[0].finding.summary, "the kernel log is empty");
	/*
	 * Nothing of an adapter's driver: no device, another bus, another driver, harmless
	 * messages.
	 */
	log_line(&complaints, 1000000, NULL, "mlx5_core " FIRST ": Fatal error 1 detected");
	log_line(&complaints, 2000000, "+usb:1-1", "mlx5_core " FIRST ": Fatal error 1 detected");
	log_line(&complaints, 2000000, "+pci:" FIRST, "mlx5_corex: Fatal error 1 detected");
	log_line(&complaints, 2000000, "+pci:x", "mlx5_core x: Fatal error 1 detected");
	log_line(&complaints, 3000000, "+pci:" FIRST, "mlx5_core " FIRST ": Rate limit: 127 rates");
	judge_log(bed, &complaints);
	assert_int_equal(bed->results.count, 1);
	assert_int_equal(bed->results.items[0].finding.severity.value, SEVERITY_OK);
	assert_string_equal(bed->results.items[0].finding.evidence,
			    "5 lines since 2026-11-22T00:00:01Z");

	log_line(&complaints, 60000000, "+pci:" FIRST,
		 "mlx5_core " FIRST ": poll_health:785:(pid 0): Fatal error 1 detected");
	log_line(&complaints, 61500000, "+pci:" FIRST,
		 "mlx5_core " FIRST ": poll_health:785:(pid 0): Fatal error 3 detected");
	log_line(&complaints, 62000000, "+pci:" SECOND,
		 "mlx5_core " SECOND
		 ": mlx5_health_try_recover:343:(pid 9): health recovery failed");
	judge_log(bed, &complaints);
	assert_said(bed, FIRST, SEVERITY_WARNING,
		    "; 2 times, the last 2026-11-22T00:01:01Z: mlx5_core " FIRST
		    ": poll_health:785:(pid 0): Fatal error 3 detected");
	/* Its RDMA device is gone. */
	assert_said(bed, SECOND, SEVERITY_ERROR, "could not revive");
}

/* An adapter without an RDMA device is lost only if its driver says that it gave up. */
static void kernel_log_kinds(void **state)
{
	static const struct {
		const char *text;
		enum severity severity;
		const char *summary; /* or NULL */
	} lines[] = {
		{"mlx5_core x: Driver is in error state. Unloading", SEVERITY_ERROR},
		{"mlx5_core x: health recovery flow aborted, PCI reads", SEVERITY_ERROR},
		{"mlx5_core x: device's health compromised - reached miss", SEVERITY_WARNING},
		{"mlx5_core x: Health issue observed, High temperature", SEVERITY_WARNING},
		{"mlx5_core x: High temperature on sensors with bit set", SEVERITY_WARNING},
		{"mlx5_core x: Port module event[error]: module 0, Cable error, Bus stuck",
		 SEVERITY_WARNING, "a cable or transceiver reported an error"},
		/* The cable is not at fault. */
		{"mlx5_core x: Port module event[error]: module 0, Cable error, One or more "
		 "network ports have been powered down due to insufficient/unadvertised power on "
		 "the PCIe slot",
		 SEVERITY_WARNING, "the adapter switched ports off"},
		{"mlx5_core x: mlx5_function_setup:1236:(pid 182): Firmware over 120000 MS in "
		 "pre-initializing state, aborting",
		 SEVERITY_ERROR, "the firmware of the adapter did not start"},
		{"mlx5_core x: CREATE_DCT(0x710) timeout. Will cause a leak of a command resource",
		 SEVERITY_WARNING, "the firmware of the adapter did not answer a command"},
		{"mlx5_core x: Detected insufficient power on the PCIe slot (27W).",
		 SEVERITY_NOTICE, "the PCIe slot announces less power"},
		{"mlx4_core x: Internal error detected:", SEVERITY_WARNING},
		{"bnxt_en x eth0: Firmware reset aborted, rc = -16", SEVERITY_ERROR},
		{"bnxt_en x eth0: Detected firmware fatal condition", SEVERITY_WARNING},
		{"bnxt_en x eth0: Error (timeout: 500015) msg {0x51 0x2a} len:0", SEVERITY_WARNING,
		 "the firmware of the adapter did not answer a command"},
		{"bnxt_en x eth0: Abandoning msg {0x51 0x2a} len: 0 due to firmware status: 0x1",
		 SEVERITY_WARNING, "the firmware of the adapter did not answer a command"},
		{"bnxt_en x eth0: Resp cmpl intr err msg: 0x51", SEVERITY_WARNING,
		 "the firmware of the adapter did not answer a command"},
		{"ice x: The DDP package file was not found or could not be read. Entering Safe "
		 "Mode",
		 SEVERITY_WARNING, "the driver could not use a DDP package"},
		{"ice x: The firmware loaded on the device is not compatible with the DDP "
		 "package.  Please update the device's NVM.  Entering safe mode.",
		 SEVERITY_WARNING, "the driver could not use a DDP package"},
		{"ice x: ice_pci_err_slot_reset failed, device is unrecoverable", SEVERITY_ERROR},
		{"hfi1 x: hfi1_0: QSFP cable temperature too high", SEVERITY_WARNING},
		{"ib_qib x: ib_qib0: hardware error", SEVERITY_WARNING},
		{"efa x efa_0: Reset indication didn't turn on", SEVERITY_ERROR},
		{"ionic x: FW Down: Stopping LIFs", SEVERITY_WARNING},
		{"mana x: HWC: Request timed out: 1 ms", SEVERITY_WARNING},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_(complaints_clear) struct complaints complaints = {.count = 0};

		log_line(&complaints, 5, "+pci:" SECOND, lines[i].text);
		judge_log(bed, &complaints);
		assert_said(bed, SECOND, lines[i].severity, lines[i].text);
		if (lines[i].summary)
			assert_said(bed, SECOND, lines[i].severity, lines[i].summary);
	}
}

/* Its device is back. */
static void kernel_log_revived(void **state)
{
	struct bed *bed = *state;
	_cleanup_(complaints_clear) struct complaints complaints = {.count = 0};

	log_line(&complaints, 5, "+pci:" FIRST,
		 "mlx5_core " FIRST
		 ": mlx5_health_try_recover:343:(pid 9): health recovery failed");
	judge_log(bed, &complaints);
	assert_said(bed, FIRST, SEVERITY_WARNING, "could not revive");
}

/* The driver was loaded again, with the package. */
static void kernel_log_left_safe_mode(void **state)
{
	struct bed *bed = *state;
	_cleanup_(complaints_clear) struct complaints complaints = {.count = 0};

	log_line(&complaints, 5, "+pci:" FIRST,
		 "ice " FIRST ": The DDP package file is invalid. Entering Safe Mode.");
	judge_log(bed, &complaints);
	assert_said(bed, FIRST, SEVERITY_NOTICE, "could not use a DDP package");
}

/* Times of a snapshot's lines count from the boot time in /proc/stat. */
static void kernel_log_recorded(void **state)
{
	static const char *const without[] = {"btime 1795305600\n", "cpu 1\nbtimes 1795305600\n",
					      "cpu 1\nbtime 0\n", "cpu 1\nbtime x\n"};
	struct bed *bed = *state;

	tree_write(&bed->tree, "kmsg", "3,1,61000000,-;one\n3,2,62000000,-;two");
	bed->facts.root.live = false;
	bed->facts.root.recorded = true;
	bed->facts.root.snapshot = dup(bed->tree.root.fd);
	tree_write(&bed->tree, "proc/stat", "cpu 1\nbtime 1795305600\nprocesses 1");
	check(bed, CHECK_ID_kernel_log);
	assert_string_equal(bed->results.items[0].finding.evidence,
			    "2 lines since 2026-11-22T00:01:01Z");
	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		tree_write(&bed->tree, "proc/stat", without[i]);
		check(bed, CHECK_ID_kernel_log);
		assert_string_equal(bed->results.items[0].finding.summary,
				    "the snapshot lacks the boot time");
	}
	tree_delete(&bed->tree, "proc/stat");
	check(bed, CHECK_ID_kernel_log);
	assert_string_equal(bed->results.items[0].finding.summary,
			    "the snapshot lacks the boot time");
}

static void kernel_log_damaged(void **state)
{
	static const char *const bad[] = {
		"",
		"3",
		"3,",
		"3,1,2",
		"3,1,2,-",
		";",
		"x,1,2,-;text",
		"3,,2,-;text",
		"3,1,2-;text",
		"3 ,1,2;",
		"-3,1,2,-;a",
		"99999999999999999999999,1,2,-;a",
	};
	struct kmsg_record record;
	_cleanup_(complaints_clear) struct complaints complaints = {.count = 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_(freep) char *copy = mem_alloc_zero(strlen(bad[i]), 1);

		memcpy(copy, bad[i], strlen(bad[i]));
		assert_int_equal(kmsg_parse(copy, strlen(bad[i]), &record), -EBADMSG);
	}
	/* Written by a program; without text; with control characters from a hostile device. */
	assert_int_equal(kmsg_parse("14,1,2,-;a", 10, &record), 0);
	assert_int_equal(record.facility, 1);
	assert_int_equal(kmsg_parse("3,1,2,-;", 8, &record), 0);
	assert_int_equal(record.text_length, 0);
	assert_null(record.device);
	complaints_take(&complaints, &record);
	log_line(&complaints, 5, "+pci:" FIRST, "mlx5_core \033[2J Fatal error \x9b");
	assert_string_equal(complaints.items[0].line, "mlx5_core \\x1b[2J Fatal error \\x9b");
}

/* Adds a port with a netdev, and makes it the object of the context. */
static struct link *make_port(struct bed *bed, const char *netdev, uint64_t speed_mbps)
{
	struct device *device = &bed->facts.inventory.devices.items[0];
	struct link *link = link_list_add(&bed->facts.inventory.links);
	struct port *port = device_add_port(device, 1);

	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	port->netdev = mem_string(netdev);
	link->name = mem_string(netdev);
	link->index = number_of(7);
	link->speed_mbps = number_unless_zero(speed_mbps);
	bed->run.device = device;
	bed->run.port = port;
	return link;
}

static void correction(void **state)
{
	static const struct {
		int rc;
		uint64_t active; /* 0: not reported */
		uint64_t speed_mbps;
		enum severity severity;
		const char *words;
	} cases[] = {
		{0, 50, 100000, SEVERITY_OK, "FEC RS"},
		{0, 51, 25000, SEVERITY_OK, "FEC BASER"},
		{0, 49, 100000, SEVERITY_NOTICE, "FEC none; 100 Gb/s"},
		{0, 49, 40000, SEVERITY_OK, "needs none"},
		{0, 49, 10000, SEVERITY_OK, "needs none"},
		{0, 49, 0, SEVERITY_INFO, "speed is not known"},
		{0, 0, 100000, SEVERITY_INFO, "no error correction is reported"},
		{-EOPNOTSUPP, 49, 100000, SEVERITY_INFO, "does not report the"},
		{-EIO, 49, 100000, SEVERITY_INFO, "Input/output error"},
	};
	struct bed *bed = *state;
	struct link *link = make_port(bed, "eth2", 0);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ethtool_fec fec = {.active = number_unless_zero(cases[i].active)};

		link->speed_mbps = number_unless_zero(cases[i].speed_mbps);
		begin(bed, CHECK_ID_fec_ber);
		fec_judge(&bed->run, link, cases[i].rc, &fec);
		assert_said(bed, "mlx5_0/1", cases[i].severity, cases[i].words);
		if (cases[i].severity == SEVERITY_NOTICE)
			assert_step(bed,
				    "unless it is a short cable made for use without it: ethtool "
				    "--set-fec eth2 encoding auto, at both ends; the link goes "
				    "down, and stays down while only one end has it");
	}
	assert_int_equal(bed->problems.count, 1);
	/* A software device on a netdev without error correction has nothing to judge. */
	bed->facts.inventory.devices.items[0].software = true;
	bed->run.verdicts = 0;
	fec_judge(&bed->run, link, -EOPNOTSUPP, NULL);
	assert_int_equal(bed->run.verdicts, 0);
	/* The member of a bond is named. */
	free(link->name);
	link->name = mem_string("eth3");
	begin(bed, CHECK_ID_fec_ber);
	fec_judge(&bed->run, link, -EIO, NULL);
	assert_said(bed, "eth3", SEVERITY_INFO, "cannot be read");
}

static void pauses(void **state)
{
	static const struct {
		int rc;
		enum tristate receive, transmit;
		int dcb_rc;
		struct number pfc;
		enum severity severity;
		const char *words;
	} cases[] = {
		{0, TRISTATE_NO, TRISTATE_NO, 0, {8, true}, SEVERITY_OK, "no pause frames"},
		{0, TRISTATE_YES, TRISTATE_YES, 0, {0, true}, SEVERITY_OK, "PFC on no priority"},
		{0,
		 TRISTATE_YES,
		 TRISTATE_NO,
		 0,
		 {8, true},
		 SEVERITY_WARNING,
		 "receive on, transmit off; PFC on priority 3"},
		{0, TRISTATE_YES, TRISTATE_YES, 0, {0, false}, SEVERITY_INFO, "does not report"},
		{0,
		 TRISTATE_YES,
		 TRISTATE_YES,
		 -EOPNOTSUPP,
		 {0, false},
		 SEVERITY_INFO,
		 "does not report its priority"},
		{0, TRISTATE_YES, TRISTATE_YES, -EIO, {0, false}, SEVERITY_INFO, "Input/output"},
		/* Error correction that seems off but is partly unknown is not off. */
		{0, TRISTATE_NO, TRISTATE_UNKNOWN, 0, {8, true}, SEVERITY_INFO, "does not report"},
		{-EIO, TRISTATE_NO, TRISTATE_NO, 0, {8, true}, SEVERITY_INFO, "Input/output"},
	};
	struct bed *bed = *state;
	struct link *link = make_port(bed, "eth2", 100000);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ethtool_pause pause = {
			.receive = cases[i].receive,
			.transmit = cases[i].transmit,
		};
		const struct roce_dcb dcb = {
			.rc = cases[i].dcb_rc,
			.dcb.pfc_known = cases[i].pfc.known,
			.dcb.pfc.pfc_en = (uint8_t)cases[i].pfc.value,
		};

		begin(bed, CHECK_ID_pause_conflict);
		pause_judge(&bed->run, link, cases[i].rc, &pause, &dcb);
		assert_said(bed, "mlx5_0/1", cases[i].severity, cases[i].words);
	}
	assert_int_equal(bed->problems.count, 2);
}

enum { DEVLINK_ID = 0x1c, ETHTOOL_ID = 0x1d };

static void put_generic(struct bytes *bytes, uint8_t command)
{
	const struct genlmsghdr header = {.cmd = command, .version = 1};

	bytes_put(bytes, &header, sizeof(header));
}

static void put_reporter(struct bytes *answer, uint32_t sequence, const char *name, uint64_t count)
{
	struct bytes payload = {0}, nest = {0};

	put_generic(&payload, 1);
	put_string(&payload, DEVLINK_ATTR_BUS_NAME, "pci");
	put_string(&payload, DEVLINK_ATTR_DEV_NAME, FIRST);
	put_string(&nest, DEVLINK_ATTR_HEALTH_REPORTER_NAME, name);
	put_u8(&nest, DEVLINK_ATTR_HEALTH_REPORTER_STATE, 0);
	put_u64(&nest, DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT, count);
	put_nest(&payload, DEVLINK_ATTR_HEALTH_REPORTER, &nest);
	put_message(answer, DEVLINK_ID, 0, sequence, payload.data, payload.length);
}

/* Each answer has more of everything than the previous one, except of the reporter tx. */
static void serve_growth(struct fake_kernel *kernel, const struct bytes *requests)
{
	unsigned int *asked = kernel->context;

	for_each_message (message, requests) {
		struct bytes answer = {0}, payload = {0}, nest = {0};
		const uint64_t total = 100 + 3 * ++*asked;

		if (message->nlmsg_type == DEVLINK_ID) {
			put_reporter(&answer, message->nlmsg_seq, "tx", 50);
			put_reporter(&answer, message->nlmsg_seq, "fw", total);
			put_done(&answer, message->nlmsg_seq, 0);
		} else {
			put_generic(&payload, 1);
			put_u32(&payload, ETHTOOL_A_FEC_ACTIVE, 50);
			put_u64(&nest, ETHTOOL_A_FEC_STAT_UNCORR, total);
			put_u64(&nest, ETHTOOL_A_FEC_STAT_CORR_BITS, total);
			put_nest(&payload, ETHTOOL_A_FEC_STATS, &nest);
			put_message(&answer, ETHTOOL_ID, 0, message->nlmsg_seq, payload.data,
				    payload.length);
		}
		fake_send(kernel, &answer);
	}
}

static void growth(void **state)
{
	struct bed *bed = *state;
	struct doctor_adapters *adapters = bed->facts.adapters;
	unsigned int asked = 0, before;
	struct fake_kernel kernel = {.serve = serve_growth, .context = &asked};

	make_port(bed, "eth2", 100000);
	add_devlink(bed, "pci", FIRST);
	adapters->devlink_family = DEVLINK_ID;
	adapters->ethtool_family = ETHTOOL_ID;
	adapters->generic = netlink_from_fd(fake_start(&kernel), NETLINK_LARGEST_MESSAGE);
	bed->request.interval_msec = 1;
	bed->request.run[CHECK_ID_firmware_health] = bed->request.run[CHECK_ID_fec_ber] = true;
	assert_int_equal(doctor_growth_load(&bed->facts), 0);
	bed->facts.growth->seconds = 0.3;
	check(bed, CHECK_ID_firmware_health);
	assert_said(bed, FIRST, SEVERITY_WARNING, "suffers; fw recovered 6 times in 0.3 s");
	check(bed, CHECK_ID_fec_ber);
	assert_said(bed, "mlx5_0/1", SEVERITY_WARNING, "6 uncorrectable blocks");
	assert_said(bed, "mlx5_0/1", SEVERITY_WARNING, "; 6 bits corrected in 0.3 s");
	/* Facts are read once, however many checks need them. */
	adapters->have = 0;
	before = asked;
	check(bed, CHECK_ID_firmware_pending);
	assert_int_equal(asked, before + 1);
	check(bed, CHECK_ID_firmware_pending);
	assert_int_equal(asked, before + 1);
	netlink_free(adapters->generic);
	adapters->generic = NULL;
	fake_stop(&kernel);
}

static void add_board(struct bed *bed, const char *name, const char *address, const char *firmware)
{
	struct device *device = bed->facts.inventory.devices.items;

	if (strcmp(name, "mlx5_0"))
		device = device_list_add(&bed->facts.inventory.devices, name);
	free(device->pci_address);
	device->pci_address = mem_string(address);
	device->board_id = mem_string("MT_0000000359");
	device->firmware = mem_string(firmware);
}

/* Without the text, it does not apply. */
static void check_firmware_of(struct bed *bed, const char *name, enum severity severity,
			      const char *words)
{
	bed->facts.adapters->was_counted = false;
	free(bed->facts.adapters->single);
	bed->facts.adapters->single = NULL;
	bed->facts.adapters->single_count = 0;
	bed->run.device = device_list_find(&bed->facts.inventory.devices, name);
	check(bed, CHECK_ID_firmware_same);
	if (words)
		assert_said(bed, name, severity, words);
	else
		assert_int_equal(bed->results.count, 0);
}

/* A function is one adapter, however many devices it has: a second device is not judged. */
static void same_firmware(void **state)
{
	struct bed *bed = *state;

	add_board(bed, "mlx5_0", FIRST, "1.0");
	check_firmware_of(bed, "mlx5_0", SEVERITY_OK, NULL);
	add_board(bed, "mlx5_1", FIRST, "1.1");
	check_firmware_of(bed, "mlx5_0", SEVERITY_OK, NULL);
	add_board(bed, "mlx5_2", SECOND, "1.0");
	check_firmware_of(bed, "mlx5_0", SEVERITY_OK, "firmware 1.0 on 2 of 2 adapters");
	check_firmware_of(bed, "mlx5_1", SEVERITY_OK, NULL);
	add_board(bed, "mlx5_3", "0000:77:00.0", "1.2");
	check_firmware_of(bed, "mlx5_0", SEVERITY_OK, "firmware 1.0 on 2 of 3 adapters");
	check_firmware_of(bed, "mlx5_3", SEVERITY_WARNING, "firmware 1.2 on 1 of 3 adapters");
	add_board(bed, "mlx5_4", "0000:78:00.0", "1.2");
	/* Half of them is not most of them. */
	check_firmware_of(bed, "mlx5_0", SEVERITY_WARNING, "firmware 1.0 on 2 of 4 adapters");
	check_firmware_of(bed, "mlx5_3", SEVERITY_WARNING, "firmware 1.2 on 2 of 4 adapters");
	/* The first of two equally frequent ones is the usual one. */
	add_board(bed, "mlx5_5", "0000:79:00.0", "1.3");
	check_firmware_of(bed, "mlx5_5", SEVERITY_WARNING, "firmware 1.3 on 1 of 5 adapters");
	assert_string_equal(bed->results.items[0].expected, "1.0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pending),
		TEST(pending_unknown),
		TEST(pending_virtual),
		TEST(health),
		TEST(unreadable),
		TEST(switches),
		TEST(switched_off_later),
		TEST(no_pci),
		TEST(kernel_log),
		TEST(kernel_log_kinds),
		TEST(kernel_log_revived),
		TEST(kernel_log_left_safe_mode),
		TEST(kernel_log_recorded),
		TEST(kernel_log_damaged),
		TEST(correction),
		TEST(pauses),
		TEST(growth),
		TEST(same_firmware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
