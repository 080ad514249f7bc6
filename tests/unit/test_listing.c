/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all listings have in common: columns and formats, rows, messages on standard error, exit
 * status.
 */
#include "saved_tree.h"

#include <signal.h>
#include <termios.h>

#include "base/cleanup.h"
#include "captured.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "schema/rows.h"

struct item {
	char *name;
	struct number value, size;
};

enum { NEED_OF_NAME = 1, NEED_OF_VALUE = 2, NEED_OF_SIZE = 4 };

#define RECORD struct item
static const struct field item_fields[] = {
	TEXT(name, "NAME", SHOWN, NEED_OF_NAME, "its name"),
	NUMBER(value, "VALUE", SHOWN, NEED_OF_VALUE, "its value"),
	NUMBER(size, "SIZE", 0, NEED_OF_SIZE, "its size"),
};
#undef RECORD

static const struct column_view item_views[] = {{"--big", "size,name"}, {NULL, NULL}};

static const struct schema item_schema = SCHEMA("items", struct item, item_fields, "an item",
						.views = item_views);

static const struct command things = {.name = "things", .schema = &item_schema};
static const struct command outer = {.name = "outer"};

static char name_a[] = "a", name_b[] = "b", name_c[] = "c";
static const struct item items[] = {
	{name_a, {.value = 1, .known = true}, {.value = 10, .known = true}},
	{name_b, {.value = 2, .known = true}, {.value = 20, .known = true}},
	{name_c, {.known = false}, {.value = 30, .known = true}},
};

struct bed {
	struct saved_tree tree;
	struct ctx ctx;
	struct listing listing;
	struct captured out, err;
};

