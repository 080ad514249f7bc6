/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The words of settings: the first byte selects a setting, the rest is the text. An accepted text
 * has one form, which is accepted again and stays the same; a refused one has a reason. The
 * settings of devices and of the subsystem are in fuzz_words.c.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/dcb.h"
#include "change/link/link.h"
#include "change/port.h"
#include "change/roce.h"
#include "change/sriov/sriov.h"
#include "change/statistics.h"

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

/* Returns NULL for a number beyond the last setting. */
static const struct setting *choose(unsigned int number)
{
	static const struct setting *const others[] = {&link_setting, &qp_auto_setting, NULL};
	static const struct setting *const *const tables[] = {
		dcb_setting_table,
		sriov_setting_table,
		sriov_vf_setting_table,
		cma_setting_table,
		ecn_setting_table,
		port_netdev_setting_table,
		others,
		port_agent_setting_table,
	};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct setting *const *row = tables[i]; *row; row++)
			if (!number--)
				return *row;
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct change_host host = {.inventory = NULL};
	struct changes changes = {.count = 0};
	const struct setting *setting = size ? choose(data[0]) : NULL;
	char *text;

	if (!setting)
		return 0;
	text = mem_alloc_zero(size, 1);
	memcpy(text, data + 1, size - 1);
	try_words(&changes, &host, setting, text);
	changes_clear(&changes);
	free(text);
	return 0;
}
