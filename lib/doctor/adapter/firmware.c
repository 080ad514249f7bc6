/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the adapters themselves: firmware, health, temperature, disabled features. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/adapter/adapters.h"
#include "doctor/frame/check.h"
#include "doctor/frame/growth.h"
#include "kernel/sysfs.h"

#define SOURCE "devlink"

/*
 * Reads the adapters. If there are none to judge, says why, naming each PCI function without a
 * devlink device.
 */
static const struct doctor_adapters *adapters_for(struct doctor_context *run,
						  enum adapter_facts facts)
{
	const struct pci_list *pci = doctor_pci(run->facts);
	int rc;
	const struct doctor_adapters *adapters = doctor_adapters(run, facts, &rc);

	if (rc == -EPROTONOSUPPORT) {
		doctor_not_checked(run, 0, "the kernel has no devlink");
		return NULL;
	}
	if (rc) {
		doctor_unread(run, "the state of the adapters", SOURCE, rc, false);
		return NULL;
	}
	for_each (function, pci) {
		if (!doctor_is_selected(run->facts, function) ||
		    devlink_list_find(&adapters->list, function->address))
			continue;
		doctor_object(run, "%s", function->address);
		doctor_not_checked(run, 0,
				   "the driver has no devlink device in this network namespace");
	}
	if (!run->verdicts && !adapters->count)
		doctor_does_not_apply(run);
	return adapters;
}

/* Software devices count, too, because one may run on the netdev of an adapter. */
bool doctor_may_have_adapters(struct doctor_context *run)
{
	return doctor_has_hardware(run->facts);
}

/* Adds the known switches to the evidence; returns whether they disable RDMA. */
static bool describe_switches(struct doctor_context *run, const struct devlink *devlink)
{
	const enum tristate *on = devlink->switches;

	for (size_t i = 0; i < DEVLINK_SWITCHES; i++)
		if (on[i] != TRISTATE_UNKNOWN)
			doctor_evidence(run, SOURCE, "%s is %s", devlink_switch_names[i],
					on[i] == TRISTATE_YES ? "true" : "false");
	/*
	 * ice has both RoCE and iWARP, but never both enabled: ice_devlink_enable_roce_validate().
	 */
	return on[DEVLINK_RDMA] == TRISTATE_NO ||
	       (on[DEVLINK_ROCE] == TRISTATE_NO && on[DEVLINK_IWARP] != TRISTATE_YES) ||
	       (on[DEVLINK_IWARP] == TRISTATE_NO && on[DEVLINK_ROCE] == TRISTATE_UNKNOWN);
}

/* Returns the first switch that is off; there is one. */
static enum devlink_switch off_switch(const struct devlink *devlink)
{
	size_t which = 0;

	while (which + 1 < DEVLINK_SWITCHES && devlink->switches[which] != TRISTATE_NO)
		which++;
	return which;
}

static void step_on(struct doctor_context *run, const struct devlink *devlink)
{
	const enum devlink_switch which = off_switch(devlink);
	const uint8_t mode = devlink->switch_modes[which];
	_cleanup_(freep) char *set = mem_format(
		"if RDMA is wanted: devlink dev param set %s/%s name "
		"%s value true cmode",
		devlink->bus, devlink->name, devlink_switch_names[which]);

	if (mode == DEVLINK_PARAM_CMODE_RUNTIME)
		doctor_next_step(run, "%s runtime", set);
	else if (mode == DEVLINK_PARAM_CMODE_PERMANENT)
		doctor_next_step(run, "%s permanent, and restart the host", set);
	else
		doctor_next_step(run,
				 "%s driverinit, then devlink dev reload %s/%s, which takes its "
				 "network down for a moment",
				 set, devlink->bus, devlink->name);
}

static struct judged judge_switches(struct doctor_context *run, const struct adapter *adapter)
{
	const struct devlink *devlink = adapter->devlink;

	doctor_object(run, "%s", adapter->object);
	if (devlink->switches_rc)
		return doctor_unread(run, "the parameters that switch RDMA", SOURCE,
				     devlink->switches_rc, false);
	if (!describe_switches(run, devlink))
		return doctor_ok(run, "RDMA is not switched off by a parameter of the driver");
	step_on(run, devlink);
	if (adapter->device && devlink->switches[DEVLINK_RDMA] == TRISTATE_NO)
		return doctor_note(run, "RDMA is switched off as of the next load of the driver");
	if (adapter->device &&
	    devlink->switch_modes[off_switch(devlink)] != DEVLINK_PARAM_CMODE_RUNTIME)
		/*
		 * mlx5 keeps its RDMA device without RoCE:
		 * Documentation/networking/devlink/mlx5.rst
		 */
		return doctor_note(
			run,
			"RoCE is switched off, as of the next load of the driver at the latest");
	return doctor_note(run, "RDMA is switched off on the adapter");
}

