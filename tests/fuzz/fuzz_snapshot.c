/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshots from someone else. The first byte chooses: a member of an archive, whose path and
 * target follow, each terminated by a NUL; a text to be anonymised; a text whose secrets are
 * hidden; an archive as a file, which libarchive reads; or a member that is written into an
 * archive and read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "snapshot/anonymise/anonymise.h"
#include "snapshot/archive.h"
#include "snapshot/collect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether an accepted path could lead out of the folder in which it is unpacked. */
static bool escapes(const char *path)
{
	return *path == '/' || !strcmp(path, "..") || !strncmp(path, "../", 3) ||
	       strstr(path, "/../") || strstr(path, "//") ||
	       (strlen(path) >= 3 && !strcmp(path + strlen(path) - 3, "/.."));
}

static void try_member(char *text, size_t size)
{
	const char *end = memchr(text, '\0', size);
	const char *target = end && end < text + size ? end + 1 : NULL;
	const enum content_kind kind = (enum content_kind)(size % 5);
	struct member_sum sum = {0};

	if (member_refuse(&sum, kind, text, target, 0))
		return;
	if (escapes(text) || strncmp(text, SNAPSHOT_FOLDER, strlen(SNAPSHOT_FOLDER)) != 0 ||
	    kind >= CONTENT_HARD_LINK || sum.count != 1)
		abort();
	if (kind == CONTENT_LINK && *target == '/')
		abort();
	if (escapes(member_inner_path(text)) && *member_inner_path(text))
		abort();
}

static void try_text(const char *text)
{
	struct anonymiser *anonymiser = NULL;
	_cleanup_(freep) char *changed = NULL, *again = NULL;

	if (anonymiser_new("key", 3, &anonymiser))
		return;
	anonymiser_learn_text(anonymiser, text);
	anonymiser_learn_names(anonymiser, text);
	anonymiser_prepare(anonymiser);
	changed = anonymise_text(anonymiser, text, true);
	again = anonymise_text(anonymiser, text, true);
	if (strcmp(changed, again) != 0)
		abort();
	anonymiser_free(anonymiser);
}

/* An address that stands between blanks in a text does not stay there, whatever the rest is. */
static void try_address(const char *text, size_t size)
{
	static const char *const addresses[] = {
		"0c:42:a1:12:34:56",
		"0c42:a103:0012:3456",
		"fe80:0000:0000:0000:0e42:a1ff:fe12:3456",
		"fe80::e42:a1ff:fe12:3456",
		"0x0c42a10300123456",
		"10.23.45.67",
	};
	const char *address = addresses[size % ARRAY_SIZE(addresses)];
	const int before = (int)(strlen(text) / 2);
	_cleanup_(freep) char *whole = mem_format("%.*s %s %s", before, text, address,
						  text + before);
	_cleanup_(freep) char *changed = NULL;
	struct anonymiser *anonymiser = NULL;

	if (strcasestr(text, address) || anonymiser_new("key", 3, &anonymiser))
		return;
	anonymiser_learn_text(anonymiser, "0c42:a103:0012:3456");
	anonymiser_learn_text(anonymiser, whole);
	anonymiser_prepare(anonymiser);
	changed = anonymise_text(anonymiser, whole, true);
	if (strcasestr(changed, address))
		abort();
	anonymiser_free(anonymiser);
}

static int take(void *context, const struct content *content)
{
	size_t *count = context;

	if (escapes(content->path))
		abort();
	return ++*count > 1000 ? -1 : 0;
}

static void try_archive(const char *bytes, size_t size)
{
	_cleanup_(closep) int fd = memfd_create("archive", MFD_CLOEXEC);
	_cleanup_(freep) char *path = mem_format("/proc/self/fd/%d", fd);
	_cleanup_(freep) char *why = NULL;
	size_t count = 0;

	if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
		archive_read(path, take, &count, &why);
}

static int compare(void *context, const struct content *content)
{
	const struct content **wanted = context;

	if (!*wanted || content->kind != (*wanted)->kind ||
	    strcmp(content->path, (*wanted)->path) || content->length != (*wanted)->length ||
	    memcmp(content->bytes, (*wanted)->bytes, content->length))
		abort();
	*wanted = NULL;
	return 0;
}

/* A file or a link, as its path and its content; the reader may refuse only what is no member. */
static void try_writing(const char *text, size_t size)
{
	const char *content = strchr(text, '\0') + 1;
	const size_t length = content < text + size ? (size_t)(text + size - content) : 0;
	const bool link = length % 2 && !memchr(content, '\0', length);
	_cleanup_(freep) char *path = mem_format(SNAPSHOT_FOLDER "/%s", text);
	const enum content_kind kind = link ? CONTENT_LINK : CONTENT_FILE;
	const struct signals signals = SIGNALS_NONE;
	struct contents contents = {.items = NULL};
	struct member_sum sum = {0};
	const struct content *wanted;
	_cleanup_(closep) int fd = memfd_create("archive", MFD_CLOEXEC);
	_cleanup_(freep) char *name = mem_format("/proc/self/fd/%d", fd);
	_cleanup_(freep) char *why = NULL;
	FILE *file = fd < 0 ? NULL : fdopen(dup(fd), "w");
	int rc;

	if (!file)
		abort();
	/* The path of no content ends with a slash. */
	if (!text_ends_with(path, "/") &&
	    !member_refuse(&sum, kind, path, length ? content : "", link ? 0 : length)) {
		contents_add(&contents, kind, text, length ? content : "", length);
		wanted = contents.items;
		rc = archive_write(file, ARCHIVE_PLAIN, &contents, 0, &signals);
		/* libarchive may be missing. */
		if (rc != -ELIBACC &&
		    (rc || fflush(file) || archive_read(name, compare, &wanted, &why) || wanted))
			abort();
		contents_clear(&contents);
	}
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(freep) char *text = mem_alloc_zero(size + 1, 1);

	if (!size)
		return 0;
	memcpy(text, data + 1, size - 1);
	switch (data[0] % 5) {
	case 0:
		try_member(text, size - 1);
		break;
	case 1:
		if (size < 4096) {
			try_text(text);
			try_address(text, size);
		}
		break;
	case 2:
		collect_hide_secrets(text, size - 1);
		break;
	case 3:
		try_archive(text, size - 1);
		break;
	default:
		try_writing(text, size - 1);
	}
	return 0;
}
