/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "render/render.h"

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
	tcsetattr(STDIN_FILENO, TCSADRAIN, &single);
}

static int leave(struct terminal *terminal)
{
	int rc = screen_leave(&terminal->screen);

	if (terminal->has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->saved);
	return rc;
}

static int draw(struct terminal *terminal)
{
	return terminal->text ? screen_show(&terminal->screen, terminal->text) : 0;
}

void terminal_begin(struct terminal *terminal, bool table, bool keys)
{
	/* The first four matter only to a screen. */
	static const int numbers[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGALRM, SIGINT,
				      SIGTERM,	SIGQUIT, SIGHUP,  0};

	*terminal = (struct terminal){.screen = {.out = stdout}, .signals = SIGNALS_NONE};
	terminal->on = table && screen_is_there(stdout) && terminal_takes_escapes();
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
			terminal->stopped = true;
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
	if (!rc && keep && terminal->text)
		rc = render_text(stdout, terminal->text);
	free(terminal->text);
	terminal->text = NULL;
	terminal->has_keys = false;
	terminal_take_signals(terminal);
	signals_release(&terminal->signals);
	return rc;
}
