/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/sysstat.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/attribute.h"
#include "mad/ping.h"

const struct enum_name sysstat_query_names[] = {
	{SYSSTAT_PING, "ping", TONE_PLAIN, "only whether it answers"},
	{SYSSTAT_HOST, "host", TONE_PLAIN, "the name of the host"},
	{SYSSTAT_CPU, "cpu", TONE_PLAIN, "its processors"},
	{0, NULL},
};

void sysstat_request(enum sysstat_query query, struct mad_request *ret)
{
	ret->mgmt_class = MAD_CLASS_OPENIB_SYSSTAT;
	ret->method = UMAD_METHOD_GET;
	ret->attribute = query;
	ret->oui = UMAD_OPENIB_OUI;
}

char *sysstat_text(const unsigned char *mad, size_t bytes)
{
	const char *data = (const char *)mad + MAD_VENDOR_DATA_AT;
	size_t length = bytes > MAD_VENDOR_DATA_AT ? strnlen(data, bytes - MAD_VENDOR_DATA_AT) : 0;
	struct text_buffer text = {.text = NULL};

	for (size_t at = 0; at < length;) {
		const char *end = memchr(data + at, '\n', length - at);
		size_t line = end ? (size_t)(end - data) - at : length - at;
		_cleanup_(freep) char *clean = text_clean(data + at, line);

		text_buffer_add(&text, "%s%s", clean, end ? "\n" : "");
		at += line + 1;
	}
	return text_buffer_take(&text);
}

/* ibsysstat does not remove the blanks that /proc/cpuinfo has before its values. */
static void trim(const char **text, size_t *length)
{
	for (; *length && **text == ' '; ++*text)
		--*length;
	while (*length && (*text)[*length - 1] == ' ')
		--*length;
}

static char *copy_of(const char *text, size_t length)
{
	trim(&text, &length);
	return length && strncmp(text, "?", length) ? text_clean(text, length) : NULL;
}

/* "2199.998": digits, optionally followed by a point and more digits. */
static bool parse_mhz(const char *text, size_t length, double *ret)
{
	double number = 0, place = 1;
	bool point = false;

	trim(&text, &length);
	if (!length || length > 15)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return false;
		number = number * 10 + (text[i] - '0');
		place *= point ? 10 : 1;
	}
	*ret = number / place;
	return true;
}

/* "cpu 3: model NAME MHZ 2199.998", the format of ibsysstat; the end may be cut off. */
static bool parse_line(const char *line, size_t length, struct sysstat_cpu *ret)
{
	static const char cpu[] = "cpu ", model[] = ": model ", mhz[] = " MHZ ";
	_cleanup_(freep) char *copy = mem_alloc_zero(length + 1, 1);
	size_t digits;
	char *name, *clock;

	memcpy(copy, line, length);
	if (strncmp(copy, cpu, strlen(cpu)))
		return false;
	name = copy + strlen(cpu);
	digits = strspn(name, "0123456789");
	if (!digits || digits > 9 || strncmp(name + digits, model, strlen(model)))
		return false;
	number_set(&ret->cpu, strtoul(name, NULL, 10));
	name += digits + strlen(model);
	clock = strstr(name, mhz);
	ret->model = copy_of(name, clock ? (size_t)(clock - name) : strlen(name));
	if (clock)
		ret->mhz.known = parse_mhz(clock + strlen(mhz), strlen(clock + strlen(mhz)),
					   &ret->mhz.value);
	return true;
}

bool sysstat_parse_cpu(const char **text, struct sysstat_cpu *ret)
{
	struct sysstat_cpu cpu = {.model = NULL};
	const char *end = strchrnul(*text, '\n');

	if (!parse_line(*text, (size_t)(end - *text), &cpu))
		return false;
	*text = *end ? end + 1 : end;
	*ret = cpu;
	return true;
}

/* Copies the complete lines that fit, followed by a NUL. */
static size_t put_lines(const char *lines, unsigned char *data)
{
	size_t length = strlen(lines);

	while (length > SYSSTAT_MOST_BYTES - 1) {
		const char *last = memrchr(lines, '\n', length - 1);

		length = last ? (size_t)(last - lines) + 1 : 0;
	}
	memcpy(data, lines, length);
	return length + 1;
}

static size_t put_name(const char *host, unsigned char *data)
{
	size_t length = strnlen(host, PING_DATA_BYTES - 1);

	memcpy(data, host, length);
	return length + 1;
}

bool sysstat_answer(const unsigned char *mad, size_t bytes, const char *host, const char *cpus,
		    unsigned char answer[static SYSSTAT_MOST_MAD], size_t *ret_bytes)
{
	unsigned int query = mad_attribute(mad);
	size_t length = MAD_VENDOR_DATA_AT;

	if (bytes < MAD_BYTES || mad_class(mad) != MAD_CLASS_OPENIB_SYSSTAT ||
	    mad_method(mad) != UMAD_METHOD_GET || mad_oui(mad) != UMAD_OPENIB_OUI ||
	    !enum_find(sysstat_query_names, query))
		return false;
	memset(answer, 0, SYSSTAT_MOST_MAD);
	memcpy(answer, mad, MAD_VENDOR_DATA_AT);
	mad_set_method(answer, UMAD_METHOD_GET_RESP);
	mad_set_raw_status(answer, 0);
	memset(answer + sizeof(struct umad_hdr), 0, sizeof(struct umad_rmpp_hdr));
	if (query == SYSSTAT_CPU)
		length += put_lines(cpus, answer + MAD_VENDOR_DATA_AT);
	else if (query == SYSSTAT_HOST)
		length += put_name(host, answer + MAD_VENDOR_DATA_AT);
	if (length > MAD_BYTES) {
		/* The kernel segments it, and fills in the other fields. */
		mad_set_rmpp_version(answer, UMAD_RMPP_VERSION);
		mad_set_rmpp_type(answer, MAD_RMPP_DATA);
		mad_set_rmpp_flags(answer, UMAD_RMPP_FLAG_ACTIVE);
	}
	*ret_bytes = length > MAD_BYTES ? length : MAD_BYTES;
	return true;
}