struct judged check_rdma_disabled(struct doctor_context *run)
{
	const struct doctor_adapters *adapters = adapters_for(run, ADAPTER_SWITCHES);

	for (size_t i = 0; adapters && i < adapters->count; i++)
		judge_switches(run, &adapters->items[i]);
	return doctor_judged(run);
}

/* Counts devices of the same board; with `firmware`, only those that run it. */
static size_t count_alike(const struct doctor_adapters *adapters, const struct device *device,
			  const char *firmware)
{
	size_t count = 0;

	for (size_t i = 0; i < adapters->single_count; i++) {
		const struct device *other = adapters->single[i];

		if (!strcmp(other->board_id, device->board_id) &&
		    (!firmware || !strcmp(other->firmware, firmware)))
			count++;
	}
	return count;
}

/* Returns the firmware that most devices of the board have; on a tie, the first one. */
static const char *usual_firmware(const struct doctor_adapters *adapters,
				  const struct device *device)
{
	const char *usual = device->firmware;
	size_t most = count_alike(adapters, device, usual);

	for (size_t i = 0; i < adapters->single_count; i++) {
		const struct device *other = adapters->single[i];
		size_t count = !strcmp(other->board_id, device->board_id)
				       ? count_alike(adapters, device, other->firmware)
				       : 0;

		if (count > most) {
			usual = other->firmware;
			most = count;
		}
	}
	return usual;
}

static bool is_single_device(const struct doctor_adapters *adapters, const struct device *device)
{
	for (size_t i = 0; i < adapters->single_count; i++)
		if (adapters->single[i] == device)
			return true;
	return false;
}

/* Whether the file exists although its value is unknown: not every driver has a board_id. */
static bool has_board_file(struct doctor_facts *facts, const struct device *device)
{
	char text[SYSFS_TEXT_SIZE];

	return sysfs_read(&facts->root, text, SYSFS_RDMA_CLASS "/%s/board_id",
			  device->kernel_name) != -ENOENT;
}

static struct judged compare_firmware(struct doctor_context *run,
				      const struct doctor_adapters *adapters)
{
	const struct device *device = run->device;
	const size_t board = count_alike(adapters, device, NULL);
	const size_t same = count_alike(adapters, device, device->firmware);
	const char *usual;

	doctor_evidence(run, "fw_ver and board_id in sysfs",
			"firmware %s on %zu of %zu adapters %s", device->firmware, same, board,
			device->board_id);
	if (same == board)
		return doctor_ok(run, "adapters of the same board have the same firmware");
	usual = usual_firmware(adapters, device);
	if (2 * same > board && !strcmp(usual, device->firmware))
		return doctor_ok(run,
				 "the firmware is the one that most adapters of the board run");
	doctor_expected(run, usual, device->firmware);
	return doctor_warning(run,
			      "the firmware differs from that of other adapters of the same board");
}

struct judged check_firmware_same(struct doctor_context *run)
{
	const struct doctor_adapters *adapters = doctor_single_devices(run->facts);
	const struct device *device = run->device;

	if (!device->pci_address || (!device->board_id && !has_board_file(run->facts, device)))
		return doctor_does_not_apply(run);
	if (!device->board_id || !device->firmware)
		return doctor_unknown(run, device->board_id ? "the firmware version" : "the board");
	if (!is_single_device(adapters, device) || count_alike(adapters, device, NULL) < 2)
		return doctor_does_not_apply(run);
	return compare_firmware(run, adapters);
}

/*
 * mlx5 reports 0 if it cannot query the firmware, and all ones if the query failed
 * (mlx5_fw_version_query(), drivers/net/ethernet/mellanox/mlx5/core/fw.c).
 */
static bool is_version(const char *text)
{
	return text && *text && strcmp(text, "0.0.0000") && strcmp(text, "255.255.65535");
}

/* Whether an earlier name has shown the same pair: mlx5 has fw.version and fw. */
static bool is_repeated(const struct devlink *devlink, size_t which)
{
	const struct devlink_version *version = &devlink->versions[which];

	for (size_t i = 0; i < which; i++)
		if (is_version(devlink->versions[i].running) &&
		    is_version(devlink->versions[i].stored) &&
		    !strcmp(devlink->versions[i].running, version->running) &&
		    !strcmp(devlink->versions[i].stored, version->stored))
			return true;
	return false;
}

