/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists of hosts as Slurm, ClusterShell and pdsh write them: `n[001-128,130],login1`. What is
 * written here, all of them read; what differs between them is refused.
 */
#pragma once

#include <stddef.h>

/* The longest name in the domain name system: RFC 1035, 2.3.4. */
#define HOSTLIST_MOST_NAME 255u

/*
 * Many names in little space, in the format of Slurm, pdsh and others: `leaf[1-3,7],spine1`. Only
 * the number at the end of a name is counted, and leading zeros are kept. The names are sorted in
 * natural order, each once. Names that make the text longer than `most` bytes are replaced by
 * `...`; 0: no limit. To be freed.
 */
char *hostlist_format(const char *const *names, size_t count, size_t most);

/*
 * All names of a list in its order, each once. Entries have commas or blanks between them; an entry
 * may have several brackets. Returns 0, or -EINVAL with a message, to be freed: an error in the
 * list, more than `most` names, or none. The caller frees names and array.
 */
int hostlist_parse(const char *text, size_t most, char ***ret_names, size_t *ret_count,
		   char **ret_message);
