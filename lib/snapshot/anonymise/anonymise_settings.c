/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings files of which only what commands read is kept: the rest names hosts and users. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/config_files.h"
#include "kernel/verbs/loader_config.h"
#include "kernel/verbs/providers.h"
#include "kernel/verbs/verbs.h"
#include "snapshot/anonymise/anonymise_private.h"
#include "snapshot/collect.h"

/* Keeps the words or lines that match the patterns; the first of `ends` separates them. */
static char *keep(const char *text, const char *ends, const char *wanted)
{
	struct text_buffer out = {.text = NULL};

	for_each_word (word, text, ends)
		if (collect_matches(wanted, word))
			text_buffer_add(&out, "%.*s%s", out.length ? 1 : 0, ends, word);
	text_buffer_add(&out, "\n");
	return text_buffer_take(&out);
}

/* Only arguments for module rules and the topology: the others name disks and hosts. */
static const char arguments[] =
	"*blacklist=* *iommu* pci=* mlx* ib_* rdma* *hugepages* isolcpus=* numa*";
/* Only what doctor reads (doctor_setting()): the rest has paths of users and hosts. */
static const char nccl[] = "NCCL_IB_HCA=* NCCL_SOCKET_IFNAME=* NCCL_IB_GID_INDEX=* NCCL_IB_TC=* "
			   "NCCL_IB_DISABLE=* NCCL_NET=*";
static const char libfabric[] = "FI_PROVIDER=* FI_PREFER_SYSCONFIG=*";
static const char *const ucx[] = {"UCX_NET_DEVICES", "UCX_TLS", "UCX_IB_TRAFFIC_CLASS"};

/* Characters of lists of names and ranges, and of numbers; a remark after one has others. */
#define OF_LISTS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:,^\\[]'\""

/* Words that a value may have after a blank: devices, transports, providers, and short numbers. */
static const char known_words[] =
	"mlx[45]_[0-9]* mlx5_bond_[0-9]* mthca[0-9]* bnxt_re[0-9]* irdma[0-9]* efa_[0-9]* "
	"mana_[0-9]* hns_[0-9]* erdma_[0-9]* hfi1_[0-9]* qib[0-9]* ocrdma[0-9]* usnic_[0-9]* "
	"cxgb4_[0-9]* rxe[0-9]* siw[0-9]* rocep[0-9]* roceo[0-9]* ibp[0-9]* ib[0-9]* eth[0-9]* "
	"en[op][0-9]* ens[0-9]* bond[0-9]* IB Socket verbs ofi_rxm ofi_rxd tcp efa shm psm[23] opx "
	"[0-9] [0-9][0-9] [0-9][0-9][0-9]";

/* Whether the text begins with such a word; past its first digit are no words of a remark. */
static bool is_known_word(const char *text)
{
	const size_t length = strcspn(text, " \t\n,;'\"");
	_cleanup_(freep) char *word = mem_format("%.*s", (int)length, text);
	const char *tail = word + strcspn(word, "0123456789");

	return collect_matches(known_words, word) && !tail[strspn(tail, "0123456789_:bdfnopsv")];
}

/*
 * The length of a value without a remark: it consists of `characters`, and of blanks between two
 * names, which are mistakes in most files but are not to be hidden from doctor.
 */
static size_t value_length(const char *value, const char *characters)
{
	size_t length = strspn(value, characters);

	while (!length || value[length - 1] == ',') {
		const size_t blanks = strspn(value + length, " \t");

		if (!blanks || !is_known_word(value + length + blanks))
			break;
		length += blanks;
		length += strspn(value + length, characters);
	}
	return length;
}

/*
 * NCCL and libfabric take a remark for a part of the value, and doctor says so: a blank in its
 * place makes the value as wrong. Values consist of `characters`.
 */
static char *keep_lists(const char *text, const char *names, const char *characters)
{
	_cleanup_(freep) char *lines = keep(text, "\n", names);
	struct text_buffer out = {.text = NULL};
	char *rest = lines, *line;

	while ((line = strsep(&rest, "\n"))) {
		const size_t name = strcspn(line, "="), marks = strspn(line + name, "=^");
		const size_t length = name + marks + value_length(line + name + marks, characters);

		text_buffer_add(&out, "%.*s%s%s", (int)length, line, line[length] ? " " : "",
				rest ? "\n" : "");
	}
	return text_buffer_take(&out);
}

