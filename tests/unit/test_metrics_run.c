/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The complete command `rdmactl metrics`, with a made-up server and host: what it asks of them, the
 * pages it makes, and each way in which it fails to start or ends.
 */
#include "command_lines.h"

#include "base/confine.h"
#include "cmd/commands.h"
#include "metric/metric.h"
#include "metric/metrics_server.h"

static struct {
	int inherited, listened, confined, served, collected; /* 0 or -errno */
	enum metrics_format wanted;			      /* requested by the client */
	bool page;					      /* a page is requested */
} made;

int metrics_inherit(int *ret_fd)
{
	*ret_fd = made.inherited ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
	return made.inherited;
}

int metrics_listen(const char *text, int *ret_fd)
{
	command_note(text);
	*ret_fd = made.listened ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
	return made.listened;
}

char *metrics_address(int fd)
{
	assert_true(fd >= 0);
	return mem_string("[::1]:9879");
}

int confine(const struct confinement *confinement)
{
	_cleanup_(freep) char *line = mem_format("confined to %llu files",
						 (unsigned long long)confinement->most_files);

	command_note(line);
	return made.confined;
}

int metrics_serve(const struct metrics_service *service)
{
	_cleanup_(freep) char *page = NULL, *line = NULL;
	size_t length = 0;
	int rc;

	assert_true(service->listen_fd >= 0);
	if (!made.served)
		service->begun(service->context);
	if (!made.page)
		return made.served;
	rc = service->make(service->context, service->fixed ? service->format : made.wanted, &page,
			   &length);
	assert_int_equal(page ? strlen(page) : 0, length);
	line = mem_format("%d: %s", rc, page ? page : "no page");
	command_note(line);
	return made.served;
}

int metrics_collect(const struct metrics_request *request, struct metrics *metrics,
		    struct problems *problems)
{
	_cleanup_(freep) char *line = mem_format(
		"collect: root %s, groups %#llx, top %u%s%s, %zu objects without %zu",
		request->root ? request->root : "-",
		(unsigned long long)(request->groups.known ? request->groups.value : 0),
		request->top, request->checks ? ", checks" : "",
		request->node_exporter ? ", node_exporter" : "", request->objects->count,
		request->objects->excluded.count);

	(void)metrics;
	(void)problems;
	command_note(line);
	return made.collected;
}

static void expect(const struct command_row *row)
{
	command_expect(&metrics_command, row);
}

#define SERVING "serving /metrics on [::1]:9879\n"

static void served(void **state)
{
	static const struct command_row rows[] = {
		{"metrics --listen 9879", STATUS_DONE, "", SERVING,
		 "9879\nconfined to 256 files\n"},
		{"metrics --listen 9879 -q", STATUS_DONE, "", "", "9879\nconfined to 256 files\n"},
	};

	(void)state;
	memset(&made, 0, sizeof(made));
	made.inherited = -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(&rows[i]);
	/* systemd's socket is used, and no other one is opened. */
	made.inherited = 0;
	expect(&(struct command_row){"metrics --listen 9879", STATUS_DONE, "", SERVING,
				     "confined to 256 files\n"});
}

static void pages(void **state)
{
	(void)state;
	memset(&made, 0, sizeof(made));
	made.page = true;
	made.wanted = METRICS_OPENMETRICS;
	expect(&(struct command_row){"metrics --listen 9879", STATUS_DONE, "", SERVING,
				     "confined to 256 files\n"
				     "collect: root -, groups 0, top 0, 0 objects without 0\n"
				     "0: # EOF\n\n"});
	expect(&(struct command_row){
		"metrics --listen 9879 --format prometheus --top 3 --checks --exclude mlx5_1 "
		"--only errors mlx5_0 mlx5_2/1",
		STATUS_DONE, "", SERVING,
		"confined to 256 files\n"
		"collect: root -, groups 0x8, top 3, checks, 2 objects without 1\n"
		"0: \n"});
	/* An empty result is a page, too; a read error is not. */
	made.collected = -ENODEV;
	expect(&(struct command_row){
		"metrics --listen 9879 --names node_exporter", STATUS_DONE, "", SERVING,
		"confined to 256 files\n"
		"collect: root -, groups 0, top 0, node_exporter, 0 objects without 0\n"
		"0: # EOF\n\n"});
	made.collected = -EACCES;
	expect(&(struct command_row){"metrics --listen 9879", STATUS_DONE, "", SERVING,
				     "confined to 256 files\n"
				     "collect: root -, groups 0, top 0, 0 objects without 0\n"
				     "-13: no page\n"});
}

