/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

#define NSEC 1000000000u

void utc_format(uint64_t nsec, char text[static UTC_TEXT_SIZE])
{
	const time_t seconds = (time_t)(nsec / NSEC);
	const unsigned int msec = (unsigned int)(nsec % NSEC / 1000000);
	struct tm parts;
	size_t length;

	gmtime_r(&seconds, &parts);
	length = strftime(text, UTC_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text + length, UTC_TEXT_SIZE - length, ".%03uZ", msec);
}

char *utc_now(void)
{
	char text[UTC_TEXT_SIZE];

	utc_format(clock_wall_nsec(), text);
	return mem_string(text);
}

bool utc_parse(const char *text, uint64_t *ret_msec)
{
	enum { TO_SECONDS = sizeof("2026-01-31T12:00:00") - 1 };
	char again[UTC_TEXT_SIZE];
	struct tm parts = {0};
	const char *rest;
	uint64_t msec = 0;
	time_t seconds;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
		   &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6)
		return false;
	parts.tm_year -= 1900;
	parts.tm_mon--;
	seconds = timegm(&parts);
	if (seconds < 0 || (uint64_t)seconds >= UINT64_MAX / NSEC)
		return false;
	/* sscanf() takes signs and blanks, and timegm() a 31st of February. */
	utc_format((uint64_t)seconds * NSEC, again);
	if (strncmp(text, again, TO_SECONDS))
		return false;
	rest = text + TO_SECONDS;
	if (*rest == '.' && strspn(rest + 1, "0123456789") == 3) {
		msec = strtoull(rest + 1, NULL, 10);
		rest += 4;
	}
	if (strcmp(rest, "Z"))
		return false;
	*ret_msec = (uint64_t)seconds * 1000 + msec;
	return true;
}
