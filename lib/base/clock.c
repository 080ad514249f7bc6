/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/clock.h"

#include <stdio.h>
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
	struct tm parts = {0};
	int msec, length = 0;
	time_t seconds;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &parts.tm_year, &parts.tm_mon,
		   &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &msec,
		   &length) != 7 ||
	    !length || text[length])
		return false;
	parts.tm_year -= 1900;
	parts.tm_mon--;
	seconds = timegm(&parts);
	if (seconds < 0 || msec < 0)
		return false;
	*ret_msec = (uint64_t)seconds * 1000 + (uint64_t)msec;
	return true;
}
