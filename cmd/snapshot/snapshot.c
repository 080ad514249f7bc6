/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl snapshot: a host in one archive, which --root reads. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/host.h"
#include "snapshot/anonymise/anonymise.h"
#include "snapshot/archive.h"
#include "snapshot/collect.h"
#include "snapshot/manifest.h"

enum { ARCHIVE_MODE = 0600, RANDOM_KEY_BYTES = 32, MOST_KEY_BYTES = 4096 };

struct snapshot_args {
	const char *since, *anonymise_key;
	bool anonymise, force;
};

static const struct option_row options[] = {
	STRING_OPTION(struct snapshot_args, since, 0, "since", "TIME", COMPLETE_NOTHING,
		      "kernel log only since then: 2h for 2 hours ago, or a UTC time"),
	FLAG_OPTION(struct snapshot_args, anonymise, 0, "anonymise",
		    "replace host names, GUIDs, addresses and serial numbers with others"),
	STRING_OPTION(struct snapshot_args, anonymise_key, 0, "anonymise-key", "FILE",
		      COMPLETE_FILE,
		      "with --anonymise: the same key gives the same names and addresses"),
	FLAG_OPTION(struct snapshot_args, force, 'f', "force", "overwrite an existing file"),
	{.name = NULL},
};

struct snapshot_run {
	struct listing listing;
	const struct snapshot_args *args;
	const char *path;
	enum archive_filter filter;
	struct root root;
	struct contents contents;
	struct collection collection;
	struct manifest manifest;
	struct signals signals; /* while a file is written */
};

/* The kernel's log counts from the boot of the host. */
static bool parse_since(struct snapshot_run *run)
{
	const uint64_t up_usec = clock_nsec() / 1000, now_msec = (uint64_t)time(NULL) * 1000;
	const char *since = run->args->since;
	uint64_t msec = 0, then;

	if (!since)
		return true;
	if (utc_parse(since, &then))
		msec = now_msec > then ? now_msec - then : 0;
	else if (option_parse_duration(since, &msec))
		return listing_fail(&run->listing, STATUS_USAGE, "--since: not a time",
				    "such as 30m, 2h, 7d or 2026-01-31T12:00:00Z");
	if (run->listing.ctx->globals.root)
		return listing_fail(&run->listing, STATUS_USAGE,
				    "--since selects from the kernel log of this host, not from "
				    "that of --root",
				    NULL);
	run->collection.since_usec = msec < up_usec / 1000 ? up_usec - msec * 1000 : 0;
	return true;
}

static bool fail_to_write(struct snapshot_run *run, int error)
{
	if (error == -ELIBACC || error == -ELIBBAD) {
		_cleanup_(freep) char *hint = archive_hint(error);

		return listing_fail(&run->listing, STATUS_FAILED, ARCHIVE_MISSING, hint);
	}
	if (error == -ENOTSUP)
		return listing_fail(&run->listing, STATUS_FAILED,
				    "libarchive here lacks that compression",
				    "name it .tar.gz or .tar");
	return listing_fail_to_write(&run->listing, run->path, error);
}

/* Reading takes seconds, so check first whether the archive can be written. */
static bool check_folder(struct snapshot_run *run)
{
	const char *slash = strrchr(run->path, '/');
	_cleanup_(freep) char *folder = slash ? mem_format("%.*s/", (int)(slash - run->path),
							   run->path)
					      : mem_string(".");

	return !faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) || fail_to_write(run, -errno);
}

/* Whether there is a file that must not be replaced. */
static bool is_taken(const struct snapshot_run *run)
{
	struct stat status;

	return !run->args->force && !lstat(run->path, &status);
}

static bool fail_as_taken(struct snapshot_run *run)
{
	return listing_fail_format(&run->listing, STATUS_FAILED, "--force replaces it", "%s exists",
				   run->path);
}

static bool check_output(struct snapshot_run *run)
{
	if (file_is_output(run->path)) {
		run->filter = ARCHIVE_ZSTD;
		listing_saves_to(&run->listing, run->path);
		if (!isatty(STDOUT_FILENO))
			return true;
		return listing_fail(
			&run->listing, STATUS_USAGE, "will not write an archive to a terminal",
			"name a file, or redirect it: rdmactl snapshot - >FILE.tar.zst");
	}
	if (!archive_choose_filter(run->path, &run->filter))
		return listing_fail_format(&run->listing, STATUS_USAGE,
					   "end the name with .tar.zst, .tar.gz, .tar.xz or .tar",
					   "'%s' does not say which kind of archive to write",
					   run->path);
	return is_taken(run) ? fail_as_taken(run) : check_folder(run);
}

