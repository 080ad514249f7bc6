/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a program without RDMA netlink, as on kernels and in containers that do not have it:
 *
 *	no_netlink PROGRAM [ARG...]
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORD(member)		  (offsetof(struct seccomp_data, member))
#define LOAD(offset)		  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define SKIP_UNLESS(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, skip)

int main(int argc, char **argv)
{
	/* Arguments have 64 bits, the low half first. */
	struct sock_filter filter[] = {
		LOAD(WORD(nr)),
		SKIP_UNLESS(SYS_socket, 5),
		LOAD(WORD(args[0])),
		SKIP_UNLESS(AF_NETLINK, 3),
		LOAD(WORD(args[2])),
		SKIP_UNLESS(NETLINK_RDMA, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPROTONOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = sizeof(filter) / sizeof(*filter),
					   .filter = filter};

	if (argc < 2)
		return 125;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		fprintf(stderr, "no_netlink: seccomp: %s\n", strerror(errno));
		return 125;
	}
	execvp(argv[1], argv + 1);
	fprintf(stderr, "no_netlink: %s: %s\n", argv[1], strerror(errno));
	return 125;
}
