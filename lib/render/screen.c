/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/screen.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/text.h"

/* xterm's Control Sequences: other screen and cursor; ECMA-48 CUP, EL, ED, SGR. */
#define ENTER	   "\033[?1049h\033[?25l"
#define LEAVE	   "\033[?25h\033[?1049l"
#define HOME	   "\033[H"
#define ERASE_LINE "\033[K"
#define ERASE_REST "\033[J"
#define PLAIN	   "\033[0m"

/* Of a terminal that does not know its size. */
enum { USUAL_LINES = 24, USUAL_COLUMNS = 80 };

bool screen_is_there(void)
{
	return isatty(STDOUT_FILENO);
}

size_t screen_lines(struct screen *screen)
{
	struct winsize size;

	screen->lines = USUAL_LINES;
	screen->columns = USUAL_COLUMNS;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)) {
		if (size.ws_row)
			screen->lines = size.ws_row;
		if (size.ws_col)
			screen->columns = size.ws_col;
	}
	return screen->lines < 2 ? 2 : screen->lines;
}

/* The length of a sequence that sets a colour, as tables have them, or 0. */
static size_t color_length(const char *text)
{
	size_t length;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	length = 2 + strspn(text + 2, "0123456789;");
	return text[length] == 'm' ? length + 1 : 0;
}

/* The columns of a character; of one beyond ASCII as the locale has it, else one. */
static size_t width_of(const char *character, size_t length)
{
	static const uint8_t masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	wchar_t code = (unsigned char)character[0] & masks[length];
	int width;

	if (length == 1)
		return 1;
	for (size_t i = 1; i < length; i++)
		code = code << 6 | (character[i] & 0x3f);
	width = wcwidth(code);
	return width < 0 ? 1 : (size_t)width;
}

/* Prints a line as far as there is room for it; returns where the next one begins, or NULL. */
static const char *put_line(const char *line, size_t columns)
{
	size_t used = 0;

	while (*line && *line != '\n') {
		size_t length = color_length(line), width = 0;

		if (!length) {
			length = text_utf8_length(line, strnlen(line, 4));
			if (!length)
				length = 1;
			width = width_of(line, length);
		}
		used += width;
		/* Colours are put out to the end of the line: the last of them is the plain one. */
		if (used <= columns || !width)
			fwrite(line, length, 1, stdout);
		line += length;
	}
	return *line ? line + 1 : NULL;
}

int screen_show(struct screen *screen, const char *text)
{
	const size_t most = screen_lines(screen);
	const char *line = text;

	if (!screen->shown)
		fputs(ENTER, stdout);
	screen->shown = true;
	fputs(HOME, stdout);
	for (size_t i = 0; line && *line && i < most && i < screen->lines; i++) {
		/* Not behind the last one: the screen would scroll. */
		if (i)
			fputs("\r\n", stdout);
		/* First: behind a full line it would take the last character. */
		fputs(ERASE_LINE, stdout);
		line = put_line(line, screen->columns);
		fputs(PLAIN, stdout);
	}
	fputs(ERASE_REST, stdout);
	return fflush(stdout) ? -errno : 0;
}

int screen_leave(struct screen *screen)
{
	if (!screen->shown)
		return 0;
	screen->shown = false;
	fputs(LEAVE, stdout);
	return fflush(stdout) ? -errno : 0;
}
