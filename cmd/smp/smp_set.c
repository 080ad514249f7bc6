/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changes an attribute of one node: reads it, shows what would change, asks, writes, compares. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/smp_change.h"
#include "cmd/smp/smp_run.h"

struct run {
	struct mad_listing mad;
	const struct smp_args *args;
	struct smp_change change;
};

static void complain(struct run *run, const char *hint, char *message)
{
	listing_fail(&run->mad.listing, STATUS_USAGE, message, hint);
	free(message);
}

static bool find_fields(struct run *run)
{
	const struct schema *schema = run->change.attribute->schema;
	_cleanup_(freep) char *command = NULL;
	char *message = NULL, *hint = NULL;
	const struct smp_value *wrong;
	int rc = smp_change_find(&run->change, &wrong);

	if (!rc)
		return true;
	if (rc == -EPERM) {
		complain(run, "a request only reads it",
			 mem_format("--set: %s is set by the node alone", wrong->key));
		return false;
	}
	command = mem_format("rdmactl smp %s --help", run->change.attribute->word);
	listing_explain_column(command, schema, wrong->key, &message, &hint);
	complain(run, hint, mem_format("--set: %s", message));
	free(message);
	free(hint);
	return false;
}

static bool put_values(struct run *run)
{
	_cleanup_(freep) char *clean = NULL, *hint = NULL;
	const struct smp_value *wrong;
	int rc = smp_change_put(&run->change, &wrong);

	if (!rc)
		return true;
	clean = text_clean(wrong->text, strlen(wrong->text));
	hint = rc == -ENXIO ? NULL : field_explain(wrong->field);
	complain(run, hint,
		 rc == -ENXIO ? mem_format("--set: this port does not have %s", wrong->key)
		 : rc == -ERANGE
			 ? mem_format("--set: '%s' is out of range for %s", clean, wrong->key)
			 : mem_format("--set: '%s' is not a value of %s", clean, wrong->key));
	return false;
}

static bool confirm(struct run *run)
{
	const char *name = run->mad.session.destinations[0].name;
	_cleanup_(freep) char *place = run->change.port
					       ? mem_format("%s port %u", name, run->change.port)
					       : mem_string(name);

	for (size_t i = 0; i < run->change.value_count; i++) {
		const struct field *field = run->change.values[i].field;
		_cleanup_(freep) char *before = smp_field_text(field, &run->change.before);
		_cleanup_(freep) char *after = smp_field_text(field, &run->change.after);

		fprintf(stderr, "%s of %s: %s -> %s\n", field->key, place, before, after);
	}
	if (run->args->yes)
		return true;
	return listing_confirm(&run->mad.listing, "change it?",
			       "nothing was changed: there is no terminal to confirm it on",
			       "--yes changes it without asking", "nothing was changed");
}

/* Whether a Set of this attribute means that the fields of its one record change. */
static bool may_set(struct run *run)
{
	const struct mad_attribute *attribute = run->change.attribute;

	if (!smp_is_record(attribute)) {
		complain(run, "opensm writes tables from its configuration",
			 mem_format("--set changes fields of one record, and %s is a table",
				    attribute->word));
		return false;
	}
	/* 14.4.1: SubnSet(SMInfo) is a command, which the modifier names; the fields stay. */
	if (attribute->id == UMAD_SM_ATTR_SM_INFO) {
		complain(run, "rdmactl smp sminfo DEST --command handover sends such commands",
			 mem_string("--set cannot change a subnet manager: writing SMInfo is a "
				    "command to hand over, and changes no field"));
		return false;
	}
	return true;
}

/* Picks the port; a Set changes only one. */
static bool choose_one(struct run *run)
{
	const struct mad_destination *at = &run->mad.session.destinations[0];
	uint64_t port = 0;

	if (!may_set(run))
		return false;
	if (run->mad.session.destination_count != 1 || at->word_count > 1 || run->args->all_ports) {
		complain(run, NULL,
			 mem_string("--set changes one attribute of one port of one node"));
		return false;
	}
	if (at->word_count && text_parse_u64(at->words[0], 0, 255, &port)) {
		complain(run, NULL, mem_string("the port is not a number"));
		return false;
	}
	run->change.port = (uint32_t)port;
	return true;
}

static void work(struct run *run)
{
	struct smp_change *change = &run->change;
	struct listing *listing = &run->mad.listing;
	const int status = listing->status;
	size_t problems;

	if (!choose_one(run))
		return;
	listing->status = STATUS_FAILED;
	if (!smp_change_read(change))
		return;
	if (!put_values(run))
		return;
	problems = listing->problems.count;
	if (!run->args->force && smp_change_cuts_path(change)) {
		listing_fail(listing, STATUS_FAILED,
			     "not changed: the path to the node goes through this port, and may be "
			     "lost for good",
			     "--force changes it anyway");
		return;
	}
	if (listing->problems.count > problems || !confirm(run) || !smp_change_write(change))
		return;
	listing->status = status;
	change->after.node = smp_change_node(change);
	change->after.object = mem_string(run->mad.session.destinations[0].name);
	change->after.port = number_of(change->port);
	listing_add(listing, &change->after);
}

int smp_set(const struct ctx *ctx, const struct smp_args *args,
	    const struct mad_attribute *attribute, char **words)
{
	struct run run = {
		.args = args,
		.change = {.session = &run.mad.session, .attribute = attribute},
	};
	struct smp_change *change = &run.change;
	bool good = smp_begin(&run.mad, ctx, args, attribute, attribute->schema, words);
	int status;

	if (good && smp_change_parse(change, args->set)) {
		complain(&run, "rdmactl smp ATTRIBUTE --help lists the fields",
			 mem_string("--set takes FIELD=VALUE"));
		good = false;
	}
	if (good && find_fields(&run))
		work(&run);
	status = mad_listing_end(&run.mad);
	smp_change_clear(change);
	return status;
}
