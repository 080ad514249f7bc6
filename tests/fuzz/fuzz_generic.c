/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Generic netlink: the input is the payload of a message about a family, of one about a devlink
 * device, and of ethtool's answers about pause frames, error correction, the link and its module.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/netlink/devlink.h"
#include "kernel/netlink/ethtool.h"
#include "kernel/netlink/genl.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_devlink(const struct devlink *devlink)
{
	check_clean(devlink->bus);
	check_clean(devlink->name);
	for (size_t i = 0; i < devlink->version_count; i++) {
		check_clean(devlink->versions[i].name);
		check_clean(devlink->versions[i].running);
		check_clean(devlink->versions[i].stored);
	}
	for (size_t i = 0; i < devlink->reporter_count; i++)
		check_clean(devlink->reporters[i].name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {DEVLINK_FAMILY};
	/* Aligned, and of exactly this size, so that the sanitizer sees every overrun. */
	void *copy = mem_alloc_zero(size, 1);
	struct devlink_list list = {0};
	struct ethtool_pause pause = {TRISTATE_UNKNOWN};
	struct ethtool_fec fec = {.active.known = false};
	struct ethtool_link_state link = {TRISTATE_UNKNOWN};
	struct ethtool_module module = {.power_mode.known = false};
	uint8_t bytes[16], length = 0;
	uint16_t id = 0;

	if (size)
		memcpy(copy, data, size);
	genl_take_family(&(struct genl_search){names, &id, 1}, copy, size);
	/* The second message about a device finds the first. */
	if (!devlink_take(copy, size, &list, true) && list.count != 1)
		abort();
	devlink_take(copy, size, &list, false);
	if (list.count > 1)
		abort();
	for (size_t i = 0; i < list.count; i++)
		check_devlink(&list.items[i]);
	ethtool_parse_pause(&pause, copy, size);
	if (!ethtool_parse_fec(&fec, copy, size) && fec.bin_count > ETHTOOL_FEC_BINS_MOST)
		abort();
	ethtool_parse_link_state(&link, copy, size);
	ethtool_parse_module(&module, copy, size);
	if (!ethtool_parse_module_bytes(copy, size, bytes, sizeof(bytes), &length) &&
	    length > sizeof(bytes))
		abort();
	devlink_list_clear(&list);
	free(copy);
	return 0;
}
