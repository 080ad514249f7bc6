/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/engine/engine_open.h"

#include "kernel/umad.h"

int mad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	     const struct mad_engine_options *options, struct mad_engine **ret_engine)
{
	struct mad_transport transport;
	int rc = umad_open(device, port, smi_device, smi_port, &transport);

	if (!rc)
		*ret_engine = mad_engine_new(&transport, options);
	return rc;
}