static struct judged judge_versions(struct doctor_context *run, const struct devlink *devlink)
{
	size_t both = 0, pending = 0;

	for (size_t i = 0; i < devlink->version_count; i++) {
		const struct devlink_version *version = &devlink->versions[i];

		if (!is_version(version->running) || !is_version(version->stored))
			continue;
		both++;
		if (!strcmp(version->running, version->stored) || is_repeated(devlink, i))
			continue;
		pending++;
		doctor_evidence(run, SOURCE, "%s: %s is running, %s is stored", version->name,
				version->running, version->stored);
	}
	if (!both)
		return doctor_not_checked(run, 0,
					  "the driver does not report which firmware is stored");
	if (!pending)
		return doctor_ok(run, "the stored firmware is the one that is running");
	doctor_next_step(
		run,
		"when no job runs: devlink dev reload %s/%s action fw_activate, which takes its "
		"network down for a moment, or restart the host",
		devlink->bus, devlink->name);
	return doctor_warning(run,
			      "the stored firmware is not the running one: it waits for a reset");
}

struct judged check_firmware_pending(struct doctor_context *run)
{
	const struct doctor_adapters *adapters = adapters_for(run, ADAPTER_INFO);

	for (size_t i = 0; adapters && i < adapters->count; i++) {
		const struct adapter *adapter = &adapters->items[i];

		if (!adapter_has_firmware(run, adapter) ||
		    !strcmp(adapter->devlink->bus, "auxiliary"))
			continue;
		doctor_object(run, "%s", adapter->object);
		if (adapter->devlink->info_rc == -EOPNOTSUPP)
			doctor_not_checked(run, 0, "the driver does not report its versions");
		else if (adapter->devlink->info_rc)
			doctor_unread(run, "the versions of the firmware", SOURCE,
				      adapter->devlink->info_rc, false);
		else
			judge_versions(run, adapter->devlink);
	}
	return run->verdicts ? doctor_judged(run) : doctor_does_not_apply(run);
}

/* Adds the reporter's state to the evidence and returns its severity. */
static enum severity judge_reporter(struct doctor_context *run, const struct devlink *devlink,
				    const struct devlink_reporter *reporter)
{
	_cleanup_(freep) char *key = reporter_key(devlink, reporter);
	_cleanup_(freep) char *window = growth_window(doctor_growth_seconds(run->facts));
	uint64_t growth = 0;

	if (doctor_growth(run->facts, &growth, "%s", key))
		growth = 0;
	if (growth)
		doctor_evidence(run, SOURCE, "%s recovered %llu times in %s (0 expected)",
				reporter->name, (unsigned long long)growth, window);
	if (number_is(&reporter->state, DEVLINK_REPORTER_HEALTHY))
		return growth ? SEVERITY_WARNING : SEVERITY_OK;
	if (!number_is(&reporter->state, DEVLINK_REPORTER_ERROR)) {
		doctor_evidence(run, SOURCE, "%s is in an unknown state", reporter->name);
		return SEVERITY_INFO;
	}
	doctor_evidence(run, SOURCE,
			"%s is in error: %llu error%s, %llu recover%s since the driver "
			"was loaded",
			reporter->name, (unsigned long long)reporter->errors.value,
			text_plural_s(reporter->errors.value),
			(unsigned long long)reporter->recoveries.value,
			reporter->recoveries.value == 1 ? "y" : "ies");
	/* Queues of the netdev, not used by RDMA. */
	return !strcmp(reporter->name, "tx") || !strcmp(reporter->name, "rx") ? SEVERITY_WARNING
									      : SEVERITY_ERROR;
}

static struct judged judge_health(struct doctor_context *run, const struct adapter *adapter)
{
	const struct devlink *devlink = adapter->devlink;
	enum severity worst = SEVERITY_OK;

	doctor_object(run, "%s", adapter->object);
	for (size_t i = 0; i < devlink->reporter_count; i++) {
		const enum severity severity = judge_reporter(run, devlink, &devlink->reporters[i]);

		worst = severity > worst ? severity : worst;
	}
	if (devlink->reload_failed == TRISTATE_YES) {
		doctor_evidence(run, SOURCE, "the last reload of the driver failed");
		worst = SEVERITY_ERROR;
	}
	if (worst >= SEVERITY_WARNING)
		doctor_next_step(run,
				 "devlink health show %s/%s; as root, devlink health diagnose and "
				 "devlink health dump show give the cause, for the vendor",
				 devlink->bus, devlink->name);
	if (worst == SEVERITY_ERROR)
		return doctor_error(run, "the adapter or its driver reports a persistent fault");
	if (worst == SEVERITY_WARNING)
		return doctor_warning(run,
				      "the adapter had faults, and its network traffic suffers");
	if (worst == SEVERITY_INFO)
		return doctor_not_checked(run, 0, "the health of the adapter is not known");
	if (!devlink->reporter_count)
		return doctor_not_checked(run, 0, "the driver has no health reporters");
	return doctor_ok(run, "no health reporter is in error");
}

