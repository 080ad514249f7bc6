/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a self-test measures: transports, directions, events, intervals, samples. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/selftest/selftest_run.h"

static char *check_ways(const struct selftest_args *args, char **ret_hint)
{
	if (args->request.by_cm && args->transport.value != SELFTEST_BY_RC) {
		*ret_hint = mem_string("omit --cm: the exchange connects them");
		return mem_format("--cm cannot be used with --transport %s",
				  enum_word(selftest_transport_names, args->transport.value, ""));
	}
	if (args->depth.known && args->request.ways.signal_every.known &&
	    args->request.ways.signal_every.value > args->depth.value)
		return mem_string("--signal-every is more than --depth");
	if (number_is(&args->duration, SELFTEST_FOREVER) && !args->every.known) {
		*ret_hint = mem_string("--every 1s");
		return mem_string("--duration forever needs --every");
	}
	return NULL;
}

char *selftest_parse_ways(struct selftest_plan *plan, char **ret_hint)
{
	const struct selftest_args *args = plan->args;
	struct selftest_ways *ways = &plan->request.ways;
	char *message = check_ways(args, ret_hint);

	if (message)
		return message;
	ways->transport = (uint32_t)args->transport.value;
	ways->direction = args->both_ways  ? DIRECTION_BOTH
			  : args->reversed ? DIRECTION_IN
					   : DIRECTION_OUT;
	ways->every_msec = args->every.value;
	plan->request.expect_mops = args->expect_mops.value;
	return NULL;
}

/* ---- --samples ---- */

static void add_samples(void *context, const struct selftest_result *row, const uint64_t *nsec,
			size_t count)
{
	struct selftest_run *run = context;

	for (size_t i = 0; i < count && !run->samples_rc; i++)
		if (fprintf(run->samples, "%s\t%" PRIu64 "\t%s\t%" PRIu64 "\t%" PRIu64 "\n",
			    row->device ? row->device : "", row->port.value, row->test,
			    row->size_bytes.value, nsec[i]) < 0)
			run->samples_rc = -errno;
}

static int fail(struct selftest_run *run, int rc)
{
	listing_fail_to_write(&run->listing, run->plan.args->samples, rc);
	return rc;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? mem_format("%.*s", slash > path ? (int)(slash - path) : 1, path)
		     : mem_string(".");
}

/*
 * A file without a name where the samples will be; or memory, for standard output, and where the
 * file system has no such files (NFS).
 */
static FILE *open_unnamed(const char *path)
{
	_cleanup_(freep) char *directory = directory_of(path);
	_cleanup_(closep) int fd = -1;
	FILE *file;

	if (!file_is_output(path))
		fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd < 0)
		fd = memfd_create("samples", MFD_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (file)
		fd = -1;
	return file;
}

/* Reports now, rather than after the measurement, that the file cannot be written. */
static int check_target(const char *path)
{
	_cleanup_(freep) char *directory = directory_of(path);
	struct stat there;

	if (file_is_output(path))
		return 0;
	/* An existing file is replaced, after following links. */
	if (!stat(path, &there) && !S_ISREG(there.st_mode))
		return S_ISDIR(there.st_mode) ? -EISDIR : -EEXIST;
	if (!lstat(path, &there))
		return 0;
	if (errno != ENOENT)
		return -errno;
	return access(directory, W_OK | X_OK) ? -errno : 0;
}

int selftest_samples_begin(struct selftest_run *run)
{
	struct selftest_ways *ways = &run->plan.request.ways;
	int rc;

	if (!run->plan.args->samples)
		return 0;
	rc = check_target(run->plan.args->samples);
	if (rc)
		return fail(run, rc);
	/* A measurement may go on for days, so its samples are kept in memory only if need be. */
	run->samples = open_unnamed(run->plan.args->samples);
	if (!run->samples)
		return fail(run, -errno);
	fputs("device\tport\ttest\tsize_bytes\tnsec\n", run->samples);
	ways->samples = add_samples;
	ways->samples_context = run;
	return 0;
}

/* What has been copied is cut out, so that all of it does not take up twice the room. */
static int write_samples(void *context, FILE *file)
{
	FILE *samples = ((const struct selftest_run *)context)->samples;
	char piece[65536];
	off_t done = 0;
	size_t length;

	while ((length = fread(piece, 1, sizeof(piece), samples))) {
		if (fwrite(piece, 1, length, file) != length)
			return -errno;
		done += (off_t)length;
		fallocate(fileno(samples), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, done);
	}
	return ferror(samples) ? -errno : 0;
}

void selftest_samples_end(struct selftest_run *run)
{
	int rc;

	if (!run->samples)
		return;
	rc = run->samples_rc;
	if (!rc && fseek(run->samples, 0, SEEK_SET))
		rc = -errno;
	if (!rc)
		rc = file_replace(run->plan.args->samples, write_samples, run);
	fclose(run->samples);
	run->samples = NULL;
	if (rc)
		fail(run, rc);
}