/* Adds a document of one schema as a member. */
static void add_document(struct snapshot_run *run, const char *path, const struct schema *schema,
			 const void *const *rows, size_t count, const struct problems *problems)
{
	const struct render_options json = {.format = FORMAT_JSON};
	_cleanup_(columns_free) struct columns columns = columns_of(schema, COLUMNS_ALL);
	const struct document document = {
		.columns = &columns, .rows = rows, .row_count = count, .problems = problems};
	char *text = NULL;

	if (!render_to_text(&json, &document, &text))
		contents_take(&run->contents, CONTENT_FILE, path, text, strlen(text));
}

static void add_versions(struct snapshot_run *run)
{
	const struct problems none = {0};
	_cleanup_(component_list_clear) struct component_list list = {0};
	_cleanup_(freep) const void **rows = NULL;

	version_components(&list, run->listing.ctx->globals.root);
	rows = mem_alloc_zero(list.count, sizeof(*rows));
	for (size_t i = 0; i < list.count; i++)
		rows[i] = &list.items[i];
	add_document(run, "versions.json", &component_schema, rows, list.count, &none);
}

static void add_manifest(struct snapshot_run *run)
{
	const void *row = &run->manifest;
	struct manifest *manifest = &run->manifest;

	manifest->members = number_of(run->contents.count + 1);
	manifest->bytes = number_of(run->contents.bytes);
	manifest->unreadable = number_of(run->collection.unreadable);
	manifest->left_out = number_of(run->listing.problems.count);
	add_document(run, "manifest.json", &snapshot_schema, &row, 1, &run->listing.problems);
	contents_sort(&run->contents);
}

static bool make_anonymiser(struct snapshot_run *run, struct anonymiser **ret_anonymiser)
{
	const char *path = run->args->anonymise_key;
	_cleanup_(freep) char *key = NULL;
	char random[RANDOM_KEY_BYTES];
	size_t length = sizeof(random);
	int rc = 0;

	if (path)
		rc = file_read(path, MOST_KEY_BYTES, &key, &length);
	else if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		rc = -errno;
	if (rc || !length)
		return listing_fail_format(&run->listing, STATUS_FAILED,
					   path ? "make one: head -c 32 /dev/urandom >FILE" : NULL,
					   "cannot read the key%s%s: %s", path ? " " : "",
					   path ? path : "", rc ? strerror(-rc) : "it is empty");
	rc = anonymiser_new(key ? key : random, length, ret_anonymiser);
	if (rc) {
		_cleanup_(freep) char *hint = hmac_hint(rc);

		listing_fail(&run->listing, STATUS_FAILED,
			     rc == -EIO
				     ? "--anonymise needs libgnutls.so.30, which refuses to "
				       "compute HMAC-SHA256"
				     : "--anonymise needs libgnutls.so.30, which cannot be loaded",
			     hint);
	}
	return !rc;
}

/* Replaces the value by that of its member after the change; NULL if the member was dropped. */
static void take_changed(const struct snapshot_run *run, const char *path, char **value)
{
	const struct content *content = contents_find(&run->contents, path);

	if (!*value)
		return;
	free(*value);
	*value = content ? text_clean(content->bytes, strcspn(content->bytes, "\n")) : NULL;
}

/* The path of a file becomes that which it has in the archive. */
static char *change_path(const struct anonymiser *anonymiser, const char *text)
{
	_cleanup_(freep) char *path = mem_format(SNAPSHOT_ROOT "/%s", text);
	_cleanup_(freep) char *changed = anonymise_member(anonymiser, path);

	return mem_string(changed + strlen(SNAPSHOT_ROOT "/"));
}

static void change_problems(const struct anonymiser *anonymiser, struct problems *problems)
{
	for_each (problem, problems) {
		const bool of_file = problem->source && !strcmp(problem->source, "file");
		char **texts[] = {&problem->object, &problem->attribute, &problem->error};

		for (size_t j = 0; j < ARRAY_SIZE(texts); j++) {
			char *before = *texts[j];

			if (!before)
				continue;
			*texts[j] = of_file && texts[j] != &problem->error
					    ? change_path(anonymiser, before)
					    : anonymise_text(anonymiser, before, true);
			free(before);
		}
	}
}

/* A file is named by the path that it would have in the archive, which reveals no more. */
static void tell_dropped(struct snapshot_run *run, const char *file, const char *why)
{
	_cleanup_(freep) char *clean = file ? text_clean(file, strlen(file)) : NULL;

	problem_add_text(&run->listing.problems, clean, NULL, "file", why,
			 "a snapshot without --anonymise has them all");
}

static void tell_all_dropped(struct snapshot_run *run, const struct strings *files, size_t answers)
{
	static const char unknown[] = "not known, so addresses there cannot be replaced";
	_cleanup_(freep) char *file = mem_format("left out: what is in it is %s", unknown);
	_cleanup_(freep) char *answer = mem_format(
		"%zu recorded answer%s left out: what is in %s is %s", answers,
		answers == 1 ? " was" : "s were", answers == 1 ? "it" : "them", unknown);
	const size_t root = strlen(SNAPSHOT_ROOT "/");

	for (size_t i = 0; i < files->count; i++) {
		const char *path = files->items[i];

		tell_dropped(run, path + (strncmp(path, SNAPSHOT_ROOT "/", root) ? 0 : root), file);
	}
	if (answers)
		tell_dropped(run, NULL, answer);
}