struct judged check_firmware_health(struct doctor_context *run)
{
	const struct doctor_adapters *adapters = adapters_for(run, ADAPTER_REPORTERS);

	for (size_t i = 0; adapters && i < adapters->count; i++)
		judge_health(run, &adapters->items[i]);
	return doctor_judged(run);
}

/* Temperatures are in thousandths of a degree Celsius: Documentation/hwmon/sysfs-interface.rst. */
enum { DEGREE = 1000, NEAR_DEGREES = 5 };

struct hottest {
	enum severity severity;
	size_t sensors; /* with both a value and a limit */
	int error;	/* of a sensor that could not be read */
};

/* Judges one sensor: temp1_input, its limit temp1_crit, its name temp1_label if it has one. */
static void judge_sensor(struct doctor_context *run, const char *hwmon, const char *input,
			 struct hottest *hottest)
{
	const int stem = (int)(strlen(input) - strlen("input"));
	_cleanup_(freep) char *label = NULL;
	int64_t value, limit;
	int rc = doctor_read_signed(run->facts, &value, "%s/%s", hwmon, input);
	enum severity severity = SEVERITY_OK;

	/* ENODATA: the sensor has no value now, such as that of a port without a module. */
	if (rc == -ENODATA || rc == -ENOENT)
		return;
	if (!rc)
		rc = doctor_read_signed(run->facts, &limit, "%s/%.*scrit", hwmon, stem, input);
	/* mlx5 may report 0 for all values of a port without a module. */
	if (rc == -ENOENT || (!rc && limit <= 0))
		return;
	if (rc) {
		hottest->error = rc;
		return;
	}
	label = sysfs_text(&run->facts->root, "%s/%.*slabel", hwmon, stem, input);
	hottest->sensors++;
	if (value >= limit)
		severity = SEVERITY_ERROR;
	else if (value >= limit - (int64_t)NEAR_DEGREES * DEGREE)
		severity = SEVERITY_WARNING;
	if (severity > hottest->severity)
		hottest->severity = severity;
	doctor_evidence(run, "hwmon", "%s %.0f degrees C, critical at %.0f",
			label && *label ? label : "sensor", (double)value / DEGREE,
			(double)limit / DEGREE);
}

static void judge_sensors(struct doctor_context *run, const char *hwmon, struct hottest *hottest)
{
	struct strings files = {.known = false};
	int rc = sysfs_list(&run->facts->root, &files, "%s", hwmon);

	if (rc)
		hottest->error = rc;
	for (size_t i = 0; i < files.count; i++) {
		const char *file = files.items[i];

		if (!strncmp(file, "temp", 4) && strlen(file) < 32 &&
		    text_ends_with(file + strlen("temp"), "_input"))
			judge_sensor(run, hwmon, file, hottest);
	}
	strings_free(&files);
}

struct judged check_temperature(struct doctor_context *run)
{
	struct hottest hottest = {.severity = SEVERITY_OK};
	_cleanup_(freep) char *source = doctor_pci_source(run->function, "hwmon");
	struct strings chips = {.known = false};
	int rc = sysfs_list(&run->facts->root, &chips, "%s", source + 1);

	for (size_t i = 0; i < chips.count; i++) {
		_cleanup_(freep) char *chip = mem_path(source + 1, chips.items[i]);

		judge_sensors(run, chip, &hottest);
	}
	strings_free(&chips);
	if (rc == -ENOENT) {
		/*
		 * mlx5_core has sensors since Linux 6.6, bnxt_en since earlier; many drivers have
		 * none.
		 */
		return doctor_does_not_apply(run);
	}
	if (hottest.severity == SEVERITY_ERROR)
		return doctor_error(run, "the adapter is too hot");
	if (hottest.severity == SEVERITY_WARNING)
		return doctor_warning(run, "the adapter is nearly too hot");
	if (rc || hottest.error)
		return doctor_unread(run, "the temperature", "hwmon", rc ? rc : hottest.error,
				     false);
	if (!hottest.sensors)
		return doctor_not_checked(run, 0, "no sensor has both a temperature and a limit");
	return doctor_ok(run, "the temperature is below its limit");
}
