/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an archive becomes when it is unpacked, and the message for one that cannot be: archives are
 * written here, member by member, including some that `rdmactl snapshot` never writes.
 */
#include "saved_tree.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "snapshot/archive.h"
#include "snapshot/open.h"

#define TOP   SNAPSHOT_FOLDER "/" SNAPSHOT_ROOT "/sys/"
#define LINKS "is both a link and a folder, or is below a link"

struct bed {
	struct saved_tree tree;
	struct contents contents;
	char *archive;
	struct snapshot snapshot;
	char *message, *hint;
};

static int set_up(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	bed->archive = mem_format("%s/x.tar", bed->tree.path);
	bed->snapshot = SNAPSHOT_NONE;
	tree_directory(&bed->tree, "place");
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	snapshot_close(&bed->snapshot);
	contents_clear(&bed->contents);
	free(bed->archive);
	free(bed->message);
	free(bed->hint);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void add(struct bed *bed, enum content_kind kind, const char *path, const char *bytes)
{
	contents_add(&bed->contents, kind, path, bytes, strlen(bytes));
}

/* How many reads of an archive succeed before one fails with the errno; errno 0: all. */
static struct {
	unsigned int left;
	int error;
} reads;

static ssize_t read_at(int fd, void *bytes, size_t size, off_t at)
{
	return preadv(fd, &(struct iovec){bytes, size}, 1, at);
}

static ssize_t read_or_fail(ssize_t (*reader)(int fd, void *bytes, size_t size, off_t at), int fd,
			    void *bytes, size_t size, off_t at)
{
	/* Others, such as the process that removes the folder, read less. */
	if (reads.error && (size == 65536 || reader == read_at) && !reads.left--) {
		errno = reads.error;
		return -1;
	}
	return reader(fd, bytes, size, at);
}

static ssize_t read_next(int fd, void *bytes, size_t size, off_t at)
{
	(void)at;
	return syscall(SYS_read, fd, bytes, size);
}

ssize_t read(int fd, void *bytes, size_t size)
{
	return read_or_fail(read_next, fd, bytes, size, 0);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
	return read_or_fail(read_at, fd, bytes, size, at);
}

static int unpack_as(struct bed *bed, enum archive_filter filter)
{
	_cleanup_(freep) char *place = mem_format("%s/place", bed->tree.path);
	FILE *file = fopen(bed->archive, "we");
	int rc;

	assert_non_null(file);
	rc = archive_write(file, filter, &bed->contents, 1000000000, &SIGNALS_NONE);
	fclose(file);
	/* The library is missing, or was built for another libc. */
	if (rc == -ELIBACC || rc == -ELIBBAD)
		skip();
	assert_int_equal(rc, 0);
	return snapshot_open(bed->archive, place, &bed->snapshot, &bed->message, &bed->hint);
}

static int unpack(struct bed *bed)
{
	return unpack_as(bed, ARCHIVE_PLAIN);
}

/* Nothing is left behind, neither folder nor process. */
static void assert_nothing_left(const struct bed *bed)
{
	_cleanup_(freep) char *place = mem_format("%s/place", bed->tree.path);

	assert_int_equal(rmdir(place), 0);
	assert_int_equal(mkdir(place, 0755), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* `mode` includes the file type; `bytes` is the text of a file or the target of a link. */
static void assert_made(const struct bed *bed, const char *path, unsigned int mode,
			const char *bytes, size_t length)
{
	_cleanup_(freep) char *full = mem_format("%s/%s", bed->snapshot.folder, path);
	_cleanup_(freep) char *got = mem_alloc_zero(length + 2, 1);
	struct stat status;
	ssize_t count = -1;
	FILE *file;

	assert_int_equal(lstat(full, &status), 0);
	if (S_ISLNK(mode))
		mode |= status.st_mode & 0777;
	assert_int_equal(status.st_mode, mode);
	if (S_ISLNK(mode)) {
		count = readlink(full, got, length + 1);
	} else if (S_ISREG(mode)) {
		file = fopen(full, "re");
		assert_non_null(file);
		count = (ssize_t)fread(got, 1, length + 1, file);
		fclose(file);
	} else {
		return;
	}
	assert_int_equal(count, length);
	assert_memory_equal(got, bytes, length);
}

static void unpacked(void **state)
{
	static const char zeros[] = "a\0b\nc";
	struct bed *bed = *state;
	_cleanup_(freep) char *large = mem_alloc_zero(3000001, 1), *folder = NULL;

	for (size_t i = 0; i < 3000001; i++)
		large[i] = (char)(i % 251);
	/* A link before its target, a folder after its file, and folders without a member. */
	add(bed, CONTENT_LINK, "root/sys/class/infiniband/mlx5_0", "../../devices/mlx5_0");
	add(bed, CONTENT_LINK, "root/sys/class/infiniband/broken", "!EINVAL");
	add(bed, CONTENT_FILE, "manifest.json", "{}");
	contents_add(&bed->contents, CONTENT_FILE, "root/sys/devices/mlx5_0/zeros", zeros, 5);
	contents_add(&bed->contents, CONTENT_FILE, "root/sys/devices/mlx5_0/large", large, 3000001);
	add(bed, CONTENT_FILE, "root/sys/devices/mlx5_0/empty", "");
	add(bed, CONTENT_FOLDER, "root/sys/devices/mlx5_0", "");
	add(bed, CONTENT_FOLDER, "root/sys/devices/mlx5_0/ports/1/gids", "");
	add(bed, CONTENT_FOLDER, "root/sys/devices/mlx5_0/ports/1/gids", "");
	assert_int_equal(unpack(bed), 0);
	assert_null(bed->message);
	assert_null(bed->hint);
	folder = mem_format("%s/place/rdmactl-", bed->tree.path);
	assert_int_equal(strncmp(bed->snapshot.folder, folder, strlen(folder)), 0);
	assert_made(bed, "manifest.json", S_IFREG | 0600, "{}", 2);
	assert_made(bed, "root", S_IFDIR | 0700, NULL, 0);
	assert_made(bed, "root/sys/class/infiniband", S_IFDIR | 0700, NULL, 0);
	assert_made(bed, "root/sys/class/infiniband/mlx5_0", S_IFLNK, "../../devices/mlx5_0", 20);
	assert_made(bed, "root/sys/class/infiniband/broken", S_IFLNK, "!EINVAL", 7);
	assert_made(bed, "root/sys/devices/mlx5_0", S_IFDIR | 0700, NULL, 0);
	assert_made(bed, "root/sys/devices/mlx5_0/zeros", S_IFREG | 0600, zeros, 5);
	assert_made(bed, "root/sys/devices/mlx5_0/large", S_IFREG | 0600, large, 3000001);
	assert_made(bed, "root/sys/devices/mlx5_0/empty", S_IFREG | 0600, "", 0);
	assert_made(bed, "root/sys/devices/mlx5_0/ports/1/gids", S_IFDIR | 0700, NULL, 0);
	/* Closing twice is harmless. */
	snapshot_close(&bed->snapshot);
	assert_int_equal(bed->snapshot.alive, -1);
	assert_null(bed->snapshot.folder);
	snapshot_close(&bed->snapshot);
	assert_nothing_left(bed);
}

/* Members that conflict with each other, in either order. */
static void conflicts(void **state)
{
	static const struct {
		enum content_kind kinds[2];
		const char *paths[2];
		const char *member, *why; /* member in the message, and the reason */
	} cases[] = {
		{{CONTENT_FILE, CONTENT_FILE},
		 {"a", "a"},
		 TOP "a",
		 "or is both a file and a folder"},
		{{CONTENT_FILE, CONTENT_FOLDER},
		 {"a", "a"},
		 TOP "a/",
		 "or is both a file and a folder"},
		{{CONTENT_FOLDER, CONTENT_FILE},
		 {"a", "a"},
		 TOP "a",
		 "or is both a file and a folder"},
		{{CONTENT_FILE, CONTENT_FILE},
		 {"a", "a/b"},
		 TOP "a/b",
		 "or is both a file and a folder"},
		{{CONTENT_FILE, CONTENT_FOLDER},
		 {"a", "a/b"},
		 TOP "a/b/",
		 "or is both a file and a folder"},
		{{CONTENT_FILE, CONTENT_FILE},
		 {"a/b", "a"},
		 TOP "a",
		 "or is both a file and a folder"},
		{{CONTENT_LINK, CONTENT_LINK}, {"a", "a"}, TOP "a", LINKS},
		{{CONTENT_LINK, CONTENT_FILE}, {"a", "a"}, TOP "a", LINKS},
		{{CONTENT_FOLDER, CONTENT_LINK}, {"a", "a"}, TOP "a", LINKS},
		{{CONTENT_LINK, CONTENT_FILE}, {"a", "a/b"}, TOP "a", LINKS},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *wanted = NULL;

		for (size_t j = 0; j < 2; j++) {
			_cleanup_(freep) char *path = mem_format("root/sys/%s", cases[i].paths[j]);

			add(bed, cases[i].kinds[j], path,
			    cases[i].kinds[j] == CONTENT_FOLDER ? "" : "x");
		}
		assert_int_equal(unpack(bed), -EBADMSG);
		wanted = mem_format("%s is refused: its member '%s' appears twice, %s",
				    bed->archive, cases[i].member, cases[i].why);
		assert_string_equal(bed->message, wanted);
		assert_string_equal(bed->hint, "--root takes a directory, or an archive that "
					       "`rdmactl snapshot` wrote");
		assert_int_equal(bed->snapshot.alive, -1);
		assert_nothing_left(bed);
		contents_clear(&bed->contents);
		free(bed->message);
		free(bed->hint);
		bed->message = bed->hint = NULL;
	}
}

/* A link whose parent is another link: nothing is created through it. */
static void through_a_link(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *wanted = NULL;

	add(bed, CONTENT_FOLDER, "root/sys/there", "");
	add(bed, CONTENT_LINK, "root/sys/missing", "nowhere");
	add(bed, CONTENT_LINK, "root/sys/missing/b", "x");
	assert_int_equal(unpack(bed), -EBADMSG);
	wanted = mem_format("%s is refused: its member '" TOP "missing/b' appears twice, " LINKS,
			    bed->archive);
	assert_string_equal(bed->message, wanted);
	assert_nothing_left(bed);
}

static void no_snapshot(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *wanted = NULL;

	add(bed, CONTENT_FILE, "manifest.json", "{}");
	assert_int_equal(unpack(bed), -EBADMSG);
	wanted = mem_format("%s is not a snapshot: it has no folder rdmactl-snapshot/root",
			    bed->archive);
	assert_string_equal(bed->message, wanted);
	assert_non_null(bed->hint);
	assert_nothing_left(bed);
}

static void no_place(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *place = mem_format("%s/none", bed->tree.path), *wanted = NULL;

	assert_int_equal(snapshot_open("x.tar", place, &bed->snapshot, &bed->message, &bed->hint),
			 -ENOENT);
	wanted = mem_format("cannot make a folder to unpack x.tar: %s", strerror(ENOENT));
	assert_string_equal(bed->message, wanted);
	assert_string_equal(bed->hint, "TMPDIR=DIRECTORY chooses another place");
	assert_int_equal(bed->snapshot.alive, -1);
	assert_nothing_left(bed);
}

/* Without a place, or with an empty one, /tmp is used. */
static void default_place(void **state)
{
	static const char *const places[] = {NULL, ""};
	_cleanup_(freep) char *folder = NULL;
	struct bed *bed = *state;

	add(bed, CONTENT_FOLDER, "root", "");
	assert_int_equal(unpack(bed), 0);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snapshot_close(&bed->snapshot);
		assert_int_equal(snapshot_open(bed->archive, places[i], &bed->snapshot,
					       &bed->message, &bed->hint),
				 0);
		assert_int_equal(strncmp(bed->snapshot.folder, "/tmp/rdmactl-", 13), 0);
		free(folder);
		folder = mem_string(bed->snapshot.folder);
		snapshot_close(&bed->snapshot);
		assert_int_equal(access(folder, F_OK), -1);
	}
}

static void no_archive(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *place = mem_format("%s/place", bed->tree.path);
	_cleanup_(freep) char *missing = mem_format("%s/no\033ne.tar", bed->tree.path);
	_cleanup_(freep) char *wanted = NULL;
	int rc;

	rc = snapshot_open(missing, place, &bed->snapshot, &bed->message, &bed->hint);
	if (rc == -ELIBACC || rc == -ELIBBAD)
		skip();
	assert_int_equal(rc, -ENOENT);
	wanted = mem_format("cannot unpack %s/no\\x1bne.tar: %s", bed->tree.path, strerror(ENOENT));
	assert_string_equal(bed->message, wanted);
	assert_null(bed->hint);
	assert_nothing_left(bed);
}

/* Reading fails: that does not make the archive a damaged one. */
static void unreadable(void **state)
{
	struct bed *bed = *state;
	int rc = snapshot_open("/proc/self/mem", bed->tree.path, &bed->snapshot, &bed->message,
			       &bed->hint);

	if (rc == -ELIBACC || rc == -ELIBBAD)
		skip();
	assert_int_equal(rc, -EIO);
	assert_string_equal(bed->message, "cannot unpack /proc/self/mem: Input/output error");
	assert_null(bed->hint);
}

static bool fails_at(struct bed *bed, enum archive_filter filter, unsigned int left, int error)
{
	_cleanup_(freep) char *wanted = mem_format("cannot unpack %s: %s", bed->archive,
						   strerror(error));
	int rc;

	reads.left = left;
	reads.error = error;
	rc = unpack_as(bed, filter);
	reads.error = 0;
	if (!rc)
		return false;
	assert_int_equal(rc, -error);
	assert_string_equal(bed->message, wanted);
	assert_nothing_left(bed);
	free(bed->message);
	bed->message = NULL;
	return true;
}

/*
 * The server of the archive's file system goes away, at the first read or at a later one: it is not
 * the archive that is damaged, whatever its compression. EBADMSG is what a file system says of
 * itself.
 */
static void lost_server(void **state)
{
	static const int errors[] = {ESTALE, ETIMEDOUT, EBADMSG};
	struct bed *bed = *state;
	const size_t size = 400000;
	char *bytes = mem_alloc_zero(size, 1);
	uint32_t number = 1;

	/* Nothing that can be compressed. */
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)((number = number * 1664525 + 1013904223) >> 24);
	contents_take(&bed->contents, CONTENT_FILE, SNAPSHOT_ROOT "/sys/a", bytes, size);
	for (int filter = ARCHIVE_PLAIN; filter <= ARCHIVE_XZ; filter++) {
		unsigned int left = 0;

		while (fails_at(bed, (enum archive_filter)filter, left, errors[left % 3]))
			left++;
		snapshot_close(&bed->snapshot);
		/* The data, and the beginning of the file again, to look for its end. */
		assert_true(left >= 7);
		/* A signal is no error. */
		assert_false(fails_at(bed, (enum archive_filter)filter, 3, EINTR));
		snapshot_close(&bed->snapshot);
	}
}

/* Writes a part of gzip's format that is not compressed, of that size; the last one is shorter. */
static void put_part(FILE *file, const char *bytes, uint16_t length, size_t size)
{
	const uint16_t lengths[] = {htole16(length), htole16((uint16_t)~length)};

	fwrite("\x1f\x8b\x08\x08\0\0\0\0\0\3", 10, 1, file);
	/* A name fills the part. */
	for (size_t rest = 10 + 1 + 5 + length + 8; rest < size; rest++)
		fputc('n', file);
	fwrite("\0\1", 2, 1, file);
	fwrite(lengths, sizeof(lengths), 1, file);
	fwrite(bytes, length, 1, file);
	fwrite("\0\0\0\0\0\0\0\0", 8, 1, file);
}

/* To libarchive, the data end where the next part of them cannot be read. */
static void lost_between_parts(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *wanted = mem_format("cannot unpack %s: %s", bed->archive,
						   strerror(EIO));
	_cleanup_(freep) char *place = mem_format("%s/place", bed->tree.path);
	char bytes[16384];
	uint16_t length, last;
	FILE *file;

	add(bed, CONTENT_FILE, SNAPSHOT_ROOT "/sys/first", "");
	add(bed, CONTENT_FILE, SNAPSHOT_ROOT "/sys/last", "");
	assert_int_equal(unpack(bed), 0);
	snapshot_close(&bed->snapshot);
	file = fopen(bed->archive, "r+e");
	assert_non_null(file);
	length = (uint16_t)fread(bytes, 1, sizeof(bytes), file);
	assert_in_range(length, 2048, sizeof(bytes) - 1);
	/* The last header, and the two blocks that end an archive. */
	last = (uint16_t)(length - 3 * 512);
	rewind(file);
	put_part(file, bytes, last, 65536);
	put_part(file, bytes + last, 3 * 512, 0);
	fclose(file);
	assert_int_equal(
		snapshot_open(bed->archive, place, &bed->snapshot, &bed->message, &bed->hint), 0);
	snapshot_close(&bed->snapshot);
	reads.left = 1;
	reads.error = EIO;
	assert_int_equal(snapshot_open(bed->archive, place, &bed->snapshot, &bed->message,
				       &bed->hint),
			 -EIO);
	reads.error = 0;
	assert_string_equal(bed->message, wanted);
}

static void files(void **state)
{
	static const struct {
		const char *name;
		bool file;
	} cases[] = {
		{"x.tar", true},   {"place", false}, {"link", true},
		{"broken", false}, {"fifo", false},  {"x.tar/y", false},
	};
	struct bed *bed = *state;

	tree_write(&bed->tree, "x.tar", "x");
	tree_link(&bed->tree, "link", "x.tar");
	tree_link(&bed->tree, "broken", "none");
	assert_int_equal(mkfifoat(bed->tree.root.fd, "fifo", 0600), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *path = mem_format("%s/%s", bed->tree.path, cases[i].name);

		if (snapshot_is_file(path) != cases[i].file)
			fail_msg("%s", cases[i].name);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(unpacked),		  TEST(conflicts),  TEST(through_a_link),
		TEST(no_snapshot),	  TEST(no_place),   TEST(default_place),
		TEST(no_archive),	  TEST(unreadable), TEST(lost_server),
		TEST(lost_between_parts), TEST(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
