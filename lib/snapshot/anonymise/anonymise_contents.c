/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A complete snapshot: what is learned from it, its paths, and which members are dropped. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "snapshot/anonymise/anonymise_private.h"
#include "snapshot/collect.h"

static bool is_recording(const struct content *content)
{
	return !strncmp(content->path, "netlink/", strlen("netlink/")) ||
	       !strncmp(content->path, "verbs/", strlen("verbs/"));
}

static void learn(struct anonymiser *anonymiser, const struct contents *contents)
{
	for_each (content, contents) {
		const char *name = content_name(content->path);

		if (is_recording(content) && content->kind == CONTENT_FILE)
			anonymise_recording_learn(anonymiser, content);
		else if (content_is_text(content))
			anonymiser_learn_text(anonymiser, content->bytes);
		if (content_is_text(content) && !strcmp(name, "hostname"))
			anonymiser_learn_host(anonymiser, content->bytes);
		else if (content_is_text(content) && !strcmp(name, "node_desc"))
			anonymise_description_learn(anonymiser, content);
		else if (content_is_text(content)) {
			/* A parameter of a module is called by its file: srpt_service_guid. */
			_cleanup_(freep) char *text = mem_format("%s=%s", name, content->bytes);

			anonymise_spoken_guids_learn(anonymiser, text);
		}
	}
	anonymiser_prepare(anonymiser);
}

/* The words of sources.def, and the names of folders that the kernel makes below those. */
static bool is_fixed(const char *component, size_t length)
{
	static const char *const words[] = {
#define SOURCE(how_, folder_, names_) folder_, names_,
#include "snapshot/sources.def"
#undef SOURCE
		"ports gids gid_attrs ndevs types pkeys counters hw_counters sm_up_down linkinfo",
		"root kmsg devices pci auxiliary virtual platform system queues",
		"statistics power hwmon",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (text_has_word(words[i], "/ ", component, length))
			return true;
	return false;
}

/* For members and link targets: a host may have the same name as a folder, such as "net". */
static char *change_path(const struct anonymiser *anonymiser, const char *path)
{
	struct text_buffer out = {.text = NULL};

	for (bool more = true; more;) {
		const size_t length = strcspn(path, "/");
		_cleanup_(freep) char *component = mem_format("%.*s", (int)length, path);
		_cleanup_(freep) char *instance = anonymise_instance(anonymiser, path, length);
		_cleanup_(freep) char *text = anonymise_text(anonymiser, component, false);
		const char *shown = instance ? instance : text;

		/* Look up only words that would change: all of them would take half of the time. */
		if (!instance && strcmp(text, component) && is_fixed(path, length))
			shown = component;
		more = path[length] == '/';
		text_buffer_add(&out, "%s%s", shown, more ? "/" : "");
		path += length + more;
	}
	return text_buffer_take(&out);
}

char *anonymise_member(const struct anonymiser *anonymiser, const char *path)
{
	static const char groups[] = "root/sys/fs/cgroup/", system[] = "root/sys/devices/system/";
	_cleanup_(freep) char *group = NULL, *changed = NULL;

	/* All names there are the kernel's, and a host may have that of a NUMA node: node1. */
	if (!strncmp(path, system, strlen(system)))
		return mem_string(path);
	if (strncmp(path, groups, strlen(groups)))
		return change_path(anonymiser, path);
	/*
	 * Files are told by their names: an unreadable one is a link, and so is a hierarchy's
	 * second name.
	 */
	group = anonymise_cgroup_path(anonymiser, path + strlen(groups),
				      !strncmp(content_name(path), "rdma.", strlen("rdma.")));
	changed = mem_format("%s%s", groups, group);
	return change_path(anonymiser, changed);
}

void anonymise_contents(struct anonymiser *anonymiser, struct contents *contents,
			struct strings *dropped, size_t *ret_answers)
{
	_cleanup_(freep) bool *marked = mem_alloc_zero(contents->count + 1, sizeof(*marked));

	*ret_answers = 0;
	learn(anonymiser, contents);
	for (size_t i = 0; i < contents->count; i++) {
		struct content *content = &contents->items[i];
		const bool recording = is_recording(content);
		char *path;

		marked[i] = (content->kind == CONTENT_FILE && !anonymise_knows_file(content)) ||
			    (recording && (content->kind != CONTENT_FILE ||
					   anonymise_recording(anonymiser, content, ret_answers)));
		if (!marked[i] && !recording && content->kind == CONTENT_FILE)
			anonymise_file(anonymiser, content);
		if (!marked[i] && content->kind == CONTENT_LINK)
			content_replace(content, change_path(anonymiser, content->bytes));
		if (!recording) {
			path = anonymise_member(anonymiser, content->path);
			free(content->path);
			content->path = path;
		}
		if (marked[i])
			strings_add(dropped, content->path);
		marked[i] |= content->kind == CONTENT_FILE &&
			     anonymise_is_void(content->path, content->length);
	}
	contents_drop(contents, marked);
	contents_sort(contents);
}
