/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the tests of changes: a host whose kernel answers in memory. */
#pragma once

#include "netlink_message.h"
#include "setting_reads.h"

#include "kernel/netlink/netlink.h"

/* The test sets the kernel's `serve` and `context`; it answers the host's RDMA netlink requests. */
static inline int change_bed_begin(struct fake_kernel *kernel, struct change_host *host)
{
	const int fd = fake_start(kernel);

	if (fd < 0)
		return -1;
	hurry(fd);
	host->nldev = netlink_from_fd(fd, 8192);
	return 0;
}

static inline void change_bed_end(struct fake_kernel *kernel, struct change_host *host,
				  struct changes *changes)
{
	changes_clear(changes);
	change_host_close(host);
	fake_stop(kernel);
}