/* Keeps values as doctor reads them. */
static char *keep_ucx(const char *text)
{
	struct text_buffer out = {.text = NULL};

	for (size_t i = 0; i < ARRAY_SIZE(ucx); i++) {
		_cleanup_(freep) char *value = ucx_conf_find(text, ucx[i]);

		if (value && !value[value_length(value, OF_LISTS)])
			text_buffer_add(&out, "%s=%s\n", ucx[i], value);
	}
	return text_buffer_take(&out);
}

/*
 * Keeps the limits of all users, without comments: other lines name users and groups,
 * limits.conf(5).
 */
static char *keep_limits(const char *text)
{
	struct text_buffer out = {.text = NULL};

	for_each_word (line, text, "\n") {
		line[strcspn(line, "#")] = '\0';
		line += strspn(line, " \t");
		if (line[0] == '*' && strspn(line + 1, " \t"))
			text_buffer_add(&out, "%s\n", line);
	}
	return text_buffer_take(&out);
}

/* Whether a backslash joins the line with the next one, as in module_rules_parse(). */
static bool is_joined(const char *line, size_t length)
{
	size_t backslashes = 0;

	while (backslashes < length && line[length - 1 - backslashes] == '\\')
		backslashes++;
	return backslashes % 2;
}

static bool begins_with_word(const char *line, const char *word)
{
	line += strspn(line, " \t");
	return !strncmp(line, word, strlen(word)) && strchr(" \t", line[strlen(word)]);
}

/* The length before a comment, which begins at a # at the start of the line or after a blank. */
static size_t before_comment(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (line[i] == '#' && (!i || strchr(" \t", line[i - 1])))
			return i;
	return length;
}

/*
 * Whether the line, with those that it is joined with, sets nfs4_unique_id of nfs, which is often
 * the name or the ID of the machine: fs/nfs/super.c. Names of options may have a dash for an
 * underscore: parameq(), kernel/params.c.
 */
static bool names_machine(const char *text)
{
	size_t length;
	bool joined;

	do {
		length = strcspn(text, "\n");
		if (memmem(text, length, "unique_id", 9) || memmem(text, length, "unique-id", 9))
			return true;
		joined = is_joined(text, length);
		text += length + (text[length] != '\0');
	} while (joined && *text);
	return false;
}

/*
 * Comments in modprobe.d(5) may say anything about anyone. The lines keep their numbers, which
 * doctor reports, and the commands of install and remove stay as they are, except those that name
 * the machine.
 */
static char *keep_modprobe(const char *text)
{
	struct text_buffer out = {.text = NULL};
	bool joined = false, is_command = false, is_dropped = false;

	while (*text) {
		const size_t length = strcspn(text, "\n");
		size_t kept;

		if (!joined) {
			is_command = begins_with_word(text, "install") ||
				     begins_with_word(text, "remove");
			is_dropped = names_machine(text);
		}
		kept = is_dropped ? 0 : is_command ? length : before_comment(text, length);
		/* A comment continues on the joined line. */
		is_dropped |= kept < length;
		joined = is_joined(text, length);
		text_buffer_add(&out, "%.*s", (int)kept, text);
		text += length;
		if (*text)
			text_buffer_add(&out, "\n");
		text += *text != '\0';
	}
	return text_buffer_take(&out);
}

/*
 * Keeps what providers_parse() reads, `driver NAME`. Of a path, which may be that of a user, only
 * its form stays, and the name of a provider, which doctor looks for: libmlx5.
 */
static char *keep_providers(const struct anonymiser *anonymiser, const char *text)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	struct text_buffer out = {.text = NULL};

	providers_parse(text, &names);
	for (size_t i = 0; i < names.count; i++) {
		char *name = names.items[i], *slash = strrchr(name, '/');
		const bool known = slash && !strncmp(slash + 1, "lib", strlen("lib")) &&
				   verbs_is_provider(slash + 1 + strlen("lib"));

		if (slash)
			anonymise_word(anonymiser, name,
				       known ? (size_t)(slash - name) : strlen(name));
		text_buffer_add(&out, "driver %s\n", name);
	}
	return text_buffer_take(&out);
}

