/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/adapter/kernel_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/kmsg.h"
#include "kernel/sysfs.h"

/*
 * Messages of the drivers, the same in Linux 6.1 and 6.12 unless noted. A line matches the first
 * kind whose driver wrote it and whose words it contains.
 */
static const struct kind {
	const char *driver; /* at the start of the line, where the driver core puts it */
	const char *words;
	bool gave_up; /* as of this line, the adapter is out of service */
	const char *summary;
	/* IS_COMMON: on hosts without a fault, too. */
	enum { IS_FAULT, IS_FAULT_WITHOUT_RDMA, IS_COMMON } meaning;
} kinds[] = {
	/* drivers/net/ethernet/mellanox/mlx5/core/health.c */
	{"mlx5_core", "health recovery failed", true, "the driver could not revive the adapter"},
	{"mlx5_core", "health recovery flow aborted", true,
	 "the driver could not revive the adapter"},
	{"mlx5_core", "Driver is in error state. Unloading", true,
	 "the driver gave up on the adapter"},
	{"mlx5_core", "device's health compromised", false,
	 "the firmware of the adapter stopped responding"},
	{"mlx5_core", "Fatal error ", false, "the adapter had a fatal error"},
	{"mlx5_core", "Health issue observed", false, "the firmware reported a fault of its own"},
	{"mlx5_core", "PCI slot is unavailable", false,
	 "the adapter did not answer on the PCI bus"},
	/* main.c and cmd.c next to it */
	{"mlx5_core", "initializing state, aborting", true,
	 "the firmware of the adapter did not start"},
	{"mlx5_core", "Will cause a leak of a command resource", false,
	 "the firmware of the adapter did not answer a command"},
	/* events.c next to it: temp_warn(), port_module(), mlx5_pcie_event(). */
	{"mlx5_core", "High temperature on sensors", false, "the adapter was too hot"},
	{"mlx5_core", "insufficient/unadvertised power on the PCIe slot", false,
	 "the adapter switched ports off, because the PCIe slot does not supply, or does not "
	 "announce, enough power"},
	{"mlx5_core", "Port module event[error]", false,
	 "a cable or transceiver reported an error"},
	/* Each DGX Spark says so at every start. */
	{"mlx5_core", "Detected insufficient power on the PCIe slot", false,
	 "the PCIe slot announces less power than the adapter may draw", IS_COMMON},
	/* drivers/net/ethernet/mellanox/mlx4/catas.c */
	{"mlx4_core", "Internal error detected", false, "the adapter had a fatal error"},
	/* drivers/net/ethernet/broadcom/bnxt/bnxt.c */
	{"bnxt_en", "Firmware reset aborted", true, "the driver could not revive the adapter"},
	{"bnxt_en", "Detected firmware fatal condition", false, "the adapter had a fatal error"},
	{"bnxt_en", "Firmware not responding", false,
	 "the firmware of the adapter stopped responding"},
	/* bnxt_hwrm.c next to it */
	{"bnxt_en", "Error (timeout: ", false,
	 "the firmware of the adapter did not answer a command"},
	{"bnxt_en", "Abandoning msg {", false,
	 "the firmware of the adapter did not answer a command"},
	{"bnxt_en", "Resp cmpl intr ", false,
	 "the firmware of the adapter did not answer a command"},
	/*
	 * drivers/net/ethernet/intel/ice/ice_main.c; ice_set_safe_mode_caps() leaves no RDMA. irdma
	 * logs under the name of ice.
	 */
	{"ice", "Entering Safe Mode", false,
	 "the driver could not use a DDP package, without which it offers no RDMA",
	 IS_FAULT_WITHOUT_RDMA},
	{"ice", "Entering safe mode", false,
	 "the driver could not use a DDP package, without which it offers no RDMA",
	 IS_FAULT_WITHOUT_RDMA},
	{"ice", "device is unrecoverable", true, "the driver gave up on the adapter"},
	{"ice", "device is in unrecoverable state", true, "the driver gave up on the adapter"},
	{"ice", "unrecoverable device error", true, "the driver gave up on the adapter"},
	{"ice", "IRDMA hardware initialization FAILED", true,
	 "the RDMA half of the adapter failed to start"},
	/* drivers/infiniband/hw/hfi1/chip.c, qib/qib_iba7322.c, efa/efa_com.c */
	{"hfi1", "QSFP cable temperature too high", false, "a cable or transceiver was too hot"},
	{"ib_qib", "hardware error", false, "the adapter reported a hardware error"},
	{"efa", "Reset indication didn't turn on", true, "the driver could not reset the adapter"},
	/* drivers/net/ethernet: pensando/ionic/ionic_lif.c, microsoft/mana/hw_channel.c */
	{"ionic", "FW Down: Stopping LIFs", false, "the firmware of the adapter stopped"},
	{"mana", "HWC: Request timed out", false, "the adapter did not answer its driver"},
};

/* Adapters times kinds: the log of a failing host is long but repetitive. */
enum { MOST_COMPLAINTS = 256 };

static bool begins_with(const char *text, const char *word)
{
	const size_t length = strlen(word);

	return !strncmp(text, word, length) && text[length] == ' ';
}

static const struct kind *kind_of(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (begins_with(line, kinds[i].driver) && strstr(line, kinds[i].words))
			return &kinds[i];
	return NULL;
}

static struct complaint *complaint_of(struct complaints *complaints, const char *address,
				      size_t kind)
{
	struct complaint *complaint;

	for_each (known, complaints)
		if (known->kind == kind && !strcmp(known->address, address))
			return known;
	if (complaints->count == MOST_COMPLAINTS)
		return NULL;
	complaint = mem_append(&complaints->items, &complaints->count, sizeof(*complaint));
	complaint->address = mem_string(address);
	complaint->kind = kind;
	return complaint;
}