static int set_up(void **state)
{
	const int rc = tree_set_up(state, sizeof(struct bed));
	struct bed *bed = *state;

	bed->ctx.command = &things;
	signal(SIGPIPE, SIG_IGN);
	unsetenv("NO_COLOR");
	return rc;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void begin(struct bed *bed)
{
	capture_begin(&bed->out);
	capture_stream(&bed->err, stderr);
	if (listing_begin_as(&bed->listing, &bed->ctx, &item_schema, false))
		return;
	assert_int_equal(bed->listing.status, STATUS_USAGE);
}

static void add(struct bed *bed, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		listing_add(&bed->listing, &items[i]);
}

/* Ends the listing with this status, and compares all its output. */
static void expect(struct bed *bed, int status, int wanted_status, const char *out, const char *err)
{
	_cleanup_(freep) char *said = capture_end(&bed->err), *written = capture_end(&bed->out);

	assert_string_equal(said, err);
	assert_string_equal(written, out);
	assert_int_equal(status, wanted_status);
}

static void end(struct bed *bed, int status, const char *out, const char *err)
{
	expect(bed, listing_end(&bed->listing), status, out, err);
}

/* ---- Columns and formats ---- */

static void formats(void **state)
{
	static const struct {
		struct globals globals;
		const char *wanted;
	} samples[] = {
		{{.json = false}, "NAME VALUE\na        1\nb        2\nc        -\n"},
		{{.no_headings = true}, "a 1\nb 2\nc -\n"},
		{{.tsv = true}, "name\tvalue\na\t1\nb\t2\nc\t\n"},
		{{.jsonl = true},
		 "{\"name\": \"a\", \"value\": 1, \"size\": 10}\n"
		 "{\"name\": \"b\", \"value\": 2, \"size\": 20}\n"
		 "{\"name\": \"c\", \"value\": null, \"size\": 30}\n"},
		{{.columns = "size"}, "SIZE\n  10\n  20\n  30\n"},
		{{.columns = "+size,-value"}, "NAME SIZE\na      10\nb      20\nc      30\n"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		bed->ctx.globals = samples[i].globals;
		begin(bed);
		add(bed, 0, 3);
		end(bed, STATUS_DONE, samples[i].wanted, "");
	}
}

/* The fields read are those of the columns: all of them for JSON and records. */
static void what_is_needed(void **state)
{
	static const struct {
		struct globals globals;
		bool all;
		enum format format;
		uint64_t needs;
		bool for_people;
	} samples[] = {
		{{.json = false}, false, FORMAT_TABLE, 3, true},
		{{.json = false}, true, FORMAT_RECORD, 7, false},
		{{.json = true}, false, FORMAT_JSON, 7, false},
		{{.json = true}, true, FORMAT_JSON, 7, false},
		{{.jsonl = true}, false, FORMAT_JSONL, 7, false},
		{{.jsonl = true}, true, FORMAT_JSONL, 7, false},
		{{.tsv = true}, false, FORMAT_TSV, 3, false},
		{{.tsv = true}, true, FORMAT_TSV, 7, false},
		{{.columns = "size"}, false, FORMAT_TABLE, 4, false},
		{{.columns = "size"}, true, FORMAT_RECORD, 4, false},
		{{.columns = "name", .json = true}, false, FORMAT_JSON, 1, false},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct render_options options;

		bed->ctx.globals = samples[i].globals;
		assert_true(
			listing_begin_as(&bed->listing, &bed->ctx, &item_schema, samples[i].all));
		options = listing_options(&bed->listing);
		assert_int_equal(options.format, samples[i].format);
		assert_true(options.headings);
		assert_int_equal(columns_needs(&bed->listing.columns), samples[i].needs);
		assert_int_equal(listing_is_for_people(&bed->listing), samples[i].for_people);
		assert_int_equal(listing_streams(&bed->listing), samples[i].globals.jsonl);
		listing_free(&bed->listing);
	}
	bed->ctx.globals = (struct globals){.no_headings = true};
	assert_true(listing_begin_as(&bed->listing, &bed->ctx, &item_schema, false));
	assert_false(listing_options(&bed->listing).headings);
	listing_free(&bed->listing);
}

/* A view, or another list, is chosen only without named columns and without JSON. */
static void views(void **state)
{
	static const struct {
		struct globals globals;
		uint64_t view, other;
	} samples[] = {
		{{.json = false}, NEED_OF_SIZE | NEED_OF_NAME, NEED_OF_SIZE},
		{{.tsv = true}, NEED_OF_SIZE | NEED_OF_NAME, NEED_OF_SIZE},
		{{.columns = "value"}, NEED_OF_VALUE, NEED_OF_VALUE},
		{{.json = true}, 7, 7},
		{{.jsonl = true}, 7, 7},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		bed->ctx.globals = samples[i].globals;
		assert_true(listing_begin_as(&bed->listing, &bed->ctx, &item_schema, false));
		listing_show_view(&bed->listing, "--big");
		assert_int_equal(columns_needs(&bed->listing.columns), samples[i].view);
		listing_prefer_columns(&bed->listing, "size");
		assert_int_equal(columns_needs(&bed->listing.columns), samples[i].other);
		listing_free(&bed->listing);
	}
}

/* Several records make a table, unless all columns or another format are requested. */
static void as_table(void **state)
{
	static const struct {
		struct globals globals;
		enum format format;
		uint64_t needs;
	} samples[] = {
		{{.json = false}, FORMAT_TABLE, 3},	{{.columns = "size"}, FORMAT_TABLE, 4},
		{{.columns = "all"}, FORMAT_RECORD, 7}, {{.tsv = true}, FORMAT_TSV, 7},
		{{.json = true}, FORMAT_JSON, 7},	{{.jsonl = true}, FORMAT_JSONL, 7},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		bed->ctx.globals = samples[i].globals;
		assert_true(listing_begin_as(&bed->listing, &bed->ctx, &item_schema, true));
		listing_as_table(&bed->listing);
		assert_int_equal(listing_options(&bed->listing).format, samples[i].format);
		assert_int_equal(columns_needs(&bed->listing.columns), samples[i].needs);
		listing_free(&bed->listing);
	}
}

static void unknown_columns(void **state)
{
	static const struct {
		const char *list, *wanted;
	} samples[] = {
		{"nam", "unknown column 'nam'\n  did you mean 'name'?\n"},
		{"+valu", "unknown column '+valu'\n  did you mean 'value'?\n"},
		{"NAME", "unknown column 'NAME'\n  did you mean 'name'?\n"},
		{"zzzzzz",
		 "unknown column 'zzzzzz'\n  rdmactl outer things --help lists the columns\n"},
		{"-name,-value", "'-name,-value' leaves no columns\n"
				 "  rdmactl outer things --help lists the columns\n"},
		{"name,", "the name of a column is empty\n"
			  "  rdmactl outer things --help lists the columns\n"},
		{"a\033", "unknown column 'a\\x1b'\n"
			  "  rdmactl outer things --help lists the columns\n"},
	};
	struct bed *bed = *state;

	bed->ctx.parent = &outer;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *wanted = mem_format("rdmactl outer: %s", samples[i].wanted);

		bed->ctx.globals.columns = samples[i].list;
		begin(bed);
		assert_int_equal(bed->listing.status, STATUS_USAGE);
		end(bed, STATUS_USAGE, "", wanted);
	}
}

static void colors(void **state)
{
	static const struct {
		struct number when;
		const char *no_color;
		bool here, on_terminal;
		const char *term;
	} samples[] = {
		{{.known = false}, NULL, false, true, "xterm"},
		{{.known = false}, "", false, true, "xterm"},
		{{.known = false}, "1", false, false, "xterm"},
		{{COLOR_AUTO, true}, NULL, false, true, "xterm"},
		{{COLOR_AUTO, true}, "1", false, false, "xterm"},
		{{COLOR_ALWAYS, true}, "1", true, true, "xterm"},
		{{COLOR_NEVER, true}, NULL, false, false, "xterm"},
		{{COLOR_ALWAYS, false}, NULL, false, true, "xterm"},
		{{.known = false}, NULL, false, false, "dumb"},
		{{.known = false}, NULL, false, false, ""},
		{{.known = false}, NULL, false, false, NULL},
		{{COLOR_ALWAYS, true}, NULL, true, true, "dumb"},
	};
	struct bed *bed = *state;
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave, before;

	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		bool here, there;

		if (samples[i].no_color)
			setenv("NO_COLOR", samples[i].no_color, 1);
		else
			unsetenv("NO_COLOR");
		if (samples[i].term)
			setenv("TERM", samples[i].term, 1);
		else
			unsetenv("TERM");
		bed->ctx.globals.color = samples[i].when;
		begin(bed);
		here = listing_options(&bed->listing).color;
		end(bed, STATUS_DONE, "", "");
		assert_int_equal(here, samples[i].here);
		fflush(stdout);
		before = dup(STDOUT_FILENO);
		assert_true(listing_begin_as(&bed->listing, &bed->ctx, &item_schema, false));
		dup2(slave, STDOUT_FILENO);
		there = listing_options(&bed->listing).color;
		dup2(before, STDOUT_FILENO);
		close(before);
		listing_free(&bed->listing);
		assert_int_equal(there, samples[i].on_terminal);
	}
	unsetenv("NO_COLOR");
	close(slave);
	close(master);
}

