/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/histogram.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/file.h"

enum { BOUND_SIZE = 32 };

/* Widths beside the bars: " - " between bounds, two blanks before each column, "100.0 %". */
enum { BETWEEN = 3, GAP = 2, PERCENT = 7 };

/* U+2588 FULL BLOCK is eight eighths; U+2589 to U+258F are seven to one. */
enum { EIGHTHS = 8 };

struct layout {
	int least; /* widths of the columns */
	int below;
	int count;
	int bar;
	bool blocks;
	uint64_t most; /* in one bar */
	double total;
};

static void format_bound(double usec, char text[static BOUND_SIZE])
{
	static const struct {
		double usec;
		const char *unit;
	} units[] = {{1e6, "s"}, {1e3, "ms"}, {0, "us"}};
	size_t i = 0;

	while (usec < units[i].usec)
		i++;
	snprintf(text, BOUND_SIZE, "%.6g %s", units[i].usec > 0 ? usec / units[i].usec : usec,
		 units[i].unit);
}

static void widen(int *width, const char *text)
{
	if ((int)strlen(text) > *width)
		*width = (int)strlen(text);
}

unsigned int render_columns(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

/* Whether the user's locale uses UTF-8. */
static bool shows_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8;

	if (!locale)
		return false;
	utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return utf8;
}

static struct layout measure(const struct histogram_bar *bars, size_t count, int columns)
{
	struct layout layout = {.count = (int)strlen("COUNT")};
	char text[BOUND_SIZE];

	for (size_t i = 0; i < count; i++) {
		format_bound(bars[i].least_usec, text);
		widen(&layout.least, text);
		format_bound(bars[i].below_usec, text);
		widen(&layout.below, text);
		snprintf(text, sizeof(text), "%" PRIu64, bars[i].count);
		widen(&layout.count, text);
		layout.total += (double)bars[i].count;
		if (bars[i].count > layout.most)
			layout.most = bars[i].count;
	}
	layout.bar = columns - layout.least - BETWEEN - layout.below - GAP - layout.count - GAP -
		     PERCENT - GAP;
	layout.blocks = shows_utf8();
	return layout;
}

static void put_eighths(FILE *out, unsigned int eighths)
{
	for (; eighths >= EIGHTHS; eighths -= EIGHTHS)
		fputs("\xe2\x96\x88", out);
	if (eighths)
		fprintf(out, "\xe2\x96%c", (char)(0x90 - (int)eighths));
}

static void put_bar(FILE *out, bool blocks, double share, unsigned int width)
{
	const unsigned int steps = width * (blocks ? EIGHTHS : 1);
	unsigned int length = (unsigned int)(share * steps + 0.5);

	if (!length)
		length = 1;
	if (blocks)
		put_eighths(out, length);
	else
		while (length--)
			putc('#', out);
}

void render_bar(FILE *out, double share, unsigned int width)
{
	put_bar(out, shows_utf8(), share, width);
}

static void put_line(FILE *out, const struct layout *layout, const struct histogram_bar *bar)
{
	double percent = layout->total > 0 ? (double)bar->count / layout->total * 100 : 0;
	char least[BOUND_SIZE], below[BOUND_SIZE];

	format_bound(bar->least_usec, least);
	format_bound(bar->below_usec, below);
	fprintf(out, "%*s - %*s%*s%*" PRIu64 "%*s", layout->least, least, layout->below, below, GAP,
		"", layout->count, bar->count, GAP, "");
	if (bar->count && percent < 0.05)
		fputs("< 0.1 %", out);
	else
		fprintf(out, "%5.1f %%", percent);
	if (bar->count && layout->bar > 0) {
		fprintf(out, "%*s", GAP, "");
		put_bar(out, layout->blocks, (double)bar->count / (double)layout->most,
			(unsigned int)layout->bar);
	}
	putc('\n', out);
}

int render_histogram(FILE *out, const struct histogram_bar *bars, size_t count,
		     unsigned int columns)
{
	struct layout layout;

	if (!count)
		return 0;
	layout = measure(bars, count, (int)(columns ? columns : render_columns(out)));
	fprintf(out, "%*s%*s%*s%*s%*s\n", layout.least + BETWEEN + layout.below, "LATENCY", GAP, "",
		layout.count, "COUNT", GAP, "", PERCENT, "SHARE");
	for (size_t i = 0; i < count; i++)
		put_line(out, &layout, &bars[i]);
	return file_error(out);
}
