/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>

#include "base/mem.h"
#include "render/format.h"

void render_stream_init(struct render_stream *stream, FILE *out,
			const struct render_options *options, const struct columns *columns)
{
	*stream = (struct render_stream){
		.out = out,
		.options = *options,
		.columns = columns,
		.widths = mem_alloc_zero(columns->count, sizeof(*stream->widths)),
	};
}

int render_stream_rows(struct render_stream *stream, const void *const *rows, size_t row_count)
{
	const struct document document = {
		.columns = stream->columns, .rows = rows, .row_count = row_count};
	struct render_options options = stream->options;
	size_t first = stream->row_count;
	int rc = 0;

	if (!row_count)
		return 0;
	options.headings = options.headings && !stream->begun;
	if (!stream->begun && options.format == FORMAT_JSON)
		rc = render_json_begin(stream->out, &document);
	stream->begun = true;
	stream->row_count += row_count;
	if (rc)
		return rc;
	if (options.format == FORMAT_JSON)
		return render_json_rows(stream->out, &document, first);
	if (options.format == FORMAT_TABLE)
		return render_table(stream->out, &options, &document, stream->widths);
	return render(stream->out, &options, &document);
}

int render_stream_end(struct render_stream *stream, const struct problems *problems)
{
	const struct document nothing = {.columns = stream->columns, .problems = problems};

	if (!stream->begun)
		return render(stream->out, &stream->options, &nothing);
	return stream->options.format == FORMAT_JSON ? render_json_end(stream->out, problems) : 0;
}

void render_stream_free(struct render_stream *stream)
{
	free(stream->widths);
	stream->widths = NULL;
}
