/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An engine on a port of this host. */
#pragma once

#include "mad/engine/engine.h"

/* As umad_open(), source/umad.h, with the same errors. */
int mad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	     const struct mad_engine_options *options, struct mad_engine **ret_engine);
