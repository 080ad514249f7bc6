/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text bars in ASCII and in block characters, at any width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <locale.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/histogram.h"
#include "render/render.h"

#define BLOCK "\xe2\x96\x88"

static const struct histogram_bar bars[] = {
	{0.9, 4, 1}, {4, 4.2, 10}, {4.2, 4.4, 100}, {4.4, 1000, 0}, {1000, 2500000, 5},
};

static char *print(const char *locale, const struct histogram_bar *list, size_t count,
		   unsigned int columns)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	setenv("LC_ALL", locale, 1);
	assert_int_equal(render_histogram(out, list, count, columns), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void ascii(void **state)
{
	_cleanup_(freep) char *text = print("C", bars, ARRAY_SIZE(bars), 56);

	(void)state;
	/* This leaves 23 columns for the bars. */
	assert_string_equal(text, "        LATENCY  COUNT    SHARE\n"
				  "0.9 us -   4 us      1    0.9 %  #\n"
				  "  4 us - 4.2 us     10    8.6 %  ##\n"
				  "4.2 us - 4.4 us    100   86.2 %  #######################\n"
				  "4.4 us -   1 ms      0    0.0 %\n"
				  "  1 ms -  2.5 s      5    4.3 %  #\n");
}

static void blocks(void **state)
{
	static const struct histogram_bar eighths[] = {
		{1, 2, 16}, {2, 3, 15}, {3, 4, 9}, {4, 5, 8}, {5, 6, 1}, {6, 7, 0},
	};
	/* With two columns for the bars, a sixteenth is an eighth of one column. */
	_cleanup_(freep) char *text = print("C.UTF-8", eighths, ARRAY_SIZE(eighths), 31);

	(void)state;
	assert_string_equal(text, "    LATENCY  COUNT    SHARE\n"
				  "1 us - 2 us     16   32.7 %  " BLOCK BLOCK "\n"
				  "2 us - 3 us     15   30.6 %  " BLOCK "\xe2\x96\x89\n"
				  "3 us - 4 us      9   18.4 %  " BLOCK "\xe2\x96\x8f\n"
				  "4 us - 5 us      8   16.3 %  " BLOCK "\n"
				  "5 us - 6 us      1    2.0 %  \xe2\x96\x8f\n"
				  "6 us - 7 us      0    0.0 %\n");
}

static size_t widest_line(const char *text)
{
	size_t widest = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length > widest)
			widest = length;
		text += length + (text[length] == '\n');
	}
	return widest;
}

static void widths(void **state)
{
	(void)state;
	for (unsigned int columns = 1; columns < 200; columns++) {
		_cleanup_(freep) char *text = print("C", bars, ARRAY_SIZE(bars), columns);

		/* The figures take 31 columns; bars are drawn from 34 columns on. */
		assert_int_equal(widest_line(text), columns < 34 ? 31 : columns);
	}
}

/* Without a terminal the width is 80 columns. */
static void into_a_file(void **state)
{
	_cleanup_(freep) char *text = print("C", bars, ARRAY_SIZE(bars), 0);

	(void)state;
	assert_int_equal(widest_line(text), 80);
}

static void onto_a_terminal(void **state)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 61};
	int before = dup(STDOUT_FILENO), terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY), side;
	char text[2048] = "", *end;
	ssize_t got;

	(void)state;
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
		skip(); /* no pseudo terminals here */
	side = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	assert_true(side >= 0);
	assert_int_equal(ioctl(side, TIOCSWINSZ, &size), 0);
	setenv("LC_ALL", "C", 1);
	fflush(stdout);
	dup2(side, STDOUT_FILENO);
	assert_int_equal(render_histogram(stdout, bars, ARRAY_SIZE(bars), 0), 0);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	got = read(terminal, text, sizeof(text) - 1);
	assert_true(got > 0);
	end = strstr(text, "\r\n4.4 us");
	assert_non_null(end);
	*end = '\0';
	assert_int_equal(strlen(strstr(text, "4.2 us - 4.4 us")), 61);
	close(side);
	close(terminal);
	close(before);
}

static void degenerate(void **state)
{
	static const struct histogram_bar none[] = {{1, 2, 0}};
	static const struct histogram_bar great[] = {{0, 1, UINT64_MAX}, {1, 2, 1}};
	_cleanup_(freep) char *nothing = print("C", NULL, 0, 80);
	_cleanup_(freep) char *empty = print("C", none, 1, 80);
	_cleanup_(freep) char *rare = print("C", great, 2, 60);

	(void)state;
	assert_string_equal(nothing, "");
	assert_string_equal(empty, "    LATENCY  COUNT    SHARE\n"
				   "1 us - 2 us      0    0.0 %\n");
	assert_non_null(strstr(rare, "18446744073709551615  100.0 %  #"));
	assert_non_null(strstr(rare, "1  < 0.1 %  #\n"));
	assert_int_equal(widest_line(rare), 60);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ascii),	   cmocka_unit_test(blocks),
		cmocka_unit_test(widths),	   cmocka_unit_test(into_a_file),
		cmocka_unit_test(onto_a_terminal), cmocka_unit_test(degenerate),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
