/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Network namespaces, by name (ip-netns(8)), process or path, and the word for each. */
#pragma once

struct netlink;

/*
 * Opens the namespace; the caller closes the descriptor. `text` is a process number, a name in
 * /run/netns, or a path if it has a /. -EINVAL: the file is not a network namespace.
 */
int netns_open(const char *text, int *ret_fd);
/* Opens the network namespace of this process. */
int netns_open_own(int *ret_fd);
/*
 * Returns the word for a namespace: its name in /run/netns, or net:[INODE] as the kernel writes it.
 * The caller frees it.
 */
char *netns_word(int fd);
/* Opens an RDMA netlink socket in that namespace. -EPERM without CAP_SYS_ADMIN there and here. */
int netns_open_nldev(int fd, struct netlink **ret_nldev);
