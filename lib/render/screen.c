/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/screen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "render/format.h"

/* xterm's Control Sequences: other screen and cursor; ECMA-48 CUP, EL, ED, SGR. */
#define ENTER	   "\033[?1049h\033[?25l"
#define LEAVE	   "\033[?25h\033[?1049l"
#define HOME	   "\033[H"
#define ERASE_LINE "\033[K"
#define ERASE_REST "\033[J"

/* The size of a terminal that does not know its own. */
enum { USUAL_LINES = 24, USUAL_COLUMNS = 80 };

bool screen_is_there(FILE *out)
{
	return isatty(fileno(out));
}

size_t screen_lines(struct screen *screen)
{
	struct winsize size;

	screen->lines = USUAL_LINES;
	screen->columns = USUAL_COLUMNS;
	if (!ioctl(fileno(screen->out), TIOCGWINSZ, &size)) {
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

/* Prints as much of a line as there is room for; returns where the next one begins, or NULL. */
static const char *put_line(const struct screen *screen, const char *line, locale_t widths)
{
	size_t used = 0;

	while (*line && *line != '\n') {
		size_t length = color_length(line), width = 0;

		if (!length) {
			length = text_utf8_length(line, strnlen(line, 4));
			if (!length)
				length = 1;
			width = text_width(line, length, widths);
		}
		used += width;
		/*
		 * Colours are written even past the last column, because the last one resets them.
		 */
		if (used <= screen->columns || !width)
			fwrite(line, length, 1, screen->out);
		line += length;
	}
	return *line ? line + 1 : NULL;
}

int screen_show(struct screen *screen, const char *text)
{
	const size_t most = screen_lines(screen);
	const locale_t widths = text_widths();
	const char *line = text;

	if (!screen->shown)
		fputs(ENTER, screen->out);
	screen->shown = true;
	fputs(HOME, screen->out);
	for (size_t i = 0; line && *line && i < most && i < screen->lines; i++) {
		/* Not after the last line: the screen would scroll. */
		if (i)
			fputs("\r\n", screen->out);
		/* Before the line, because after a full one this would erase its last character. */
		fputs(ERASE_LINE, screen->out);
		line = put_line(screen, line, widths);
		fputs(FORMAT_PLAIN, screen->out);
	}
	fputs(ERASE_REST, screen->out);
	if (widths)
		freelocale(widths);
	return fflush(screen->out) ? -errno : 0;
}

int screen_leave(struct screen *screen)
{
	if (!screen->shown)
		return 0;
	screen->shown = false;
	fputs(LEAVE, screen->out);
	return fflush(screen->out) ? -errno : 0;
}