static void not_served(void **state)
{
	static const char old[] = "rdmactl metrics: --listen needs libmicrohttpd, which cannot be "
				  "loaded\n"
				  "  it is there, but lacks a function: it may be too old\n";
	static const char missing[] = "rdmactl metrics: --listen needs libmicrohttpd, which cannot "
				      "be loaded\n"
				      "  install libmicrohttpd12 (Debian) or libmicrohttpd, or use "
				      "--textfile\n";
	static const struct {
		int listened, confined, served, status;
		const char *err, *asked;
	} rows[] = {
		{-EINVAL, 0, 0, STATUS_USAGE,
		 "rdmactl metrics: --listen: '9879' is not ADDR:PORT with numbers\n"
		 "  such as 9879, 0.0.0.0:9879 or [::1]:9879\n",
		 "9879\n"},
		{-EACCES, 0, 0, STATUS_FAILED, "rdmactl metrics: cannot listen on 9879: <EACCES>\n",
		 "9879\n"},
		{0, -EPERM, 0, STATUS_FAILED, "rdmactl metrics: cannot serve: <EPERM>\n",
		 "9879\nconfined to 256 files\n"},
		{0, 0, -ELIBACC, STATUS_FAILED, missing, "9879\nconfined to 256 files\n"},
		{0, 0, -ELIBBAD, STATUS_FAILED, old, "9879\nconfined to 256 files\n"},
		{0, 0, -EBUSY, STATUS_FAILED, "rdmactl metrics: cannot serve: <EBUSY>\n",
		 "9879\nconfined to 256 files\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&made, 0, sizeof(made));
		made.inherited = -ENOENT;
		made.listened = rows[i].listened;
		made.confined = rows[i].confined;
		made.served = rows[i].served;
		expect(&(struct command_row){"metrics --listen 9879", rows[i].status, "",
					     rows[i].err, rows[i].asked});
	}
}

/* Once, to standard output or to a file. */
static void once(void **state)
{
	(void)state;
	memset(&made, 0, sizeof(made));
	expect(&(struct command_row){"metrics", STATUS_DONE, "", "",
				     "collect: root -, groups 0, top 0, 0 objects without 0\n"});
	expect(&(struct command_row){"metrics --format openmetrics", STATUS_DONE, "# EOF\n", "",
				     NULL});
	made.collected = -ENODEV;
	expect(&(struct command_row){"metrics --format openmetrics", STATUS_NOTHING, "# EOF\n", "",
				     NULL});
	made.collected = -EACCES;
	expect(&(struct command_row){
		"metrics --format openmetrics", STATUS_FAILED, "",
		"rdmactl metrics: cannot open the root directory /: <EACCES>\n", NULL});
	/* The reason for this failure is among the problems. */
	made.collected = -EIO;
	expect(&(struct command_row){"metrics --format openmetrics", STATUS_FAILED, "", "", NULL});
	made.collected = -EACCES;
	expect(&(struct command_row){
		"metrics --textfile rdma.txt", STATUS_USAGE, "",
		"rdmactl metrics: --textfile: node_exporter reads only files whose names end with "
		".prom\n  for example: --textfile /var/lib/prometheus/node-exporter/rdma.prom\n",
		""});
	expect(&(struct command_row){
		"metrics --textfile .prom", STATUS_USAGE, "",
		"rdmactl metrics: --textfile: node_exporter reads only files whose names end with "
		".prom\n  for example: --textfile /var/lib/prometheus/node-exporter/rdma.prom\n",
		""});
	made.collected = 0;
	expect(&(struct command_row){"metrics --textfile /dev/null/x.prom", STATUS_FAILED, "",
				     "rdmactl metrics: cannot write /dev/null/x.prom: <ENOTDIR>\n"
				     "  name a file in a directory that exists and is writable\n",
				     NULL});
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, command_set_up, command_tear_down)
	const struct CMUnitTest tests[] = {TEST(served), TEST(pages), TEST(not_served), TEST(once)};

	return cmocka_run_group_tests_name("metrics-run", tests, NULL, NULL);
}
