/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The words of settings: the first byte selects one of the settings of data center bridging, the
 * rest is the text. An accepted text has one form, which is accepted again and stays the same; a
 * refused one has a reason.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/dcb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void try_words(struct changes *changes, struct change_host *host,
		      const struct setting *setting, const char *text)
{
	struct change *change = changes_add(changes, host, setting, "eth0", NULL);
	_cleanup_(freep) char *value = NULL, *again = NULL;
	int rc = change_parse(change, text, &value);

	/* -ENODEV: the text refers to present values, and there is no netdev. */
	expect(!rc || rc == -ENODEV || (rc == -EINVAL && change->reason));
	expect(!rc == (value != NULL));
	if (rc)
		return;
	expect(!change_parse(change, value, &again));
	expect(!strcmp(value, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct change_host host = {.inventory = NULL};
	struct changes changes = {.count = 0};
	char *text;
	size_t count = 0;

	if (!size)
		return 0;
	while (dcb_setting_table[count])
		count++;
	text = mem_alloc_zero(size, 1);
	memcpy(text, data + 1, size - 1);
	try_words(&changes, &host, dcb_setting_table[data[0] % count], text);
	changes_clear(&changes);
	free(text);
	return 0;
}
