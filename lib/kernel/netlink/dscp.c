/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/dscp.h"

#include <errno.h>
#include <strings.h>

#include "base/text.h"
#include "kernel/netlink/dcb.h"

static const char *const names[DCB_DSCPS] = {
	[0] = "CS0",   [1] = "LE",    [8] = "CS1",   [10] = "AF11", [12] = "AF12",
	[14] = "AF13", [16] = "CS2",  [18] = "AF21", [20] = "AF22", [22] = "AF23",
	[24] = "CS3",  [26] = "AF31", [28] = "AF32", [30] = "AF33", [32] = "CS4",
	[34] = "AF41", [36] = "AF42", [38] = "AF43", [40] = "CS5",  [44] = "VOICE-ADMIT",
	[46] = "EF",   [48] = "CS6",  [56] = "CS7",
};

const char *dscp_name(unsigned int dscp)
{
	return dscp < DCB_DSCPS ? names[dscp] : NULL;
}

int dscp_parse(const char *text, unsigned int *ret_dscp)
{
	uint64_t number;

	for (unsigned int i = 0; i < DCB_DSCPS; i++)
		if (names[i] && !strcasecmp(names[i], text)) {
			*ret_dscp = i;
			return 0;
		}
	if (text_parse_u64(text, 0, DCB_DSCPS - 1, &number))
		return -EINVAL;
	*ret_dscp = (unsigned int)number;
	return 0;
}