/*
 * Takes the device from the record's own field, set by the driver core, because the text of a line
 * can be written by anyone.
 */
void complaints_take(void *context, const struct kmsg_record *record)
{
	static const char bus[] = "+pci:";
	const size_t length = sizeof(bus) - 1;
	_cleanup_(freep) char *line = NULL, *address = NULL;
	struct complaints *complaints = context;
	struct complaint *complaint;
	const struct kind *kind;

	if (!complaints->lines++)
		complaints->first_usec = record->usec;
	if (record->device_length <= length || memcmp(record->device, bus, length) ||
	    !sysfs_is_pci_address(record->device + length, record->device_length - length))
		return;
	line = text_clean(record->text, record->text_length);
	kind = kind_of(line);
	if (!kind)
		return;
	address = text_clean(record->device + length, record->device_length - length);
	complaint = complaint_of(complaints, address, (size_t)(kind - kinds));
	if (!complaint)
		return;
	complaint->count++;
	complaint->usec = record->usec;
	free(complaint->line);
	complaint->line = line;
	line = NULL;
}

/* Formats to the second, because the log's clock is not exact. */
static void format_time(uint64_t boot_nsec, uint64_t usec, char text[static UTC_TEXT_SIZE])
{
	char *point;

	utc_format(boot_nsec + usec * 1000, text);
	point = strchr(text, '.');
	if (point)
		memcpy(point, "Z", sizeof("Z"));
}

/*
 * Whether the adapter was asked about. One that is gone from the bus was, unless objects were
 * named.
 */
static bool is_meant(const struct doctor_context *run, const char *address)
{
	struct pci_function *function = pci_list_find(doctor_pci(run->facts), address);

	return function ? doctor_is_selected(run->facts, function)
			: !run->facts->request->objects->count;
}

static struct judged judge(struct doctor_context *run, const struct complaint *complaint,
			   uint64_t boot_nsec)
{
	const struct kind *kind = &kinds[complaint->kind];
	const bool has_rdma = doctor_device_at(run->facts, complaint->address);
	char when[UTC_TEXT_SIZE];

	format_time(boot_nsec, complaint->usec, when);
	doctor_object(run, "%s", complaint->address);
	if (complaint->count > 1)
		doctor_evidence(run, "/dev/kmsg", "%zu times, the last %s: %.200s",
				complaint->count, when, complaint->line);
	else
		doctor_evidence(run, "/dev/kmsg", "%s: %.200s", when, complaint->line);
	if (kind->meaning == IS_COMMON || (kind->meaning == IS_FAULT_WITHOUT_RDMA && has_rdma)) {
		doctor_next_step(run, "nothing to do while the adapter's ports work");
		return doctor_note(run, "%s", kind->summary);
	}
	if (kind->gave_up && !has_rdma)
		return doctor_error(run, "%s", kind->summary);
	return doctor_warning(run, "%s", kind->summary);
}

struct judged complaints_judge(struct doctor_context *run, const struct complaints *complaints,
			       uint64_t boot_nsec)
{
	char since[UTC_TEXT_SIZE];

	for_each (complaint, complaints)
		if (is_meant(run, complaint->address))
			judge(run, complaint, boot_nsec);
	if (run->verdicts)
		return doctor_judged(run);
	if (!complaints->lines)
		return doctor_not_checked(run, 0, "the kernel log is empty");
	format_time(boot_nsec, complaints->first_usec, since);
	doctor_evidence(run, "/dev/kmsg", "%zu lines since %s", complaints->lines, since);
	return doctor_ok(run, "no known driver complaint in the kernel log");
}

void complaints_clear(struct complaints *complaints)
{
	for_each (complaint, complaints) {
		free(complaint->address);
		free(complaint->line);
	}
	free(complaints->items);
	*complaints = (struct complaints){.count = 0};
}

/* Returns the time of the boot; 0 if unknown. */
static uint64_t boot_nsec(const struct root *root)
{
	static const char key[] = "\nbtime ";
	_cleanup_(freep) char *text = NULL;
	const char *boot = NULL;

	if (root->live)
		return clock_wall_nsec() - clock_nsec();
	if (!sysfs_read_file(root, &text, "proc/stat"))
		boot = strstr(text, key);
	return boot ? strtoull(boot + sizeof(key) - 1, NULL, 10) * 1000000000 : 0;
}

struct judged check_kernel_log(struct doctor_context *run)
{
	_cleanup_(complaints_clear) struct complaints complaints = {.count = 0};
	const struct root *root = &run->facts->root;
	const int rc = kmsg_read(root, complaints_take, &complaints);
	const uint64_t boot = boot_nsec(root);

	if (rc == -EPERM || rc == -EACCES)
		return doctor_not_checked(run, NEEDS_ROOT,
					  "reading the kernel log needs CAP_SYSLOG");
	if (rc == -ENODATA)
		return doctor_not_checked(run, NEEDS_LIVE, "the snapshot has no kernel log");
	if (rc == -ENOENT || rc == -ENXIO)
		return doctor_not_checked(run, 0, "there is no /dev/kmsg here");
	if (rc)
		return doctor_unread(run, "the kernel log", "/dev/kmsg", rc, true);
	if (!boot)
		return doctor_not_checked(run, NEEDS_LIVE, "the snapshot lacks the boot time");
	return complaints_judge(run, &complaints, boot);
}