/* ---- Messages ---- */

static void note(struct bed *bed, const char *object, const char *attribute, const char *error,
		 const char *hint)
{
	problem_add_text(&bed->listing.problems, object, attribute, "sysfs", error, hint);
}

#define ROW_A "NAME VALUE\na        1\n"

/* Three values of a device hidden by one cause share a line; a next step is printed once. */
static void problems(void **state)
{
	struct bed *bed = *state;

	begin(bed);
	add(bed, 0, 1);
	note(bed, "d/1", "lid", "Broken", "mend it");
	note(bed, "e", "rate", "Broken", "mend it");
	note(bed, "d/2", "rate", "Broken", "mend it");
	note(bed, NULL, NULL, "alone", "another");
	note(bed, "e", "state", "Broken", "mend it");
	note(bed, "d/2", "lid", "Broken", "mend it");
	end(bed, STATUS_PARTIAL, ROW_A,
	    "rdmactl things: d: cannot read 3 values (lid, rate): Broken\n  mend it\n"
	    "rdmactl things: e: cannot read rate: Broken\n"
	    "rdmactl things: alone\n  another\n"
	    "rdmactl things: e: cannot read state: Broken\n");
	bed->ctx.globals.verbose = true;
	begin(bed);
	add(bed, 0, 1);
	note(bed, "d", "lid", "Broken", NULL);
	note(bed, "d", "rate", "Broken", NULL);
	note(bed, "d", "state", "Broken", NULL);
	problem_add_text(&bed->listing.notes, "d", "port", "nldev", "no", NULL);
	end(bed, STATUS_PARTIAL, ROW_A,
	    "rdmactl things: d: cannot read lid: Broken\n"
	    "rdmactl things: d: cannot read rate: Broken\n"
	    "rdmactl things: d: cannot read state: Broken\n"
	    "rdmactl things: d: cannot read port: no\n");
	bed->ctx.globals = (struct globals){.quiet = true};
	begin(bed);
	add(bed, 0, 1);
	note(bed, "d", "lid", "Broken", "mend it");
	problem_add_text(&bed->listing.notes, "d", "port", "nldev", "no", NULL);
	end(bed, STATUS_PARTIAL, ROW_A, "rdmactl things: d: cannot read lid: Broken\n");
	/* Notes alone are not problems. */
	begin(bed);
	problem_add_text(&bed->listing.notes, "d", "port", "nldev", "no", NULL);
	end(bed, STATUS_DONE, "", "");
}

