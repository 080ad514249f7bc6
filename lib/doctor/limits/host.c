/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Host-wide checks of doctor/frame/limits.def: processors, interrupts, settings, memory, files. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/limits/limits.h"
#include "doctor/stack/stack.h"
#include "kernel/netlink/nldev.h"

bool limits_apply_to_accelerators(struct doctor_context *run)
{
	return doctor_may_have_adapters(run) && doctor_has_accelerator(run->facts);
}

bool limits_apply_to_latency(struct doctor_context *run)
{
	return doctor_may_have_adapters(run) &&
	       (run->profile == PROFILE_HPC || run->profile == PROFILE_GPU);
}

bool limits_apply_to_function(struct doctor_context *run)
{
	return run->function;
}

struct judged check_numa_balancing(struct doctor_context *run)
{
	const char *source = "/proc/sys/kernel/numa_balancing";
	int64_t value = 0;
	int rc = doctor_read_signed(run->facts, &value, "%s", source + 1);

	if (rc == -ENOENT && run->facts->root.live) {
		doctor_evidence(run, source, "there is no %s", source);
		return doctor_ok(run, "the kernel has no automatic NUMA balancing");
	}
	if (rc)
		return limits_unread(run, "the setting numa_balancing", source, rc);
	doctor_evidence(run, source, "kernel.numa_balancing = %" PRId64 ", wanted 0", value);
	if (value)
		return doctor_warning(run, "automatic NUMA balancing moves pages");
	return doctor_ok(run, "automatic NUMA balancing is off");
}

/* Adds the deepest enabled idle state to the evidence. */
static void show_idle_state(struct doctor_context *run)
{
	static const char directory[] = "sys/devices/system/cpu/cpu0/cpuidle";
	const struct root *root = &run->facts->root;
	_cleanup_(strings_free) struct strings states = {.known = false};
	char deepest[SYSFS_TEXT_SIZE] = "";
	uint64_t most = 0;

	if (sysfs_list(root, &states, "%s", directory))
		return;
	for (size_t i = 0; i < states.count; i++) {
		struct number latency = {0}, disabled = {0};

		sysfs_read_number(root, &latency, "%s/%s/latency", directory, states.items[i]);
		sysfs_read_number(root, &disabled, "%s/%s/disable", directory, states.items[i]);
		if (!latency.known || latency.value < most || (disabled.known && disabled.value))
			continue;
		if (sysfs_read(root, deepest, "%s/%s/name", directory, states.items[i]) > 0)
			most = latency.value;
	}
	if (*deepest) {
		_cleanup_(freep) char *clean = text_clean(deepest, strlen(deepest));

		doctor_evidence(run, "/sys/devices/system/cpu/cpu0/cpuidle",
				"deepest idle state %s takes %" PRIu64 " us to leave", clean, most);
	}
}

/*
 * Whether the policy's processors are all offline, such as second threads if SMT is off: show() of
 * drivers/cpufreq/cpufreq.c, and show_scaling_governor() before Linux 5.19.
 */
static bool is_idle_policy(ssize_t rc)
{
	return rc == -EBUSY || rc == -EINVAL;
}

/*
 * The powersave of these drivers follows the load (Documentation/admin-guide/pm/intel_pstate.rst,
 * amd-pstate.rst), while the generic one is the lowest frequency (cpufreq.rst).
 */
static bool is_at_lowest(const char *governor, const char *driver)
{
	return !strcmp(governor, "powersave") && *driver && strcmp(driver, "intel_pstate") &&
	       strcmp(driver, "amd-pstate-epp") && strcmp(driver, "amd_pstate_epp");
}

/* Policies of processors, by governor. */
struct governors {
	size_t total, slow, lowest; /* slow: all that are not performance */
	char *other;		    /* the governor and driver of a slow one */
};

static int count_governors(const struct root *root, const char *directory,
			   struct governors *governors)
{
	struct strings policies = {.known = false};
	int rc = sysfs_list(root, &policies, "%s", directory);

	for (size_t i = 0; !rc && i < policies.count; i++) {
		char governor[SYSFS_TEXT_SIZE], driver[SYSFS_TEXT_SIZE] = "";
		ssize_t length;

		if (strncmp(policies.items[i], "policy", strlen("policy")))
			continue;
		length = sysfs_read(root, governor, "%s/%s/scaling_governor", directory,
				    policies.items[i]);
		if (length < 0 && length != -ENOENT && !is_idle_policy(length))
			rc = (int)length;
		governors->total += length >= 0;
		if (length < 0 || !strcmp(governor, "performance"))
			continue;
		sysfs_read(root, driver, "%s/%s/scaling_driver", directory, policies.items[i]);
		governors->lowest += is_at_lowest(governor, driver);
		if (!governors->slow++) {
			_cleanup_(freep) char *both = mem_format("%s (%s)", governor,
								 *driver ? driver : "?");

			governors->other = text_clean(both, strlen(both));
		}
	}
	strings_free(&policies);
	return rc;
}

