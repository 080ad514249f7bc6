/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's MAD interface, /dev/infiniband/umad*, by libibumad (umad.h; in the kernel
 * Documentation/infiniband/user_mad.rst), as a transport for the MAD engine.
 */
#pragma once

#include "mad/engine/transport.h"

/*
 * Opens the umad port of `device` for all classes but subnet management, and that of `smi_device`
 * for the latter: most often the same, but a device with planes has them apart. `smi_device` NULL:
 * there is none. The transport is to be closed by its own `close`. -ELIBACC: libibumad is not
 * installed; -ENODEV: the port has no umad node; -EACCES, -ENOENT ... as from opening the node.
 */
int umad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	      struct mad_transport *ret_transport);
