/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/change.h"

#include <ctype.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/inventory/inventory.h"
#include "kernel/netlink/nldev.h"
#include "kernel/privilege.h"
#include "schema/rows.h"

static const struct enum_name state_names[] = {
	{CHANGE_PLANNED, "planned", TONE_PLAIN, "would be written"},
	{CHANGE_UNCHANGED, "unchanged", TONE_PLAIN, "has this value, or the nearest, already"},
	{CHANGE_CHANGED, "changed", TONE_GOOD, "was written, and reads back as wanted"},
	{CHANGE_REFUSED, "refused", TONE_WARNING,
	 "not tried: the object is in use, the value does not fit, or a right is missing"},
	{CHANGE_FAILED, "failed", TONE_BAD, "could not be read or written"},
	{CHANGE_UNVERIFIED, "unverified", TONE_BAD, "was accepted, but reads back otherwise"},
	{CHANGE_UNTRIED, "untried", TONE_PLAIN, "was not tried, because another change failed"},
	{CHANGE_REVERTED, "reverted", TONE_WARNING, "was written, and then undone"},
	{CHANGE_STUCK, "stuck", TONE_BAD, "was written, and could not be undone"},
	{0},
};

static void get_setting(const void *record, struct value *value)
{
	const struct setting *setting = ((const struct change *)record)->setting;

	if (setting)
		value_set_string(value, setting->keyword.word);
}

static void get_interface(const void *record, struct value *value)
{
	const struct setting *setting = ((const struct change *)record)->setting;

	if (setting)
		value_set_string(value, setting->interface);
}

#define RECORD struct change
static const struct field fields[] = {
	TEXT(object, "OBJECT", SHOWN, 0, "device, port or netdev; none for the host"),
	COMPUTED_FIELD(FIELD_STRING, get_setting, "setting", "SETTING", SHOWN, 0, "what is set"),
	TEXT(before, "BEFORE", SHOWN, 0, "value before"),
	TEXT(wanted, "WANTED", 0, 0, "requested value"),
	TEXT(after, "AFTER", SHOWN, 0, "value read back after writing"),
	WORD(state, state_names, "STATE", SHOWN, 0, "outcome of the change"),
	TEXT(reason, "REASON", 0, 0, "why the change was not made"),
	TEXT(next_step, "NEXT STEP", 0, 0, "what to do about it"),
	LIST(disturbs, "DISTURBS", 0, 0, "users of the object that would be disturbed"),
	LIST(notes, "NOTES", 0, 0, "what else to know before or after the change"),
	COMPUTED_FIELD(FIELD_STRING, get_interface, "interface", "INTERFACE", 0, 0,
		       "interface through which it is changed"),
	TEXT(undo, "UNDO", 0, 0, "command that undoes the change"),
	TEXT(persist_file, "PERSIST FILE", 0, 0, "file that makes it persist across reboots"),
	TEXT(persist_text, "PERSIST TEXT", FIELD_LINES, 0,
	     "text for that file; without a file, what else makes it last"),
};
#undef RECORD

/* A command that failed before it knew what to change has changed nothing. */
static void get_changed(const void *record, struct value *value)
{
	const struct change_head *head = record;

	value_set_bool(value, head->changed == TRISTATE_YES);
}

static const struct field head_fields[] = {
	COMPUTED_FIELD(FIELD_BOOL, get_changed, "changed", "CHANGED", 0, 0,
		       "whether anything was changed"),
};

static const struct schema head_schema = SCHEMA("change_head", struct change_head, head_fields,
						"overall result of a change");

static const struct column_view views[] = {
	{"--dry-run", "object,setting,before,wanted,state"},
	{NULL, NULL},
};

const struct schema change_schema = {
	.name = "change",
	.version = 1,
	.summary = "one requested change of a setting",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct change),
	.head = &head_schema,
	.views = views,
};

static int open_once(int protocol, struct netlink **netlink, struct netlink **ret_netlink)
{
	int rc = *netlink ? 0
		 : protocol == NETLINK_RDMA
			 ? nldev_open(NULL, netlink)
			 : netlink_open(NULL, protocol, NETLINK_LARGEST_MESSAGE, netlink);

	if (!rc)
		*ret_netlink = *netlink;
	return rc;
}

struct change_host *change_host_base(struct change_host *host)
{
	return host->base ? host->base : host;
}