struct judged check_cpu_power(struct doctor_context *run)
{
	static const char directory[] = "/sys/devices/system/cpu/cpufreq";
	struct governors governors = {.total = 0};
	const int rc = count_governors(&run->facts->root, directory + 1, &governors);
	_cleanup_(freep) char *other = governors.other;

	if (rc && !(rc == -ENOENT && run->facts->root.live))
		return limits_unread(run, "the processors' frequency governor", directory, rc);
	if (governors.slow)
		doctor_evidence(run, directory,
				"governor %s on %zu of %zu policies, wanted performance", other,
				governors.slow, governors.total);
	else
		doctor_evidence(run, directory,
				governors.total ? "governor performance" : "no frequency scaling");
	show_idle_state(run);
	if (governors.lowest)
		return doctor_note(run, "processors run at their lowest frequency");
	if (governors.slow)
		return doctor_note(run, "processors do not always run at their full frequency");
	if (governors.total)
		return doctor_ok(run, "no governor holds the processors' frequency back");
	return doctor_ok(run, "the kernel does not scale the processors' frequency");
}

/* ---- Interrupts ---- */

struct irq_count {
	size_t read, remote;
	char *processors; /* of a remote interrupt */
	char *irq;
	int rc; /* why an interrupt could not be read */
};

static void count_irq(struct doctor_context *run, const char *irq, struct irq_count *count)
{
	char list[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(&run->facts->root, list, "proc/irq/%s/effective_affinity_list",
				    irq);

	if (length < 0) {
		count->rc = (int)length;
		return;
	}
	/* An interrupt that was never requested has no processors. */
	if (!length)
		return;
	count->read++;
	if (sysfs_ranges_overlap(list, run->function->local_cpulist) || count->remote++)
		return;
	count->processors = text_clean(list, strlen(list));
	count->irq = text_clean(irq, strlen(irq));
}

static struct judged judge_irqs(struct doctor_context *run, const struct irq_count *count)
{
	const char *local = run->function->local_cpulist;

	/* Not every architecture has CONFIG_GENERIC_IRQ_EFFECTIVE_AFF_MASK in kernel/irq/proc.c. */
	if (!count->read && count->rc == -ENOENT && run->facts->root.live)
		return doctor_not_checked(
			run, 0, "the kernel does not report which processors serve interrupts");
	if (!count->read && count->rc)
		return limits_unread(run, "the processors that serve the interrupts",
				     "/proc/irq/N/effective_affinity_list", count->rc);
	if (!count->read)
		return doctor_not_checked(run, 0, "no interrupt of the device is in use");
	doctor_evidence(run, "/proc/irq/N/effective_affinity_list",
			"%zu of %zu interrupts on processors other than %s", count->remote,
			count->read, local);
	/*
	 * A driver with an interrupt for each processor begins with the close ones:
	 * comp_irq_request_pci(), mlx5/core/eq.c.
	 */
	if (!count->remote)
		return doctor_ok(run, "processors close to the device serve its interrupts");
	if (count->read - count->remote >= sysfs_ranges_count(local))
		return doctor_ok(run,
				 "the processors close to the device serve at least as many of its "
				 "interrupts as there are processors");
	doctor_evidence(run, NULL, "such as %s on %s", count->irq, count->processors);
	return doctor_note(run, "processors far from the device serve its interrupts");
}

struct judged check_irq_local(struct doctor_context *run)
{
	_cleanup_(strings_free) struct strings irqs = {.known = false};
	struct irq_count count = {.read = 0};
	int rc;

	pci_read(&run->facts->root, run->function, PCI_NUMA, run->facts->problems);
	if (!run->function->local_cpulist || !sysfs_ranges_count(run->function->local_cpulist)) {
		return doctor_not_checked(run, 0, "the device's local processors are not known");
	}
	rc = sysfs_list(&run->facts->root, &irqs, PCI_FUNCTION "/msi_irqs", run->function->address);
	/* Without MSI there is a single interrupt, which devices share. */
	if (rc == -ENOENT)
		return doctor_not_checked(run, 0, "the device has no message-signalled interrupts");
	if (rc)
		return doctor_unread(run, "the interrupts", "msi_irqs", rc, false);
	/* Many saved trees lack the directory: then hundreds of interrupts need not be tried. */
	count.rc = rc = sysfs_has_directory(&run->facts->root, "proc/irq") ? 0 : -ENOENT;
	for (size_t i = 0; !rc && i < irqs.count; i++)
		if (isdigit((unsigned char)irqs.items[i][0]))
			count_irq(run, irqs.items[i], &count);
	judge_irqs(run, &count);
	free(count.processors);
	free(count.irq);
	return doctor_judged(run);
}

struct judged check_privileged_qkey(struct doctor_context *run)
{
	struct nldev_settings settings;
	int rc;

	/* Opening a netlink socket would load the RDMA core. */
	if (!sysfs_has_directory(&run->facts->root, SYSFS_RDMA_CLASS))
		return doctor_does_not_apply(run);
	rc = nldev_read_settings(&run->facts->root, &settings);
	if (rc == -EOPNOTSUPP || (!rc && !settings.privileged_qkey.known))
		return doctor_does_not_apply(run);
	if (rc)
		return doctor_unread(run, "the setting privileged-qkey", "RDMA netlink", rc, false);
	doctor_evidence(run, "RDMA netlink SYS_GET", "privileged-qkey %s, wanted off",
			settings.privileged_qkey.value ? "on" : "off");
	if (settings.privileged_qkey.value)
		return doctor_note(run, "every user may send with controlled Q_Keys");
	return doctor_ok(run, "controlled Q_Keys need CAP_NET_RAW");
}

struct judged check_nofile(struct doctor_context *run)
{
	enum { ENOUGH = 65536 };
	const char *source = "/proc/self/limits";
	struct limit soft = {{0}}, hard = {{0}};
	_cleanup_(freep) char *text = NULL;
	int rc = sysfs_read_long(&run->facts->root, &text, "%s", source + 1);

	if (!rc)
		procfs_parse_limit(text, "Max open files", &soft, &hard);
	if (!rc && hard.unlimited == TRISTATE_UNKNOWN)
		rc = -EINVAL;
	if (rc)
		return limits_unread(run, "the limit on open files", source, rc);
	if (hard.unlimited == TRISTATE_YES)
		doctor_evidence(run, source, "Max open files unlimited");
	else
		doctor_evidence(run, source, "hard limit of %" PRIu64 " open files, wanted %d",
				hard.value.value, ENOUGH);
	limits_advise_container(run, "nofile=1048576", "LimitNOFILE=1048576", "");
	if (hard.unlimited == TRISTATE_NO && hard.value.value < ENOUGH)
		return doctor_note(run, "few files may be open at a time");
	return doctor_ok(run, "enough files may be open");
}

/*
 * Whether the host appears as a separate word: node1 is not in node12, but may be next to a dash.
 */
static bool names_host(const char *description, const char *host)
{
	const size_t length = strlen(host);

	for (const char *at = description; length && (at = strstr(at, host)); at++)
		if ((at == description || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

struct judged check_node_desc(struct doctor_context *run)
{
	const char *description = run->device->node_description;
	char host[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(&run->facts->root, host, "proc/sys/kernel/hostname");

	if (!description)
		return doctor_unknown(run, "the node description");
	if (length < 0)
		return limits_unread(run, "the host's name", "/proc/sys/kernel/hostname",
				     (int)length);
	/* By default, rdma-ndd writes the name up to the first dot, rdma-core's rdma-ndd.8. */
	host[strcspn(host, ".")] = '\0';
	doctor_evidence(run, "node_desc", "node description '%s'", description);
	if (names_host(description, host))
		return doctor_ok(run, "the node description names the host");
	if (doctor_is_contained(run))
		return doctor_not_checked(
			run, 0,
			"the container may have another name than the host, whose name "
			"is not known");
	return doctor_note(run, "the node description does not name the host");
}

/* The current mode is the word in brackets: none [integrity] confidentiality. */
struct judged check_lockdown(struct doctor_context *run)
{
	const char *source = "/sys/kernel/security/lockdown";
	char text[SYSFS_TEXT_SIZE], *word, *end;
	ssize_t length = sysfs_read(&run->facts->root, text, "sys/kernel/security/lockdown");
	_cleanup_(freep) char *clean = NULL;

	/* The file exists only with the lockdown module and a mounted securityfs. */
	if (length == -ENOENT)
		return doctor_does_not_apply(run);
	if (length < 0)
		return doctor_unread(run, "the lockdown state of the kernel", source, (int)length,
				     true);
	word = strchr(text, '[');
	end = word ? strchr(word, ']') : NULL;
	if (!end)
		return doctor_unread(run, "the lockdown state of the kernel", source, -EINVAL,
				     false);
	clean = text_clean(word + 1, (size_t)(end - word - 1));
	doctor_evidence(run, source, "lockdown %s", clean);
	if (!strcmp(clean, "none"))
		return doctor_ok(run, "the kernel is not locked down");
	return doctor_note(run, "the kernel is locked down, so tools that map the adapter fail");
}

/*
 * The EFA provider of libfabric takes its buffers from huge pages, with a small gain, and from
 * others if there are none: efa_rdm_ep_fiops.c and docs/overview.md in prov/efa.
 */
static struct judged judge_no_hugepages(struct doctor_context *run)
{
	bool efa = false;

	for_each (device, &run->facts->inventory.devices)
		efa |= device->driver && !strcmp(device->driver, "efa");
	if (!efa)
		return doctor_does_not_apply(run);
	doctor_evidence(run, "/sys/kernel/mm/hugepages", "none reserved");
	return doctor_note(run, "libfabric finds no huge pages for its buffers on EFA");
}

struct judged check_hugepages(struct doctor_context *run)
{
	static const char directory[] = "sys/kernel/mm/hugepages";
	const struct root *root = &run->facts->root;
	struct strings sizes = {.known = false};
	bool any = false, empty = false;
	int rc = sysfs_list(root, &sizes, "%s", directory);

	for (size_t i = 0; !rc && i < sizes.count; i++) {
		_cleanup_(freep) char *name = text_clean(sizes.items[i], strlen(sizes.items[i]));
		struct number total = {0}, unused = {0}, claimed = {0};

		rc = sysfs_read_number(root, &total, "%s/%s/nr_hugepages", directory,
				       sizes.items[i]);
		if (!rc)
			rc = sysfs_read_number(root, &unused, "%s/%s/free_hugepages", directory,
					       sizes.items[i]);
		if (rc || !total.value)
			continue;
		/* Mappings have reserved them: Documentation/admin-guide/mm/hugetlbpage.rst. */
		sysfs_read_number(root, &claimed, "%s/%s/resv_hugepages", directory,
				  sizes.items[i]);
		unused.value -= claimed.value < unused.value ? claimed.value : unused.value;
		any = true;
		empty |= !unused.value;
		doctor_evidence(run, "/sys/kernel/mm/hugepages",
				"%s: %" PRIu64 " of %" PRIu64 " free%s", name, unused.value,
				total.value,
				claimed.value ? ", not counting those of resv_hugepages" : "");
	}
	strings_free(&sizes);
	if (rc && !(rc == -ENOENT && root->live))
		return limits_unread(run, "the reserved huge pages", "/sys/kernel/mm/hugepages",
				     rc);
	if (!any)
		return judge_no_hugepages(run);
	if (empty)
		return doctor_note(run, "reserved huge pages are used up");
	return doctor_ok(run, "reserved huge pages are free");
}

/* A snapshot has empty files with the names of the records, but not their times. */
static bool file_time(const struct root *root, const char *name, struct timespec *ret_time)
{
	_cleanup_(freep) char *path = mem_format("sys/fs/pstore/%s", name);
	_cleanup_(closep) int fd = root_open_path(root, path, 0);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) || !status.st_size)
		return false;
	*ret_time = status.st_mtim;
	return true;
}

struct judged check_pstore(struct doctor_context *run)
{
	const char *source = "/sys/fs/pstore";
	_cleanup_(strings_free) struct strings names = {.known = false};
	_cleanup_(freep) char *mounts = NULL;
	struct timespec time, newest = {0};
	const char *name = NULL;
	char date[32] = "";
	struct tm fields;
	size_t count = 0;
	int rc = sysfs_read_file(&run->facts->root, &mounts, "proc/self/mountinfo");

	/* Older snapshots do not record what is mounted. */
	if (rc && rc != -ENOENT)
		return doctor_unread(run, "what is mounted", "/proc/self/mountinfo", rc, false);
	/*
	 * The directory exists even without the file system, but is empty then: pstore_init_fs(),
	 * fs/pstore/inode.c.
	 */
	if (!rc && !strstr(mounts, " - pstore "))
		return doctor_does_not_apply(run);
	rc = sysfs_list(&run->facts->root, &names, "sys/fs/pstore");
	if (rc == -ENOENT)
		return doctor_does_not_apply(run);
	if (rc)
		return doctor_unread(run, "the saved records of crashes", source, rc, true);
	for (size_t i = 0; i < names.count; i++) {
		if (strncmp(names.items[i], "dmesg-", strlen("dmesg-")))
			continue;
		count++;
		if (file_time(&run->facts->root, names.items[i], &time) &&
		    (!name || time.tv_sec > newest.tv_sec)) {
			name = names.items[i];
			newest = time;
		}
	}
	if (name && gmtime_r(&newest.tv_sec, &fields))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &fields);
	doctor_evidence(run, source, "%zu dmesg record%s%s%s", count, text_plural_s(count),
			*date ? ", the newest of " : "", date);
	if (count)
		return doctor_note(run, "the kernel has saved a record of a crash");
	return doctor_ok(run, "pstore holds no record of a crash");
}
