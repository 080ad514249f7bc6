/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/manifest.h"

#include "base/clock.h"
#include "base/mem.h"
#include "kernel/sysfs.h"
#include "schema/rows.h"

#define RECORD struct manifest
static const struct field fields[] = {
	TEXT(file, "FILE", SHOWN, 0, "file that was written; null in the archive itself"),
	TEXT(host, "HOST", SHOWN, 0, "name of the host"),
	TEXT(kernel, "KERNEL", SHOWN, 0, "release of its kernel"),
	TEXT(time, "TIME", SHOWN, 0, "time when it was taken (UTC)"),
	NUMBER(members, "MEMBERS", SHOWN, 0, "number of files, links and folders in it"),
	NUMBER(bytes, "BYTES", 0, 0, "bytes of its members, unpacked"),
	NUMBER(archive_bytes, "ARCHIVE BYTES", SHOWN, 0,
	       "bytes of the archive; null in the archive itself"),
	NUMBER(unreadable, "UNREADABLE", SHOWN, 0,
	       "number of files whose read failed; their errors are in the archive"),
	NUMBER(left_out, "LEFT OUT", SHOWN, 0,
	       "number of things that were not taken; the problems say why"),
	YES_NO(anonymised, "ANONYMISED", SHOWN, 0,
	       "whether names, addresses and serial numbers were replaced"),
	TEXT(boot_id, "BOOT", 0, 0, "id of the host's boot"),
	TEXT(version, "VERSION", 0, 0, "version of rdmactl that took it"),
};

const struct schema snapshot_schema = SCHEMA("snapshot", struct manifest, fields,
					     "a host in one archive");

void manifest_read(struct manifest *manifest, const struct root *root)
{
	*manifest = (struct manifest){
		.version = mem_string(RDMACTL_VERSION),
		.host = sysfs_text(root, "proc/sys/kernel/hostname"),
		.kernel = sysfs_text(root, "proc/sys/kernel/osrelease"),
		.boot_id = sysfs_text(root, "proc/sys/kernel/random/boot_id"),
		.time = utc_now(),
		.anonymised = TRISTATE_NO,
	};
}

void manifest_clear(struct manifest *manifest)
{
	record_clear(&snapshot_schema, manifest);
	*manifest = (struct manifest){.file = NULL};
}
