/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/mad/mad_change.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

bool mad_change_find(struct listing *listing, struct smp_change *change, const char *set)
{
	_cleanup_(freep) char *path = command_path(listing->ctx), *where = NULL, *fields = NULL;
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	const struct smp_value *wrong;
	int rc;

	where = mem_format("rdmactl %s --help", path);
	fields = mem_format("%s lists the fields", where);
	if (smp_change_parse(change, set))
		return listing_fail(listing, STATUS_USAGE, "--set takes FIELD=VALUE", fields);
	rc = smp_change_find(change, &wrong);
	if (!rc)
		return true;
	if (rc == -EPERM)
		return listing_fail_format(listing, STATUS_USAGE, "only the node itself sets it",
					   "--set: %s is read-only", wrong->key);
	listing_explain_column(where, change->attribute->schema, wrong->key, &message, &hint);
	return listing_fail_format(listing, STATUS_USAGE, hint, "--set: %s", message);
}

bool mad_change_put(struct listing *listing, struct smp_change *change)
{
	_cleanup_(freep) char *hint = NULL;
	const struct smp_value *wrong;
	int rc = smp_change_put(change, &wrong);

	if (!rc)
		return true;
	if (rc == -ENXIO)
		return listing_fail_format(listing, STATUS_USAGE, NULL,
					   "--set: this port does not have %s", wrong->key);
	hint = field_explain(wrong->field);
	return listing_fail_format(listing, STATUS_USAGE, hint,
				   rc == -ERANGE ? "--set: '%s' is out of range for %s"
						 : "--set: '%s' is not a value of %s",
				   wrong->text, wrong->key);
}

bool mad_change_confirm(struct listing *listing, const struct smp_change *change, const char *place,
			bool yes)
{
	for (size_t i = 0; i < change->value_count; i++) {
		const struct field *field = change->values[i].field;
		_cleanup_(freep) char *before = field_text_or_dash(field, &change->before);
		_cleanup_(freep) char *after = field_text_or_dash(field, &change->after);
		/* A key must not stay in the terminal's history. */
		const bool secret = field->flags & FIELD_SECRET;

		fprintf(stderr, "%s of %s: %s -> %s\n", field->key, place,
			secret	  ? "***"
			: *before ? before
				  : "-",
			secret	 ? "***"
			: *after ? after
				 : "-");
	}
	return yes || listing_confirm(listing, "change it?",
				      "nothing was changed: there is no terminal to confirm it on",
				      "--yes changes it without asking", "nothing was changed");
}
