/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/format/topology_read.h"

#include <stdlib.h>

#include "fabric/format/topology_private.h"

int fabric_read_topology(const char *text, size_t length, struct fabric *fabric, char **ret_message)
{
	struct topology_text parts = {.blocks = NULL};
	struct fabric found = {.nodes = NULL};
	int rc = topology_parse(text, length, &parts, ret_message);

	if (!rc)
		rc = topology_build(&parts, &found, ret_message);
	free(parts.blocks);
	free(parts.cables);
	if (rc) {
		fabric_clear(&found);
		return rc;
	}
	found.blanked = true;
	*fabric = found;
	return 0;
}
