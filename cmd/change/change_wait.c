/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/change/change_run.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

/*
 * SIGTTIN and SIGTTOU: with them caught, a background job that reads from the terminal gets EIO.
 * SIGALRM comes from --timeout. SIGPIPE: the reader of the output may have gone with the session.
 */
static const int caught[] = {SIGINT,  SIGTERM, SIGHUP,	SIGQUIT, SIGALRM, SIGUSR1,
			     SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, 0};

void change_signals_catch(struct signals *signals)
{
	signals_catch(signals, caught);
}

static bool is_end(int number, bool survives_hangup)
{
	return number == SIGINT || number == SIGTERM || number == SIGQUIT || number == SIGALRM ||
	       (number == SIGHUP && !survives_hangup);
}

bool change_signals_ended(const struct signals *signals, bool survives_hangup)
{
	bool ended = false;
	int number;

	while ((number = signals_take(signals)))
		ended |= is_end(number, survives_hangup);
	return ended;
}

/*
 * Only a person at a terminal can confirm: any other standard input may be the next lines of a
 * script's loop, not an answer. -1: there is no terminal, or this process is in its background,
 * where typed input is for somebody else.
 */
static int open_terminal(void)
{
	int fd;

	if (isatty(STDIN_FILENO))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	fd = open("/dev/tty", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && tcgetpgrp(fd) != getpgrp()) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Returns whether a line was read; at end of file, *terminal is closed and set to -1. */
static bool read_line(int *terminal)
{
	char text[256];
	ssize_t length = read(*terminal, text, sizeof(text));

	if (length <= 0) {
		close(*terminal);
		*terminal = -1;
	}
	return length > 0 && memchr(text, '\n', (size_t)length);
}

static void invite(uint64_t msec, bool on_terminal)
{
	const double seconds = (double)msec / 1000;
	const long process = getpid();

	if (on_terminal)
		fprintf(stderr,
			"Changed. It is undone in %g s, unless you confirm it: Enter keeps it, ^C "
			"undoes it now.\nFrom another session: kill -USR1 %ld keeps it.\n",
			seconds, process);
	else
		fprintf(stderr,
			"Changed. It is undone in %g s, unless you confirm it: there is no "
			"terminal here, so kill -USR1 %ld keeps it.\n",
			seconds, process);
}

enum change_verdict change_wait(const struct signals *signals, uint64_t msec)
{
	_cleanup_(closep) int terminal = open_terminal();
	const uint64_t end = clock_msec() + msec;
	int number;

	/* Discard what was typed before the question. */
	if (terminal >= 0)
		tcflush(terminal, TCIFLUSH);
	invite(msec, terminal >= 0);
	for (;;) {
		struct pollfd pollers[] = {
			{.fd = signals->fd, .events = POLLIN},
			{.fd = terminal, .events = POLLIN},
		};

		while ((number = signals_take(signals))) {
			if (number == SIGUSR1)
				return CHANGE_KEPT;
			if (is_end(number, true))
				return CHANGE_ENDED;
		}
		if (!clock_msec_until(end))
			return CHANGE_TIMED_OUT;
		if (poll(pollers, 2, clock_msec_until(end)) > 0 && pollers[1].revents &&
		    read_line(&terminal))
			return CHANGE_KEPT;
	}
}
