/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes an attribute of the session's first destination: reads it, writes it with some fields
 * changed, and compares the answer. Failures are added to the problems of the session.
 */
#pragma once

#include "mad/session.h"

/*
 * A field to change, and its new value in words. A field that shows more than its bits
 * (speed_ext_enabled: "as supported") is written as the bits of its words.
 */
struct smp_value {
	const struct field *field;
	char *key, *text;
};

struct smp_change {
	struct mad_session *session;
	const struct mad_attribute *attribute;
	struct smp_value *values;
	size_t value_count;
	uint32_t port;
	struct mad_record before, after;
};

/*
 * Splits FIELD=VALUE,... into values whose fields are not yet known. -EINVAL: the text begins
 * without `=`.
 */
int smp_change_parse(struct smp_change *change, const char *text);
/*
 * Finds the fields of all values. 0; -ENOENT: the attribute has no such field; -EPERM: only the
 * node sets it. *ret_wrong is that value then.
 */
int smp_change_find(struct smp_change *change, const struct smp_value **ret_wrong);
/*
 * Puts the values into `after`. 0; -EINVAL, -ERANGE: not a value of the field; -ENXIO: this port
 * does not have the field. *ret_wrong is that value then.
 */
int smp_change_put(struct smp_change *change, const struct smp_value **ret_wrong);
/* Whether one of the values is for the field with that key. */
bool smp_change_names(const struct smp_change *change, const char *key);
/* Reads the attribute into `before` and `after`. */
bool smp_change_read(struct smp_change *change);
/*
 * Whether the change may take down the port that requests arrive by, or that answers leave by. The
 * latter port is given by the switch's forwarding table, at our LID, and need not be the same.
 */
bool smp_change_cuts_path(struct smp_change *change);
/* Writes `after` and replaces it with the node's answer; fields that the node kept are reported. */
bool smp_change_write(struct smp_change *change);
void smp_change_clear(struct smp_change *change);