int change_host_nldev(struct change_host *host, struct netlink **ret_nldev)
{
	return open_once(NETLINK_RDMA, &change_host_base(host)->nldev, ret_nldev);
}

int change_host_rtnl(struct change_host *host, struct netlink **ret_rtnl)
{
	return open_once(NETLINK_ROUTE, &change_host_base(host)->rtnl, ret_rtnl);
}

int change_host_generic(struct change_host *host, struct netlink **ret_generic)
{
	return open_once(NETLINK_GENERIC, &change_host_base(host)->generic, ret_generic);
}

void change_host_close(struct change_host *host)
{
	netlink_free(host->nldev);
	netlink_free(host->rtnl);
	netlink_free(host->generic);
	free(host->session);
	if (host->links)
		link_list_clear(host->links);
	free(host->links);
	strings_free(&host->daemons);
	if (host->agent)
		host->free_agent(host->agent);
	*host = (struct change_host){0};
}

const struct device *change_device(const struct change *change)
{
	const struct inventory *inventory = change->host->inventory;

	if (!inventory || !change->device_index.known)
		return NULL;
	for (size_t i = 0; i < inventory->devices.count; i++)
		if (number_is(&inventory->devices.items[i].index, change->device_index.value))
			return &inventory->devices.items[i];
	return NULL;
}

struct change *changes_add(struct changes *changes, struct change_host *host,
			   const struct setting *setting, const char *object, const char *wanted)
{
	struct change *change = mem_append(&changes->items, &changes->count,
					   sizeof(*changes->items));

	*change = (struct change){
		.setting = setting,
		.host = host,
		.object = object ? mem_string(object) : NULL,
		.wanted = wanted ? mem_string(wanted) : NULL,
		.disturbs.known = true,
		.notes.known = true,
	};
	number_set(&change->state, CHANGE_PLANNED);
	return change;
}

static void clear(struct change *change)
{
	record_clear(&change_schema, change);
	free(change->path);
	free(change->data);
	free(change->given);
}

void changes_drop_last(struct changes *changes)
{
	clear(&changes->items[--changes->count]);
}

const struct change *changes_find_earlier(const struct changes *changes,
					  const struct change *change)
{
	for (const struct change *other = changes->items; other < change; other++)
		if (other->setting == change->setting &&
		    (!other->object || !strcmp(other->object, change->object)) &&
		    /* Ports of two subnets may be written alike: --via leads to different ones. */
		    !strcmp(other->host->options ?: "", change->host->options ?: ""))
			return other;
	return NULL;
}

void changes_clear(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		clear(&changes->items[i]);
	free(changes->items);
	*changes = (struct changes){0};
}

size_t changes_count(const struct changes *changes, enum change_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < changes->count; i++)
		count += changes->items[i].state.value == state;
	return count;
}

bool changes_have(const struct changes *changes, unsigned int flags)
{
	for (size_t i = 0; i < changes->count; i++)
		if (changes->items[i].state.value == CHANGE_PLANNED &&
		    changes->items[i].setting->flags & flags)
			return true;
	return false;
}

static void replace(char **text, char *replacement)
{
	free(*text);
	*text = replacement;
}

void change_explain(struct change *change, const char *next_step, const char *format, ...)
{
	_cleanup_(freep) char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = mem_format_list(format, arguments);
	va_end(arguments);
	replace(&change->reason, text_clean(text, strlen(text)));
	replace(&change->next_step, mem_string_or_null(next_step));
}

void change_add_sentence(struct strings *sentences, const char *format, ...)
{
	_cleanup_(freep) char *text = NULL, *clean = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = mem_format_list(format, arguments);
	va_end(arguments);
	clean = text_clean(text, strlen(text));
	if (!strings_contain(sentences, clean))
		strings_add(sentences, clean);
}

void change_note_missing(struct change *change, const char *kind, const struct strings *names)
{
	_cleanup_(freep) char *suggestion = NULL;

	/* A second reading finds what this call has deleted. */
	if (change->before || strcmp(change->wanted, CHANGE_ABSENT))
		return;
	suggestion = text_suggest(change->object, (const char *const *)names->items, names->count,
				  NULL);
	change_note(change, "there is no %s %s, so nothing is deleted%s%s", kind, change->object,
		    suggestion ? ": " : "", suggestion ? suggestion : "");
}

