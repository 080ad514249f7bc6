/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is sent to a terminal of a given size: texts that fit, and texts that do not. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "render/screen.h"

#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"
#define HOME  "\033[H"
#define LINE  "\033[K"
#define END   "\033[0m"
#define REST  "\033[J"

struct terminal {
	int master;
	struct screen screen;
};

static int begin(void **state)
{
	static struct terminal terminal;
	struct termios raw;
	int slave;

	terminal = (struct terminal){.master = posix_openpt(O_RDWR | O_NOCTTY)};
	assert_true(terminal.master >= 0);
	assert_int_equal(grantpt(terminal.master), 0);
	assert_int_equal(unlockpt(terminal.master), 0);
	slave = open(ptsname(terminal.master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	/* The terminal passes the bytes on unchanged. */
	assert_int_equal(tcgetattr(slave, &raw), 0);
	raw.c_oflag &= ~(tcflag_t)OPOST;
	assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
	terminal.screen.out = fdopen(slave, "w");
	assert_non_null(terminal.screen.out);
	*state = &terminal;
	return 0;
}

static int end(void **state)
{
	struct terminal *terminal = *state;

	fclose(terminal->screen.out);
	close(terminal->master);
	return 0;
}

static void resize(struct terminal *terminal, unsigned short lines, unsigned short columns)
{
	const struct winsize size = {.ws_row = lines, .ws_col = columns};

	assert_int_equal(ioctl(terminal->master, TIOCSWINSZ, &size), 0);
}

static void assert_sent(struct terminal *terminal, const char *wanted)
{
	struct pollfd readable = {.fd = terminal->master, .events = POLLIN};
	char got[4096];
	size_t length = 0;

	/* The output arrives in pieces, and nothing follows it. */
	while (poll(&readable, 1, length < strlen(wanted) ? 5000 : 0) > 0) {
		ssize_t more = read(terminal->master, got + length, sizeof(got) - 1 - length);

		assert_true(more > 0);
		length += (size_t)more;
	}
	got[length] = '\0';
	assert_string_equal(got, wanted);
}

static void assert_shows(struct terminal *terminal, const char *text, const char *wanted)
{
	assert_int_equal(screen_show(&terminal->screen, text), 0);
	assert_sent(terminal, wanted);
}

static void sizes(void **state)
{
	struct terminal *terminal = *state;
	FILE *file = tmpfile();
	struct screen none = {.out = file};

	assert_true(screen_is_there(terminal->screen.out));
	assert_false(screen_is_there(file));
	assert_int_equal(screen_lines(&none), 24);
	assert_int_equal(none.columns, 80);
	fclose(file);
	/* A terminal that does not know its size reports 0. */
	assert_int_equal(screen_lines(&terminal->screen), 24);
	assert_int_equal(terminal->screen.columns, 80);
	resize(terminal, 50, 132);
	assert_int_equal(screen_lines(&terminal->screen), 50);
	assert_int_equal(terminal->screen.columns, 132);
	resize(terminal, 2, 1);
	assert_int_equal(screen_lines(&terminal->screen), 2);
	assert_int_equal(terminal->screen.columns, 1);
	/* screen_lines() is at least 2, so that a heading leaves room for one line. */
	resize(terminal, 1, 1);
	assert_int_equal(screen_lines(&terminal->screen), 2);
	assert_int_equal(terminal->screen.lines, 1);
}

static void in_place(void **state)
{
	struct terminal *terminal = *state;

	resize(terminal, 3, 5);
	assert_int_equal(screen_leave(&terminal->screen), 0);
	assert_shows(terminal, "ab\ncd\n", ENTER HOME LINE "ab" END "\r\n" LINE "cd" END REST);
	/* The next text replaces the first. */
	assert_shows(terminal, "", HOME REST);
	assert_shows(terminal, "\nx", HOME LINE END "\r\n" LINE "x" END REST);
	assert_int_equal(screen_leave(&terminal->screen), 0);
	assert_int_equal(screen_leave(&terminal->screen), 0);
	assert_sent(terminal, LEAVE);
	assert_shows(terminal, "a", ENTER HOME LINE "a" END REST);
}

static void cut(void **state)
{
	struct terminal *terminal = *state;

	resize(terminal, 2, 5);
	terminal->screen.shown = true;
	assert_shows(terminal, "12345\n123456\nnot this",
		     HOME LINE "12345" END "\r\n" LINE "12345" END REST);
	/* Colours take no columns, and the sequence that ends them is not cut. */
	assert_shows(terminal, "\033[31;1mred\033[0m 5678\033[0m|\033[32m",
		     HOME LINE "\033[31;1mred\033[0m 5\033[0m\033[32m" END REST);
	/* Without its escape character, a sequence is ordinary text. */
	assert_shows(terminal, "123456[31m", HOME LINE "12345" END REST);
	resize(terminal, 1, 5);
	assert_shows(terminal, "one\ntwo", HOME LINE "one" END REST);
}

/* Multibyte characters take one column, East Asian ones two. */
static void wide(void **state)
{
	struct terminal *terminal = *state;

	resize(terminal, 2, 4);
	terminal->screen.shown = true;
	assert_shows(terminal, "\303\244\303\266\303\274\303\237x",
		     HOME LINE "\303\244\303\266\303\274\303\237" END REST);
	assert_shows(terminal, "\346\227\245\346\234\254x",
		     HOME LINE "\346\227\245\346\234\254" END REST);
	assert_shows(terminal, "abc\346\227\245", HOME LINE "abc" END REST);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	static const struct CMUnitTest tests[] = {
		TEST(sizes),
		TEST(in_place),
		TEST(cut),
		TEST(wide),
	};

	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