/* What could not be read might have been one. */
static void none(void **state)
{
	struct bed *bed = *state;

	begin(bed);
	listing_none(&bed->listing, "lid", "no item", "make one");
	end(bed, STATUS_NOTHING, "", "rdmactl things: no item\n  make one\n");
	begin(bed);
	note(bed, "d", "lid", "Broken", NULL);
	listing_none(&bed->listing, "gid,lid", "no item", "make one");
	end(bed, STATUS_PARTIAL, "",
	    "rdmactl things: d: cannot read lid: Broken\n"
	    "rdmactl things: no item, but not everything could be read\n  make one\n");
	begin(bed);
	note(bed, "d", "rate", "Broken", NULL);
	listing_none(&bed->listing, "lid", "no item", "make one");
	end(bed, STATUS_NOTHING, "",
	    "rdmactl things: d: cannot read rate: Broken\n"
	    "rdmactl things: no item\n  make one\n");
	begin(bed);
	note(bed, "d", "rate", "Broken", NULL);
	listing_none(&bed->listing, NULL, "no item", NULL);
	end(bed, STATUS_PARTIAL, "",
	    "rdmactl things: d: cannot read rate: Broken\n"
	    "rdmactl things: no item, but not everything could be read\n");
	/* It is not known which of the netdevs are missing. */
	begin(bed);
	problem_add_text(&bed->listing.problems, NULL, NULL, "rtnetlink", "they changed", NULL);
	listing_none(&bed->listing, "lid", "no item", NULL);
	end(bed, STATUS_PARTIAL, "",
	    "rdmactl things: they changed\n"
	    "rdmactl things: no item, but not everything could be read\n");
	begin(bed);
	problem_add_text(&bed->listing.problems, "d", NULL, NULL, OBJECT_NO_DEVICE, NULL);
	listing_none(&bed->listing, NULL, "no item", "make one");
	end(bed, STATUS_NOTHING, "",
	    "rdmactl things: d: no such RDMA device\n"
	    "rdmactl things: no item\n  make one\n");
}

/* A failed command prints no headings, but prints the rows it had, and always a JSON document. */
static void failures(void **state)
{
	struct bed *bed = *state;

	begin(bed);
	listing_fail(&bed->listing, STATUS_NOTHING, "no\tthing", NULL);
	end(bed, STATUS_NOTHING, "", "rdmactl things: no\\x09thing\n");
	begin(bed);
	add(bed, 0, 1);
	listing_fail(&bed->listing, STATUS_FAILED, "half", "all");
	end(bed, STATUS_FAILED, ROW_A, "rdmactl things: half\n  all\n");
	bed->ctx.globals.json = true;
	begin(bed);
	listing_fail(&bed->listing, STATUS_FAILED, "x", NULL);
	{
		const int status = listing_end(&bed->listing);
		_cleanup_(freep) char *err = capture_end(&bed->err), *out = capture_end(&bed->out);

		assert_int_equal(status, STATUS_FAILED);
		assert_string_equal(err, "rdmactl things: x\n");
		assert_non_null(strstr(out, "\"rdmactl/items/1\""));
	}
	bed->ctx.globals.json = false;
	begin(bed);
	add(bed, 0, 2);
	expect(bed, listing_end_quietly(&bed->listing, 0), STATUS_DONE, "", "");
}