char *change_quote_object(const struct change *change, const char *object)
{
	char *words = NULL;

	if (change->setting->flags & SETTING_OF_NAME)
		return text_quote(object);
	for_each_word (word, object, " ") {
		_cleanup_(freep) char *quoted = text_quote(word);

		mem_extend(&words, "%s%s", words ? " " : "", quoted);
	}
	return words;
}

char *change_as_command_on(const struct change *change, const char *object, const char *value)
{
	_cleanup_(freep) char *words = object ? change_quote_object(change, object) : NULL;
	_cleanup_(freep) char *quoted = text_quote(value);
	char *command = mem_format("rdmactl %s%s%s %s %s", change->setting->command,
				   words ? " " : "", words ? words : "",
				   change->setting->keyword.word, quoted);

	if (change->host && change->host->options)
		mem_extend(&command, "%s", change->host->options);
	return command;
}

char *change_as_command(const struct change *change, const char *value)
{
	return change_as_command_on(change, change->object, value);
}

/* systemd expands backslashes, % (specifiers) and $ (variables) inside quotes, too. */
char *change_exec_start(const char *command)
{
	static const char quote[] = "'\\''"; /* as written by text_quote() */
	char *line = mem_string("ExecStart=/usr/bin/env ");

	for (; *command; command++) {
		if (!strncmp(command, quote, strlen(quote))) {
			mem_extend(&line, "\\'");
			command += strlen(quote) - 1;
			continue;
		}
		if (strchr("\\%$", *command))
			mem_extend(&line, "%c", *command);
		mem_extend(&line, "%c", *command);
	}
	return line;
}

char *change_escape_unit(const char *name, bool is_path)
{
	char *escaped = mem_string("");

	for (; *name; name++) {
		const bool plain = isalnum((unsigned char)*name) ||
				   strchr(is_path ? "_.:" : "_.:-", *name);

		mem_extend(&escaped, plain ? "%c" : "\\x%02x", (unsigned char)*name);
	}
	return escaped;
}

char *change_list_words(const struct enum_name *names)
{
	char *list = NULL;

	for (; names->word; names++)
		mem_extend(&list, "%s%s", list ? ", " : "", names->word);
	return list;
}

void change_explain_error(struct change *change, const char *doing, int error)
{
	if (change->reason)
		return;
	if (error == -EPROTONOSUPPORT)
		change_explain(change,
			       "load ib_core, or the driver of the adapter; a container or service "
			       "may be denied netlink",
			       "cannot %s: there is no netlink for it: %s", doing,
			       strerror(-error));
	else if (error == -ENODEV)
		change_explain(change,
			       change->netdev_index.known
				       ? "rdmactl netdevs lists the netdevs that exist"
				       : "rdmactl devices lists the devices that exist",
			       "cannot %s: the object has gone away", doing);
	/*
	 * RIGHT_NET_ADMIN was held, but it counts only if the same user namespace owns the network
	 * namespace.
	 */
	else if (error == -EPERM && !privilege_is_first_namespace())
		change_explain(change,
			       "run it on the host: this process is in a user namespace that may "
			       "not own the network namespace",
			       "cannot %s: %s", doing, strerror(-error));
	else
		change_explain(change, NULL, "cannot %s: %s", doing, strerror(-error));
}

int change_refuse_value(struct change *change, const char *text, const char *takes)
{
	return change_fail(change, -EINVAL, NULL, "'%s' is not a value of %s: it takes %s", text,
			   change->setting->keyword.word, takes);
}

int change_parse(struct change *change, const char *text, char **ret_value)
{
	const struct keyword *keyword = &change->setting->keyword;
	_cleanup_(freep) char *list = NULL, *doing = NULL;
	int rc;

	if (change->setting->parse) {
		rc = change->setting->parse(change, text, ret_value);
		doing = mem_format("read %s", keyword->word);
		if (rc == -EINVAL && !change->reason)
			change_explain(change, NULL, "'%s' is not a value of %s", text,
				       keyword->word);
		else if (rc)
			change_explain_error(change, doing, rc);
		return rc;
	}
	if (keyword->choices && !enum_find_word(keyword->choices, text)) {
		list = change_list_words(keyword->choices);
		return change_refuse_value(change, text, list);
	}
	*ret_value = mem_string(text);
	return 0;
}
