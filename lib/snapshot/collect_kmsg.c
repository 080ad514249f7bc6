/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/cleanup.h"
#include "kernel/kmsg.h"
#include "kernel/sysfs.h"
#include "snapshot/collect.h"

/*
 * The beginnings of lines from the RDMA core, from drivers and from the PCI bus. Those from SCSI
 * hosts of all kinds are taken, because some of ib_srp have no other mark, such as why a target
 * refused a connection ("scsi host2:   REJ reason"): srp_cm_rej_handler().
 */
static const char *const beginnings[] = {
	"infiniband", "ib_",	  "rdma",   "iw_",     "mlx",	    "hfi1",
	"qib",	      "bnxt_",	  "irdma",  "ice ",    "i40iw",	    "i40e ",
	"efa",	      "mana",	  "hns",    "erdma",   "ocrdma",    "qed",
	"cxgb4",      "iw_cxgb4", "usnic",  "siw",     "rxe",	    "ionic",
	"vmw_pvrdma", "isert",	  "iser",   "srp",     "rpcrdma",   "rds",
	"smc",	      "nvme",	  "nvidia", "NVRM",    "amdgpu",    "pcieport",
	"pcie_",      "AER",	  "DMAR",   "iommu",   "AMD-Vi",    "bonding: ",
	"bond",	      "rdmavt",	  "Lustre", "LNet",    "RDS/",	    "IPv6: ADDRCONF",
	"bng",	      "idpf ",	  "enic ",  "be2net ", "scsi host",
};

/*
 * Words that say what any other line is about, such as "fast_io_fail_tmo expired for SRP port-2:1"
 * (rport_fast_io_fail_timedout(), drivers/scsi/scsi_transport_srp.c) and "RPC: Registered rdma
 * transport module." (net/sunrpc/xprtrdma/transport.c), which do not begin with a driver's name.
 */
static const char *const subjects[] = {
	"rdma", "svcrdma", "infiniband", "ipoib", "iwarp", "roce", "iser", "srp",
};

/* ARPHRD_INFINIBAND, include/uapi/linux/if_arp.h. */
#define TYPE_INFINIBAND "32"

enum { LOG_MOST_BYTES = 4 << 20 };

struct log {
	const struct collection *collection;
	struct strings netdevs; /* of IPoIB */
	struct text_buffer lines;
	bool cut;
};

/* Lines of IPoIB begin with the netdev: ipoib_printk(), drivers/infiniband/ulp/ipoib/ipoib.h. */
static void find_netdevs(struct log *log)
{
	const struct root *root = log->collection->root;
	struct strings names = {0};

	if (sysfs_list(root, &names, "sys/class/net"))
		return;
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *type = sysfs_text(root, "sys/class/net/%s/type",
							 names.items[i]);

		if (type && !strcmp(type, TYPE_INFINIBAND))
			strings_add(&log->netdevs, names.items[i]);
	}
	strings_free(&names);
}

static bool is_of_netdev(const struct log *log, const struct kmsg_record *record)
{
	for (size_t i = 0; i < log->netdevs.count; i++) {
		const char *name = log->netdevs.items[i];
		const size_t length = strlen(name);

		if (record->text_length > length && !memcmp(record->text, name, length) &&
		    record->text[length] == ':')
			return true;
	}
	return false;
}

static bool has_word(const char *line, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = line; (at = strcasestr(at, word)); at++)
		if ((at == line || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

/*
 * Lines about the kernel's command line quote it (init/main.c, arch/x86/kernel/setup.c), and it may
 * have keys. A snapshot has it without them, from /proc/cmdline.
 */
static bool speaks_of_rdma(const struct kmsg_record *record)
{
	_cleanup_(freep) char *line = mem_format("%.*s", (int)record->text_length, record->text);

	if (strcasestr(line, "command line"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		if (has_word(line, subjects[i]))
			return true;
	return false;
}

static bool is_wanted(const struct log *log, const struct kmsg_record *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++) {
		const size_t length = strlen(beginnings[i]);

		if (record->text_length >= length && !memcmp(record->text, beginnings[i], length))
			return true;
	}
	return is_of_netdev(log, record) || speaks_of_rdma(record);
}

/* Keeps the last lines; each ends with \n, and the first of a record begins with no blank. */
static void cut(struct log *log)
{
	const char *from = log->lines.text + log->lines.length - LOG_MOST_BYTES;

	do
		from += strcspn(from, "\n") + 1;
	while (*from == ' ');
	log->lines.length -= (size_t)(from - log->lines.text);
	memmove(log->lines.text, from, log->lines.length + 1);
	log->cut = true;
}

/* Writes the kernel's own form, for kmsg_parse(); the sequence number is not kept. */
static void take(void *context, const struct kmsg_record *record)
{
	struct log *log = context;

	if (record->usec < log->collection->since_usec || !is_wanted(log, record))
		return;
	text_buffer_add(&log->lines, "%u,0,%" PRIu64 ",-;%.*s\n", record->level, record->usec,
			(int)record->text_length, record->text);
	if (record->device)
		text_buffer_add(&log->lines, " DEVICE=%.*s\n", (int)record->device_length,
				record->device);
	/* Rarely, because the rest is moved. */
	if (log->lines.length > 2 * LOG_MOST_BYTES)
		cut(log);
}

void collect_kernel_log(struct collection *collection)
{
	struct log log = {.collection = collection};
	size_t length;
	int rc;

	find_netdevs(&log);
	rc = kmsg_read(NULL, take, &log);
	strings_free(&log.netdevs);
	if (rc) {
		problem_add(collection->problems, NULL, "kernel log", "/dev/kmsg", rc,
			    rc == -EPERM || rc == -EACCES ? "run it as root" : NULL);
		return;
	}
	if (log.lines.length > LOG_MOST_BYTES)
		cut(&log);
	if (log.cut)
		problem_add_text(collection->problems, "kernel log", NULL, "/dev/kmsg",
				 "only the last 4 MiB were taken", NULL);
	length = log.lines.length;
	contents_take(collection->contents, CONTENT_FILE, "kmsg", text_buffer_take(&log.lines),
		      length);
}
