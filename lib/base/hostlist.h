/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists of hosts as Slurm, ClusterShell and pdsh write them: `n[001-128,130],login1`. All of them
 * can read what is written here; syntax in which they differ is refused.
 */
#pragma once

#include <stddef.h>

/* The longest name in the domain name system: RFC 1035, 2.3.4. */
#define HOSTLIST_MOST_NAME 255u

/*
 * Formats many names in little space, in the notation of Slurm, pdsh and others:
 * `leaf[1-3,7],spine1`. Only the number at the end of a name forms ranges, and leading zeros are
 * kept. The names are sorted in natural order, each once. Names that make the text longer than
 * `most` bytes are replaced by `...`; 0: no limit. The caller frees the text.
 */
char *hostlist_format(const char *const *names, size_t count, size_t most);

/*
 * Gets all names of a list in its order, each once. Commas or blanks separate the entries; an entry
 * may have several brackets. Returns 0, or -EINVAL with a message, which the caller frees, if the
 * list has an error, more than `most` names, or none. The caller frees names and array.
 */
int hostlist_parse(const char *text, size_t most, char ***ret_names, size_t *ret_count,
		   char **ret_message);
