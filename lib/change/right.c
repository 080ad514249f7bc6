/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether the caller has the privilege that a change needs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "change/change.h"
#include "kernel/privilege.h"

/* Returns what may help if writing a file fails with that errno; NULL: nothing is known. */
static const char *next_step_of_file(int error)
{
	if (error == EROFS)
		return "containers have it mounted read-only: run it on the host";
	if (error != EACCES && error != EPERM)
		return NULL;
	if (!privilege_is_first_namespace())
		return "run it on the host, outside the container";
	return privilege_held(PRIVILEGE_DAC_OVERRIDE)
		       ? "a security module may forbid it: the audit log, or dmesg, may say which"
		       : "run it as root";
}

static bool may_write(struct change *change)
{
	if (!faccessat(AT_FDCWD, change->path, W_OK, AT_EACCESS))
		return true;
	/* Its value has just been read. */
	if (errno == ENOENT)
		change_explain_error(change, "write it", -ENODEV);
	else
		change_explain(change, next_step_of_file(errno), "cannot write %s: %s",
			       change->path, strerror(errno));
	return false;
}

bool change_has_right(struct change *change)
{
	const enum change_right right = change->setting->right;

	if (right == RIGHT_FILE)
		return may_write(change);
	if (right == RIGHT_OPEN)
		return true;
	if (!privilege_held(PRIVILEGE_NET_ADMIN))
		change_explain(change, "run it as root, or give the process this capability",
			       "it takes CAP_NET_ADMIN%s",
			       right == RIGHT_RDMA_ADMIN ? " in the initial user namespace" : "");
	else if (right == RIGHT_RDMA_ADMIN && !privilege_is_first_namespace())
		change_explain(change, "run it on the host, outside the container",
			       "it takes CAP_NET_ADMIN in the initial user namespace, and this "
			       "process is in another one");
	else
		return true;
	return false;
}
