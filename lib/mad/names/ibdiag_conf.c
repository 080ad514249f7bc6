/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/names/ibdiag_conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

static int take_number(const char *text, uint64_t least, uint64_t most, struct number *ret)
{
	uint64_t value;

	/* The prefixes 0 and 0x select the base, as in strtoul(3) with base 0. */
	if (text_parse_u64(text, 0, most, &value) || value < least)
		return -EINVAL;
	*ret = number_of(value);
	return 0;
}

static int take(const char *name, const char *value, struct ibdiag_conf *conf)
{
	if (!strcmp(name, "CA")) {
		free(conf->device);
		conf->device = *value ? text_clean(value, strlen(value)) : NULL;
		return conf->device ? 0 : -EINVAL;
	}
	if (!strcmp(name, "Port"))
		return take_number(value, 1, UINT8_MAX, &conf->port);
	if (!strcmp(name, "timeout"))
		return take_number(value, 1, UINT32_MAX, &conf->timeout_msec);
	if (!strcmp(name, "m_key"))
		return take_number(value, 0, UINT64_MAX, &conf->mkey);
	if (!strcmp(name, "sa_key"))
		return take_number(value, 0, UINT64_MAX, &conf->sa_key);
	return 0;
}

static int take_line(char *line, struct ibdiag_conf *conf)
{
	char *equals = strchr(line, '=');

	if (line[strspn(line, " \t\r")] == '#' || !line[strspn(line, " \t\r")])
		return 0;
	if (!equals)
		return -EINVAL;
	*equals = '\0';
	return take(trim(line), trim(equals + 1), conf);
}

int ibdiag_conf_parse(const char *text, size_t length, struct ibdiag_conf *conf,
		      unsigned int *ret_line)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line;
	unsigned int number = 0;

	while ((line = strsep(&rest, "\n"))) {
		number++;
		/* The last line ends at a NUL: the end of the text, or a stray one. */
		if ((!rest && strlen(text) != length) || take_line(line, conf)) {
			*ret_line = number;
			return -EINVAL;
		}
	}
	return 0;
}

void ibdiag_conf_clear(struct ibdiag_conf *conf)
{
	free(conf->device);
	*conf = (struct ibdiag_conf){.device = NULL};
}
