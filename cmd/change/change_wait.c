/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/change/change_wait.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"

/*
 * SIGTTIN and SIGTTOU: reading from the terminal as a job in the background gives EIO instead.
 * SIGALRM is --timeout. SIGPIPE: whoever reads the output may have gone with the session.
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

/* Whether a line came; *open becomes false at the end of the input. */
static bool read_line(bool *open)
{
	char text[256];
	ssize_t length = read(STDIN_FILENO, text, sizeof(text));

	if (length <= 0)
		*open = false;
	return length > 0 && memchr(text, '\n', (size_t)length);
}

static void invite(uint64_t msec)
{
	fprintf(stderr,
		"Changed. It is undone in %g s, unless you confirm it: Enter keeps it, ^C undoes "
		"it now.\nFrom another session: kill -USR1 %ld keeps it.\n",
		(double)msec / 1000, (long)getpid());
}

enum change_verdict change_wait(const struct signals *signals, uint64_t msec)
{
	const uint64_t end = clock_msec() + msec;
	bool open = true;
	int number;

	/* What was typed before is not about this question. */
	if (isatty(STDIN_FILENO))
		tcflush(STDIN_FILENO, TCIFLUSH);
	invite(msec);
	for (;;) {
		struct pollfd pollers[] = {
			{.fd = signals->fd, .events = POLLIN},
			{.fd = open ? STDIN_FILENO : -1, .events = POLLIN},
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
		    read_line(&open))
			return CHANGE_KEPT;
	}
}