#define RECORD struct item
static const struct field head_fields[] = {
	TEXT(name, "NAME", 0, 0, "its name"),
	NUMBER(size, "SIZE", 0, 0, "its size"),
};
#undef RECORD

static const struct schema head_schema = SCHEMA("head", struct item, head_fields, "the whole");
static const struct schema headed_schema = SCHEMA("items", struct item, item_fields, "an item",
						  .head = &head_schema);

/* A document has all keys of its head, even if the command failed before it knew any. */
static void heads(void **state)
{
	struct bed *bed = *state;

	bed->ctx.globals.json = true;
	for (int known = 0; known < 2; known++) {
		capture_begin(&bed->out);
		capture_stream(&bed->err, stderr);
		assert_true(listing_begin_as(&bed->listing, &bed->ctx, &headed_schema, false));
		if (known)
			bed->listing.head = &items[0];
		else
			listing_fail(&bed->listing, STATUS_FAILED, "x", NULL);
		{
			const int status = listing_end(&bed->listing);
			_cleanup_(freep) char *err = capture_end(&bed->err),
					      *out = capture_end(&bed->out);
			const char *begin = known ? "{\"name\": \"a\", \"size\": 10,\n \"schema\""
						  : "{\"name\": null, \"size\": null,\n \"schema\"";

			assert_int_equal(status, known ? STATUS_DONE : STATUS_FAILED);
			assert_string_equal(err, known ? "" : "rdmactl things: x\n");
			assert_memory_equal(out, begin, strlen(begin));
		}
	}
	bed->ctx.globals.json = false;
}

/* ---- Rows one by one ---- */

#define LINE(name, value, size) \
	"{\"name\": \"" name "\", \"value\": " value ", \"size\": " size "}\n"

static void streams(void **state)
{
	struct bed *bed = *state;

	bed->ctx.globals.jsonl = true;
	begin(bed);
	listing_stream(&bed->listing);
	assert_int_equal(bed->listing.streamed, 0);
	add(bed, 0, 2);
	listing_stream(&bed->listing);
	assert_int_equal(bed->listing.streamed, 2);
	assert_int_equal(lseek(bed->out.file, 0, SEEK_END),
			 strlen(LINE("a", "1", "10") LINE("b", "2", "20")));
	listing_stream(&bed->listing);
	add(bed, 2, 3);
	end(bed, STATUS_DONE, LINE("a", "1", "10") LINE("b", "2", "20") LINE("c", "null", "30"),
	    "");
}

static void pieces(void **state)
{
	struct bed *bed = *state;

	begin(bed);
	add(bed, 0, 1);
	assert_true(listing_piece(&bed->listing));
	assert_int_equal(bed->listing.row_count, 0);
	assert_int_equal(lseek(bed->out.file, 0, SEEK_END), strlen(ROW_A));
	add(bed, 1, 2);
	assert_true(listing_piece(&bed->listing));
	add(bed, 2, 3);
	end(bed, STATUS_DONE, ROW_A "b        2\nc        -\n", "");
	/* Nothing else is written to standard output if --save writes there. */
	begin(bed);
	listing_saves_to(&bed->listing, "-");
	assert_true(bed->listing.silent);
	add(bed, 0, 1);
	assert_true(listing_piece(&bed->listing));
	assert_int_equal(bed->listing.row_count, 0);
	end(bed, STATUS_DONE, "", "");
	begin(bed);
	listing_saves_to(&bed->listing, NULL);
	assert_false(bed->listing.silent);
	listing_saves_to(&bed->listing, "/dev/null");
	assert_false(bed->listing.silent);
	listing_saves_to(&bed->listing, "-");
	add(bed, 0, 2);
	end(bed, STATUS_DONE, "", "");
}

