/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of a physical function: the number of its virtual functions (sysfs), the settings that
 * it holds for each of them (rtnetlink), and its driver's parameters that switch RDMA on and off
 * (devlink).
 */
#pragma once

#include "change/change.h"
#include "host/device.h"

/* The attribute with the number of VFs of a physical function. */
#define SRIOV_COUNT_FILE "sriov_numvfs"

/* The function or VF that the user named. */
struct sriov_target {
	char *path;		    /* as returned by card_find() */
	struct number netdev_index; /* of the physical function */
	struct number vf;	    /* unknown: the function itself */
};

/* For change_plan_words(): `context` is a struct sriov_target. */
bool sriov_fill(struct change *change, void *context);

/*
 * Finds the function and its netdev. `vf` is a text or NULL. -errno, with *ret_reason for the
 * caller to free.
 */
int sriov_target_find(struct sriov_target *target, const struct device_list *devices,
		      const char *word, const char *vf, char **ret_reason);
void sriov_target_clear(struct sriov_target *target);

/* Notes the settings of all VFs, which they lose when their number is changed. */
void sriov_note_vfs(struct change *change);
/*
 * Explains why the driver did not change the number of VFs; `removes`: it was to remove them;
 * `there`: the function has VFs now. Public for tests.
 */
void sriov_explain_vfs(struct change *change, int error, bool removes, bool there);

extern const struct enum_name sriov_on_off[];
/* All end with NULL: for the function, for a VF, and both for the help. */
extern const struct setting *const sriov_setting_table[];
extern const struct setting *const sriov_vf_setting_table[];
extern const struct setting sriov_roce_setting, sriov_rdma_setting, sriov_iwarp_setting;
