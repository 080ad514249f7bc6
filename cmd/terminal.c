/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/terminal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
	PIECE_BYTES = 128,
	RESTORE_MSEC = 1000, /* a terminal may be slow, or far away */
};

bool terminal_takes_escapes(void)
{
	const char *type = getenv("TERM");

	return type && *type && strcmp(type, "dumb") != 0;
}

/*
 * Delivers single keys without echo. Signals from the keyboard stay enabled, so that ^C, ^\ and ^Z
 * do what they always do (termios(3)).
 */
static void take_keys(struct terminal *terminal)
{
	struct termios single = terminal->saved;

	if (!terminal->has_keys)
		return;
	single.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	single.c_cc[VMIN] = 1;
	single.c_cc[VTIME] = 0;
	/* TCSADRAIN would wait for the output, which these settings do not concern. */
	tcsetattr(STDIN_FILENO, TCSANOW, &single);
}

/*
 * How much of the text poll(2) promises room for. The line discipline looks for room again before
 * each line feed, to which it adds a carriage return: n_tty_write(), drivers/tty/n_tty.c.
 */
static size_t piece_of(const char *text)
{
	const size_t line = strcspn(text, "\n");

	return !line ? 1 : line < PIECE_BYTES ? line : PIECE_BYTES;
}

/*
 * A terminal takes nothing while its reader sleeps or ^S has stopped it, so a signal or the time
 * ends the waiting, and the rest is dropped.
 */
static int put(struct terminal *terminal, const char *text, int most_msec)
{
	struct pollfd fds[] = {{.fd = STDOUT_FILENO, .events = POLLOUT},
			       {.fd = terminal->signals.fd, .events = POLLIN}};

	while (*text) {
		ssize_t written;

		terminal->stuck = poll(fds, ARRAY_SIZE(fds), most_msec) >= 0 && !fds[0].revents;
		if (terminal->stuck)
			return 0;
		written = write(STDOUT_FILENO, text, piece_of(text));
		if (written < 0 && errno != EINTR)
			return -errno;
		text += written > 0 ? written : 0;
	}
	return 0;
}

/* Writes what the screen has to say; `rc` is its result. */
static int put_screen(struct terminal *terminal, int rc, int most_msec)
{
	if (!rc && fflush(terminal->screen.out))
		rc = -errno;
	if (!rc) {
		/* An earlier, longer output may be behind it. */
		terminal->output[terminal->output_length] = '\0';
		rc = put(terminal, terminal->output, most_msec);
	}
	rewind(terminal->screen.out);
	return rc;
}

static int leave(struct terminal *terminal)
{
	int rc = screen_leave(&terminal->screen);

	if (terminal->on)
		rc = put_screen(terminal, rc, RESTORE_MSEC);
	if (terminal->has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal->saved);
	return rc;
}

static int draw(struct terminal *terminal)
{
	if (!terminal->text)
		return 0;
	return put_screen(terminal, screen_show(&terminal->screen, terminal->text),
			  terminal->stopped ? 0 : -1);
}

void terminal_begin(struct terminal *terminal, bool table, bool keys)
{
	/* The first four matter only to a screen. */
	static const int numbers[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGALRM, SIGINT,
				      SIGTERM,	SIGQUIT, SIGHUP,  0};

	*terminal = (struct terminal){.screen.fd = STDOUT_FILENO, .signals = SIGNALS_NONE};
	terminal->on = table && screen_is_there(stdout) && terminal_takes_escapes();
	if (terminal->on)
		terminal->screen.out = mem_check(
			open_memstream(&terminal->output, &terminal->output_length));
	signals_catch(&terminal->signals, terminal->on ? numbers : numbers + 4);
	terminal->has_keys = terminal->on && keys && !tcgetattr(STDIN_FILENO, &terminal->saved);
	take_keys(terminal);
}

int terminal_show(struct terminal *terminal, char *text)
{
	free(terminal->text);
	terminal->text = text;
	return draw(terminal);
}

/*
 * Restores the terminal for the shell, and lets the signal take effect: SIGTSTP stops the program,
 * and SIGALRM, from --timeout, ends it.
 */
static void let_act(struct terminal *terminal, int number)
{
	sigset_t set;

	leave(terminal);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	/* The signal is delivered here. */
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void terminal_take_signals(struct terminal *terminal)
{
	int number;

	while ((number = signals_take(&terminal->signals))) {
		if (number == SIGTSTP || number == SIGALRM) {
			let_act(terminal, number);
		} else if (number != SIGWINCH && number != SIGCONT) {
			terminal->stopped = number;
			continue;
		}
		/* SIGSTOP cannot be caught: the shell reset the terminal, so set it up again. */
		if (number != SIGWINCH)
			take_keys(terminal);
		terminal->changed = true;
		draw(terminal);
	}
}

bool terminal_wait_until(struct terminal *terminal, uint64_t msec)
{
	do {
		if (signals_wait(&terminal->signals, msec))
			terminal_take_signals(terminal);
	} while (!terminal->stopped && clock_msec_until(msec));
	return !terminal->stopped;
}

int terminal_end(struct terminal *terminal, bool keep)
{
	int rc = leave(terminal);

	/* Leaving the screen has erased its text. */
	if (!rc && keep && terminal->text && !terminal->stuck)
		rc = put(terminal, terminal->text, RESTORE_MSEC);
	free(terminal->text);
	terminal->text = NULL;
	terminal->has_keys = false;
	terminal_take_signals(terminal);
	if (terminal->on) {
		fclose(terminal->screen.out);
		free(terminal->output);
	}
	signals_release(&terminal->signals);
	/* Whatever else is to be said would wait for the terminal, too. */
	if (terminal->stuck && terminal->stopped)
		raise(terminal->stopped);
	return rc;
}
