/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric scan --format: the graph in the formats of other tools. */
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "fabric/format/writers.h"
#include "cmd/fabric/fabric_picture.h"
#include "cmd/fabric/fabric_run.h"

static char *write_ibnetdiscover(struct fabric_run *run)
{
	return ibnetdiscover_text(&run->view, time(NULL));
}

static char *write_iblinkinfo(struct fabric_run *run)
{
	return iblinkinfo_text(&run->view);
}

static char *write_slurm(struct fabric_run *run)
{
	return fabric_slurm_text(&run->view);
}

static char *write_dot(struct fabric_run *run)
{
	return fabric_dot_text(&run->view, run->session.listing.ctx->globals.verbose);
}

static char *write_svg(struct fabric_run *run)
{
	char *graph = write_dot(run), *picture = fabric_picture(run, graph);

	free(graph);
	return picture;
}

/* They say themselves why they return NULL. */
static const struct {
	enum fabric_format format;
	char *(*write)(struct fabric_run *run);
} formats[] = {
	{FABRIC_FORMAT_IBNETDISCOVER, write_ibnetdiscover},
	{FABRIC_FORMAT_IBLINKINFO, write_iblinkinfo},
	{FABRIC_FORMAT_SLURM, write_slurm},
	{FABRIC_FORMAT_DOT, write_dot},
	{FABRIC_FORMAT_SVG, write_svg},
};

char *fabric_format_text(struct fabric_run *run, enum fabric_format format)
{
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i].format == format)
			text = formats[i].write(run);
	return text;
}
