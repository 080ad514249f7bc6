/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many names in little space, as Slurm, pdsh and others write and read them: `leaf[1-3,7],spine1`.
 * Only the number at the end of a name is taken for one. What has leading zeros keeps them.
 */
#pragma once

#include <stddef.h>

/*
 * In natural order, whatever that of the names; each once. `most`: leaves out what makes it longer
 * than so many bytes, and says so (`...`); 0: nothing is left out. The caller frees it.
 */
char *hostlist_format(const char *const *names, size_t count, size_t most);
