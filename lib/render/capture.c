/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/format.h"

int render_to_text(const struct render_options *options, const struct document *document,
		   char **ret_text)
{
	FILE *before = stdout;
	char *text = NULL;
	size_t length;
	int rc;

	/* The standard streams are variables that may be assigned to (glibc manual, 12.2). */
	stdout = open_memstream(&text, &length);
	if (!stdout) {
		rc = -errno;
		stdout = before;
		return rc;
	}
	rc = render(options, document);
	if (fclose(stdout) && !rc)
		rc = -errno;
	stdout = before;
	if (rc)
		free(text);
	else
		*ret_text = text;
	return rc;
}

int render_to_file(FILE *file, const struct render_options *options,
		   const struct document *document)
{
	FILE *before = stdout;
	int rc;

	stdout = file;
	rc = render(options, document);
	stdout = before;
	return rc;
}

int render_document(FILE *file, const struct document *head, const struct document *document)
{
	const struct render_options line = {.format = FORMAT_JSONL};
	const struct schema *schema = document->columns->schema;
	_cleanup_(freep) char *members = NULL;
	FILE *before = stdout;
	int rc = render_to_text(&line, head, &members);

	if (rc || !members)
		return rc ? rc : -EIO;
	/* {"time": ...}\n without its end, then as render_json_begin() goes on. */
	fprintf(file, "%.*s,\n \"schema\": \"rdmactl/%s/%u\",\n \"%s\": [",
		(int)strlen(members) - 2, members, schema->name, schema->version, schema->name);
	stdout = file;
	rc = render_json_rows(document, 0);
	if (!rc)
		rc = render_json_end(document->problems);
	stdout = before;
	return rc;
}
