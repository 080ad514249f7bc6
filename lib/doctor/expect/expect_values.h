/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Device values in expectation files: --learn writes them, --expect compares them. */
#pragma once

#include "doctor/expect/expectation.h"
#include "doctor/frame/facts.h"
#include "host/device.h"

struct expect_value {
	bool known;
	bool none;	  /* the object cannot have the value: a port that is down has no rate */
	const char *word; /* borrowed; NULL: a number */
	double number;
};

/* `port` NULL: a value of the device. */
void expect_value_get(struct doctor_facts *facts, const struct device *device,
		      const struct port *port, enum wanted_key key, struct expect_value *ret_value);
/* Reads this process's limit of pinned memory in bytes; INFINITY: unlimited. 0 or -errno. */
int expect_read_memlock(struct doctor_facts *facts, double *ret_bytes);
