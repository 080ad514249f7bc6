/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Network namespaces: by name (ip-netns(8)), by process, or by path; and the word for each. */
#pragma once

struct netlink;

/*
 * A descriptor of the namespace for the caller to close. `text` is a process number, a name of
 * /run/netns, or with a / in it a path. -EINVAL: what is there is not a network namespace.
 */
int netns_open(const char *text, int *ret_fd);
/* It is the one of this process. */
int netns_open_own(int *ret_fd);
/*
 * The word for a namespace: its name in /run/netns, or net:[INODE] as the kernel writes it. The
 * caller frees it.
 */
char *netns_word(int fd);
/* A socket of RDMA netlink in that namespace. -EPERM without CAP_SYS_ADMIN there and here. */
int netns_open_nldev(int fd, struct netlink **ret_nldev);
