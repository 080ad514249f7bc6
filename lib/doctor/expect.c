/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/expect.h"

#include <stdlib.h>

#include "doctor/check.h"

int doctor_expect_load(struct doctor_facts *facts, const struct doctor_request *request,
		       struct problems *problems)
{
	(void)facts;
	(void)request;
	(void)problems;
	return 0;
}

void doctor_expect_free(struct doctor_expect *expect)
{
	free(expect);
}
