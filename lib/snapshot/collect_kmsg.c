/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "kernel/kmsg.h"
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

enum { LOG_MOST_BYTES = 4 << 20 };

struct log {
	const struct collection *collection;
	struct text_buffer lines;
	bool cut;
};

static bool is_wanted(const struct kmsg_record *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++) {
		const size_t length = strlen(beginnings[i]);

		if (record->text_length >= length && !memcmp(record->text, beginnings[i], length))
			return true;
	}
	return false;
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

	if (record->usec < log->collection->since_usec || !is_wanted(record))
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
	int rc = kmsg_read(NULL, take, &log);
	size_t length;

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