/* ---- Output that fails ---- */

/* Redirects standard output to this descriptor; returns the previous one. */
static int redirect(int fd)
{
	int before = dup(STDOUT_FILENO);

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	return before;
}

static void put_back(int before)
{
	dup2(before, STDOUT_FILENO);
	close(before);
	clearerr(stdout);
}

static int to_closed_pipe(void)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	return redirect(ends[1]);
}

static void no_output(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *full = mem_format("rdmactl things: cannot write the output: %s\n",
						 strerror(ENOSPC));
	_cleanup_(freep) char *broken = mem_format("rdmactl things: cannot write the output: %s\n",
						   strerror(EIO));
	int before = redirect(open("/dev/full", O_WRONLY | O_CLOEXEC)), status;
	char *said;

	capture_stream(&bed->err, stderr);
	assert_true(listing_begin_as(&bed->listing, &bed->ctx, &item_schema, false));
	add(bed, 0, 1);
	status = listing_end(&bed->listing);
	put_back(before);
	said = capture_end(&bed->err);
	assert_int_equal(status, STATUS_FAILED);
	assert_string_equal(said, full);
	free(said);
	/* A reader that has seen enough closes the pipe, which needs no message. */
	before = to_closed_pipe();
	capture_stream(&bed->err, stderr);
	assert_true(listing_begin_as(&bed->listing, &bed->ctx, &item_schema, false));
	add(bed, 0, 1);
	assert_false(listing_piece(&bed->listing));
	add(bed, 1, 2);
	assert_false(listing_piece(&bed->listing));
	assert_int_equal(bed->listing.stream_rc, -EPIPE);
	status = listing_end(&bed->listing);
	put_back(before);
	said = capture_end(&bed->err);
	assert_int_equal(status, STATUS_FAILED);
	assert_string_equal(said, "");
	free(said);
	/* A problem that the command itself has met. */
	capture_stream(&bed->err, stderr);
	assert_true(listing_begin_as(&bed->listing, &bed->ctx, &item_schema, false));
	status = listing_end_quietly(&bed->listing, -EIO);
	said = capture_end(&bed->err);
	assert_int_equal(status, STATUS_FAILED);
	assert_string_equal(said, broken);
	free(said);
	assert_int_equal(finish_output(&bed->ctx, -EPIPE, STATUS_DONE), STATUS_FAILED);
	assert_int_equal(finish_output(&bed->ctx, 0, STATUS_PARTIAL), STATUS_PARTIAL);
}

/* ---- Roots ---- */

static void roots(void **state)
{
	struct bed *bed = *state;

	begin(bed);
	assert_false(listing_refuses_root(&bed->listing, "no"));
	assert_false(listing_refuses_tree(&bed->listing, "no"));
	end(bed, STATUS_DONE, "", "");
	bed->ctx.globals.root = bed->tree.path;
	begin(bed);
	assert_true(listing_refuses_tree(&bed->listing, "a tree"));
	end(bed, STATUS_USAGE, "",
	    "rdmactl things: a tree\n"
	    "  run it on the live system, or on a snapshot of it: rdmactl snapshot FILE\n");
	tree_write(&bed->tree, "manifest.json", "{}");
	tree_directory(&bed->tree, "root");
	tree_write(&bed->tree, "netlink/answers", "x");
	begin(bed);
	assert_false(listing_refuses_tree(&bed->listing, "a tree"));
	assert_true(listing_refuses_root(&bed->listing, "a root"));
	end(bed, STATUS_USAGE, "",
	    "rdmactl things: a root\n"
	    "  run it on the live system, without --root or RDMACTL_ROOT\n");
}