/* Keeps the usual names of files, and that others are included. */
static void keep_includes(struct text_buffer *out, const char *words)
{
	text_buffer_add(out, "include");
	for_each_word (word, words, " \t") {
		const char *pattern = loader_config_pattern(word);

		if (*word)
			text_buffer_add(out, " %s",
					pattern && collect_matches("\\* \\*.conf", pattern) ? word
											    : "/");
	}
	text_buffer_add(out, "\n");
}

/* Keeps the directories below /usr/local that doctor looks for: others may be those of users. */
static char *keep_loader(const char *text)
{
	struct text_buffer out = {.text = NULL};
	char *line;

	while ((line = loader_config_take_line(&text))) {
		const char *words = loader_config_includes(line);

		if (words)
			keep_includes(&out, words);
		else if (collect_matches("/usr/local/lib /usr/local/lib64", line))
			text_buffer_add(&out, "%s\n", line);
		free(line);
	}
	return text_buffer_take(&out);
}

/* The length of a comment or a processing instruction at the start of the text; 0: none. */
static size_t remark_length(const char *text)
{
	static const char marks[][2][sizeof("<!--")] = {{"<!--", "-->"}, {"<?", "?>"}};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *end;

		if (strncmp(text, marks[i][0], strlen(marks[i][0])) != 0)
			continue;
		end = strstr(text + strlen(marks[i][0]), marks[i][1]);
		return end ? (size_t)(end - text) + strlen(marks[i][1]) : strlen(text);
	}
	return 0;
}

/* The length of host_hash= at the start of the text, with the first quote; 0: it is not there. */
static size_t before_hash(const char *text)
{
	static const char name[] = "host_hash", blanks[] = "\t\r\n ";
	const char *at = text;

	if (strncmp(at, name, strlen(name)) != 0)
		return 0;
	at += strlen(name);
	at += strspn(at, blanks);
	if (*at != '=')
		return 0;
	at++;
	at += strspn(at, blanks);
	return *at == '"' || *at == '\'' ? (size_t)(at + 1 - text) : 0;
}

/* The lines of a snapshot, without comments. */
static char *keep_crio(const char *text)
{
	struct text_buffer out = {.text = NULL};

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		text_buffer_add(&out, "%.*s\n", (int)strcspn(text, "#\n"), text);
	return text_buffer_take(&out);
}

/*
 * Drops comments and processing instructions, and the hash by which NCCL tells hosts apart:
 * getHostHash(), src/misc/utils.cc.
 */
static char *keep_topology(const char *text)
{
	struct text_buffer out = {.text = NULL};
	const char *done = text;

	for (const char *at = text; *at;) {
		const size_t remark = remark_length(at), hash = before_hash(at);

		if (!remark && !hash) {
			at++;
			continue;
		}
		text_buffer_add(&out, "%.*s%s", (int)(at + hash - done), done, hash ? "0" : "");
		at += remark + hash;
		if (hash)
			at += strcspn(at, (const char[]){at[-1], '\0'});
		done = at;
	}
	text_buffer_add(&out, "%s", done);
	return text_buffer_take(&out);
}

bool anonymise_is_void(const char *path, size_t length)
{
	return !length &&
	       (strstr(path, "/etc/security/limits.d/") || strstr(path, "/" LOADER_CONFIG ".d/"));
}

char *anonymise_settings(const struct anonymiser *anonymiser, const char *path, const char *text)
{
	if (strstr(path, "/etc/libibverbs.d/"))
		return keep_providers(anonymiser, text);
	if (strstr(path, "/" LOADER_CONFIG))
		return keep_loader(text);
	if (text_ends_with(path, "/virtualTopology.xml"))
		return keep_topology(text);
	if (text_ends_with(path, "/cmdline"))
		return keep(text, " \n", arguments);
	if (strstr(path, "/etc/security/limits."))
		return keep_limits(text);
	if (strstr(path, "/etc/crio/"))
		return keep_crio(text);
	if (text_ends_with(path, "/nccl.conf"))
		return keep_lists(text, nccl, OF_LISTS);
	if (text_ends_with(path, "/libfabric.conf"))
		return keep_lists(text, libfabric, OF_LISTS ";");
	if (text_ends_with(path, "/ucx.conf"))
		return keep_ucx(text);
	if (strstr(path, "/modprobe.d/"))
		return keep_modprobe(text);
	return NULL;
}
