/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/mesh.h"

#include <stdlib.h>

void mesh_host_clear(struct mesh_host *host)
{
	free(host->name);
	free(host->reason);
	free(host->hint);
	free(host->release);
	free(host->kernel);
	free(host->boot_id);
	free(host->firmware);
	free(host->rails);
	*host = (struct mesh_host){0};
}
