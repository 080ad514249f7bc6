/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "schema/value.h"

#define NAME_BYTES 65 /* of the kernel's struct new_utsname */

char *host_name(void)
{
	char name[NAME_BYTES + 1] = "", domain[NAME_BYTES + 1] = "";
	_cleanup_(freep) char *clean = NULL;

	if (gethostname(name, NAME_BYTES))
		name[0] = '\0';
	/* The kernel uses this word if no domain is set. */
	if (getdomainname(domain, NAME_BYTES) || !strcmp(domain, "(none)") || strchr(name, '.'))
		domain[0] = '\0';
	clean = text_clean(name, strlen(name));
	return mem_format("%s%s%s", clean, domain[0] ? "." : "", domain);
}

struct processor {
	struct number cpu;
	char *model, *mhz;
};

static void end_processor(struct processor *processor, char **lines)
{
	if (processor->cpu.known) {
		char *more = mem_format("%scpu %u: model %s MHZ %s\n", *lines,
					(unsigned int)processor->cpu.value,
					processor->model ? processor->model : "?",
					processor->mhz ? processor->mhz : "?");

		free(*lines);
		*lines = more;
	}
	free(processor->model);
	free(processor->mhz);
	*processor = (struct processor){.model = NULL};
}

/* "model name\t: NAME\n" */
static void take_line(struct processor *processor, char *line, char **lines)
{
	char *value = strchr(line, ':');

	if (!value)
		return;
	*value++ = '\0';
	value += strspn(value, " \t");
	value[strcspn(value, "\n")] = '\0';
	line[strcspn(line, "\t")] = '\0';
	if (!strcmp(line, "processor")) {
		end_processor(processor, lines);
		if (!text_parse_u64(value, 10, 999999, &processor->cpu.value))
			processor->cpu.known = true;
	} else if (!strcmp(line, "model name") && !processor->model) {
		processor->model = mem_string(value);
	} else if (!strcmp(line, "cpu MHz") && !processor->mhz) {
		processor->mhz = mem_string(value);
	}
}

char *host_processors(void)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/cpuinfo", "re");
	_cleanup_(freep) char *line = NULL;
	struct processor processor = {.model = NULL};
	char *lines = mem_string("");
	size_t size = 0;

	while (file && getline(&line, &size, file) >= 0)
		take_line(&processor, line, &lines);
	end_processor(&processor, &lines);
	return lines;
}
