/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A line of `change --from`, and its words as values for the settings of devices and of the
 * subsystem. The words have no control characters, and quoting them gives the same words again. A
 * value that a setting accepts is accepted again and stays the same; a refused one has a reason.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/device/device.h"
#include "change/system.h"
#include "cli/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void quote_again(const struct strings *words)
{
	_cleanup_(freep) char *line = NULL, *message = NULL;
	struct strings again = {0};

	for (size_t i = 0; i < words->count; i++) {
		_cleanup_(freep) char *quoted = text_quote(words->items[i]);

		mem_extend(&line, "%s%s", i ? " " : "", quoted);
	}
	if (line)
		expect(!words_split(line, strlen(line), &again, &message));
	expect(again.count == words->count);
	for (size_t i = 0; i < again.count; i++)
		expect(!strcmp(again.items[i], words->items[i]));
	strings_free(&again);
}

/* Not netns, which opens what the text names: that depends on the host. */
static void try_setting(const struct setting *setting, const char *text)
{
	struct change_host host = {.inventory = NULL};
	struct changes changes = {.count = 0};
	struct change *change = changes_add(&changes, &host, setting, "mlx5_0", NULL);
	_cleanup_(freep) char *value = NULL, *again = NULL;
	int rc;

	if (setting == &device_netns_setting) {
		changes_clear(&changes);
		return;
	}
	rc = change_parse(change, text, &value);
	expect(!rc || (rc == -EINVAL && change->reason));
	if (!rc) {
		expect(!change_parse(change, value, &again));
		expect(!strcmp(value, again));
		for (const char *c = value; *c; c++)
			expect((unsigned char)*c >= ' ' && *c != 0x7f);
	}
	if (!rc && setting == &device_name_setting)
		expect(*value && *value != '.' && !strchr(value, '/') && strlen(value) < 64);
	changes_clear(&changes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(freep) char *message = NULL;
	struct strings words = {0};
	int rc = words_split((const char *)data, size, &words, &message);

	expect(rc ? rc == -EINVAL && message : !message);
	for (size_t i = 0; !rc && i < words.count; i++) {
		for (size_t j = 0; device_setting_table[j]; j++)
			try_setting(device_setting_table[j], words.items[i]);
		for (size_t j = 0; system_setting_table[j]; j++)
			try_setting(system_setting_table[j], words.items[i]);
	}
	if (!rc)
		quote_again(&words);
	strings_free(&words);
	return 0;
}
