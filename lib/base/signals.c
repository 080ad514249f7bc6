/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"

static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

void signals_catch(struct signals *signals, const int *numbers)
{
	*signals = SIGNALS_NONE;
	sigemptyset(&signals->caught);
	for (; *numbers; numbers++)
		if (*numbers != SIGHUP || !is_ignored(SIGHUP))
			sigaddset(&signals->caught, *numbers);
	signals->fd = signalfd(-1, &signals->caught, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signals->fd >= 0)
		sigprocmask(SIG_BLOCK, &signals->caught, NULL);
}

int signals_take(const struct signals *signals)
{
	struct signalfd_siginfo info;

	if (signals->fd < 0 || read(signals->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

bool signals_wait(const struct signals *signals, uint64_t end_msec)
{
	struct pollfd poller = {.fd = signals->fd, .events = POLLIN};

	return poll(&poller, 1, clock_msec_until(end_msec)) > 0;
}

void signals_release(struct signals *signals)
{
	if (signals->fd < 0)
		return;
	close(signals->fd);
	signals->fd = -1;
	sigprocmask(SIG_UNBLOCK, &signals->caught, NULL);
}
