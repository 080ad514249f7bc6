/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/waiting.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "change/change.h"

enum { SOCKET_KIND = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK };

/* Returns the length of the address. A longer name is cut, which may find too much, never less. */
static socklen_t make_address(const struct change *change, struct sockaddr_un *address)
{
	const size_t room = sizeof(address->sun_path) - 1;
	int length;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	/* The NUL before it makes the name abstract. */
	length = snprintf(address->sun_path + 1, room, "rdmactl change %s %s",
			  change->setting->keyword.word, change->object ? change->object : "");
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   ((size_t)length < room ? (size_t)length : room - 1));
}

int waiting_announce(const struct change *change)
{
	struct sockaddr_un address;
	const socklen_t length = make_address(change, &address);
	const int fd = socket(AF_UNIX, SOCKET_KIND, 0);

	if (fd < 0 ||
	    (!bind(fd, (const struct sockaddr *)&address, length) && !listen(fd, SOMAXCONN)))
		return fd;
	close(fd);
	return -1;
}

void waiting_guard(struct change *change)
{
	struct sockaddr_un address;
	const socklen_t length = make_address(change, &address);
	_cleanup_(closep) int fd = socket(AF_UNIX, SOCKET_KIND, 0);
	struct ucred waiter;
	socklen_t size = sizeof(waiter);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, length) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &waiter, &size))
		return;
	/* Anyone may take the name. */
	if (!waiter.uid || waiter.uid == geteuid())
		change_disturbs(change,
				"process %ld, which has set it too and waits to be confirmed or to "
				"undo it (--revert-after)",
				(long)waiter.pid);
}
