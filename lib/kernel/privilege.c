/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/privilege.h"

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* PROC_USER_INIT_INO, include/linux/proc_ns.h: the inode of the first user namespace. */
#define FIRST_USER_NAMESPACE 0xEFFFFFFDu

enum { BITS_PER_WORD = 32 };

bool privilege_held(enum privilege privilege)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[privilege / BITS_PER_WORD].effective >> (privilege % BITS_PER_WORD) & 1;
}

bool privilege_is_first_namespace(void)
{
	struct stat stat_;

	return stat("/proc/self/ns/user", &stat_) || stat_.st_ino == FIRST_USER_NAMESPACE;
}
