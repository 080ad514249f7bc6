/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshots from someone else. The first byte chooses: a member of an archive, whose path and
 * target follow, each terminated by a NUL; a text to be anonymised; a text whose secrets are
 * hidden; or an archive as a file, which libarchive reads.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "snapshot/anonymise/anonymise.h"
#include "snapshot/archive.h"
#include "snapshot/collect_read.h"
#include "snapshot/member.h"

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
	struct member member = {.kind = (enum member_kind)(size % 5), .path = text};
	struct member_sum sum = {0};

	if (end && end < text + size)
		member.target = end + 1;
	if (member_refuse(&sum, &member))
		return;
	if (escapes(text) || strncmp(text, SNAPSHOT_FOLDER, strlen(SNAPSHOT_FOLDER)) != 0 ||
	    member.kind >= MEMBER_HARD_LINK || sum.count != 1)
		abort();
	if (member.kind == MEMBER_LINK && *member.target == '/')
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(freep) char *text = mem_alloc_zero(size + 1, 1);

	if (!size)
		return 0;
	memcpy(text, data + 1, size - 1);
	switch (data[0] % 4) {
	case 0:
		try_member(text, size - 1);
		break;
	case 1:
		if (size < 4096)
			try_text(text);
		break;
	case 2:
		collect_hide_secrets(text);
		break;
	default:
		try_archive(text, size - 1);
	}
	return 0;
}