static void anonymise(struct snapshot_run *run, struct anonymiser *anonymiser)
{
	_cleanup_(strings_free) struct strings dropped = {0};
	size_t answers;

	/*
	 * The member with this name may be missing: the limits of a snapshot, or a byte that is not
	 * text.
	 */
	if (run->manifest.host)
		anonymiser_learn_host(anonymiser, run->manifest.host);
	anonymise_contents(anonymiser, &run->contents, &dropped, &answers);
	take_changed(run, "root/proc/sys/kernel/hostname", &run->manifest.host);
	take_changed(run, "root/proc/sys/kernel/random/boot_id", &run->manifest.boot_id);
	run->manifest.anonymised = TRISTATE_YES;
	change_problems(anonymiser, &run->listing.problems);
	tell_all_dropped(run, &dropped, answers);
}

static void gather(struct snapshot_run *run, struct anonymiser *anonymiser)
{
	struct problems *problems = &run->listing.problems;
	int rc;

	run->collection.root = &run->root;
	run->collection.contents = &run->contents;
	run->collection.problems = problems;
	manifest_read(&run->manifest, &run->root);
	collect(&run->collection);
	if (run->root.live) {
		rc = recording_collect(&run->contents, problems);
		if (rc)
			problem_add(problems, NULL, "netlink and verbs", "netlink", rc, NULL);
		collect_kernel_log(&run->collection);
	} else if (run->root.recorded) {
		collect_recorded(&run->collection);
	}
	contents_sort(&run->contents);
	if (anonymiser)
		anonymise(run, anonymiser);
	add_versions(run);
	add_manifest(run);
}

static int write_archive(void *context, FILE *file)
{
	struct snapshot_run *run = context;
	int rc = archive_write(file, run->filter, &run->contents, time(NULL), &run->signals);

	/* Another one may have been written while the host was read. */
	if (!rc && !file_is_output(run->path) && is_taken(run))
		rc = -ECANCELED;
	return rc;
}

static void save(struct snapshot_run *run)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, 0};
	struct stat status;
	int rc;

	/* A reader of standard output may be slow, and nothing of it is left behind. */
	if (!file_is_output(run->path))
		signals_catch(&run->signals, ending);
	/* Other users need not read what root could read. */
	rc = file_replace_as(run->path, ARCHIVE_MODE, write_archive, run);
	/* The unfinished file is removed: the signal may end the program now. */
	signals_release(&run->signals);
	if (rc) {
		if (rc == -ECANCELED)
			fail_as_taken(run);
		else
			fail_to_write(run, rc);
		return;
	}
	run->manifest.file = text_clean(run->path, strlen(run->path));
	if (!stat(run->path, &status) && S_ISREG(status.st_mode))
		run->manifest.archive_bytes = number_of((uint64_t)status.st_size);
	listing_add(&run->listing, &run->manifest);
}

static void work(struct snapshot_run *run)
{
	const char *root = run->listing.ctx->globals.root, *hint;
	_cleanup_(freep) char *message = NULL;
	struct anonymiser *anonymiser = NULL;
	int rc;

	if (run->args->anonymise && !make_anonymiser(run, &anonymiser))
		return;
	rc = root_open(root, &run->root);
	if (rc) {
		message = root_failure_text(root, rc, &hint);
		listing_fail(&run->listing, STATUS_FAILED, message, hint);
	} else {
		gather(run, anonymiser);
		save(run);
	}
	anonymiser_free(anonymiser);
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	struct snapshot_run run = {
		.args = args, .path = objects[0], .root.fd = -1, .signals = SIGNALS_NONE};
	struct listing *listing = &run.listing;
	int status;

	if (listing_begin_as(listing, ctx, ctx->command->schema, false) && check_output(&run) &&
	    parse_since(&run))
		work(&run);
	status = listing_end(listing);
	root_close(&run.root);
	contents_clear(&run.contents);
	manifest_clear(&run.manifest);
	return status;
}

static const struct option_rule rules[] = {
	OPTIONS_NEED("anonymise-key", "anonymise", NULL),
	{.options = NULL},
};

const struct command snapshot_command = {
	.name = "snapshot",
	.group = GROUP_LIVE,
	.summary = "save all that rdmactl reads from this host in one archive",
	.objects = "FILE",
	.object_completion = COMPLETE_FILE,
	.least_objects = 1,
	.most_objects = 1,
	.options = {options},
	.rules = rules,
	.args_size = sizeof(struct snapshot_args),
	.schema = &snapshot_schema,
	.run = run,
};