static void loading(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *wanted = mem_format(
		"rdmactl things: cannot open the root directory /nonexistent: %s\n"
		"  --root takes a directory, or an archive that `rdmactl snapshot` wrote\n",
		strerror(ENOENT));

	bed->ctx.globals.root = "/nonexistent";
	begin(bed);
	assert_false(listing_load(&bed->listing));
	end(bed, STATUS_FAILED, "", wanted);
	bed->ctx.globals.root = bed->tree.path;
	tree_directory(&bed->tree, "sys/class");
	begin(bed);
	assert_false(listing_load_inventory(&bed->listing, 0));
	end(bed, STATUS_NOTHING, "", "rdmactl things: no sys/class/infiniband in the saved tree\n");
	tree_link(&bed->tree, "sys/class/infiniband", "!EACCES");
	begin(bed);
	assert_false(listing_load_inventory(&bed->listing, 0));
	assert_int_equal(bed->listing.status, STATUS_FAILED);
	free(wanted);
	wanted = mem_format("rdmactl things: cannot read devices: %s\n", strerror(EACCES));
	end(bed, STATUS_FAILED, "", wanted);
	tree_link(&bed->tree, "sys/class/infiniband", "real");
	tree_directory(&bed->tree, "sys/class/real/mlx5_0/ports/1");
	begin(bed);
	bed->listing.request.needs = 0;
	assert_true(listing_load_inventory(&bed->listing, 0));
	assert_int_equal(bed->listing.inventory.devices.count, 1);
	end(bed, STATUS_DONE, "", "");
}

static void objects(void **state)
{
	char *good[] = {(char[]){"mlx5_0/1"}, NULL}, *bad[] = {(char[]){"a/b"}, NULL};
	struct bed *bed = *state;

	begin(bed);
	listing_free(&bed->listing);
	assert_true(listing_begin(&bed->listing, &bed->ctx, good, true));
	assert_int_equal(bed->listing.objects.count, 1);
	assert_ptr_equal(bed->listing.request.objects, &bed->listing.objects);
	end(bed, STATUS_DONE, "", "");
	begin(bed);
	listing_free(&bed->listing);
	assert_false(listing_begin(&bed->listing, &bed->ctx, bad, true));
	{
		const int status = listing_end(&bed->listing);
		_cleanup_(freep) char *err = capture_end(&bed->err), *out = capture_end(&bed->out);

		assert_int_equal(status, STATUS_USAGE);
		assert_string_equal(out, "");
		assert_non_null(strstr(err, "\n  rdmactl devices lists the names\n"));
	}
}

/* ---- Questions ---- */

static void confirm(void **state)
{
	static const struct {
		const char *typed;
		bool yes;
	} samples[] = {
		{"y\n", true}, {"Y\n", true},	{"yes\n", true}, {"n\n", false},
		{"\n", false}, {"ny\n", false}, {"x\n", false},	 {"\004", false},
	};
	struct bed *bed = *state;
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave, before = dup(STDIN_FILENO);

	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		bool yes;

		dup2(slave, STDIN_FILENO);
		assert_int_equal(write(master, samples[i].typed, strlen(samples[i].typed)),
				 strlen(samples[i].typed));
		begin(bed);
		yes = listing_confirm(&bed->listing, "Sure?", "no terminal", "hint", "refused");
		clearerr(stdin);
		dup2(before, STDIN_FILENO);
		if (yes)
			end(bed, STATUS_DONE, "", "Sure? [y/N] ");
		else
			end(bed, STATUS_FAILED, "", "Sure? [y/N] rdmactl things: refused\n");
		assert_int_equal(yes, samples[i].yes);
	}
	close(slave);
	slave = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(slave, STDIN_FILENO);
	begin(bed);
	assert_false(listing_confirm(&bed->listing, "Sure?", "no terminal", "hint", "refused"));
	dup2(before, STDIN_FILENO);
	end(bed, STATUS_USAGE, "", "rdmactl things: no terminal\n  hint\n");
	close(slave);
	close(master);
	close(before);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(formats),	 TEST(what_is_needed),	TEST(views),
		TEST(as_table),	 TEST(unknown_columns), TEST(colors),
		TEST(problems),	 TEST(failures),	TEST(none),
		TEST(heads),	 TEST(streams),		TEST(pieces),
		TEST(no_output), TEST(roots),		TEST(loading),
		TEST(objects),	 TEST(confirm),
	};

	return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
