/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a snapshot says about itself: the record of `rdmactl snapshot` and of its manifest.json. */
#pragma once

#include "kernel/root.h"
#include "schema/schema.h"

struct manifest {
	char *file; /* NULL in the archive itself, which may be renamed */
	char *version;
	char *host, *kernel, *boot_id;
	char *time; /* UTC */
	enum tristate anonymised;
	struct number members;
	struct number bytes;	     /* of the members, unpacked */
	struct number archive_bytes; /* NULL in the archive itself */
	struct number unreadable;    /* files whose read failed */
	struct number left_out;
};

extern const struct schema snapshot_schema;

/* Host, kernel and boot are those of the root; the time is now. */
void manifest_read(struct manifest *manifest, const struct root *root);
void manifest_clear(struct manifest *manifest);
