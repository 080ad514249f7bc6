/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A private folder that another process makes, and removes when this one is gone. */
#pragma once

#include <sys/types.h>

/*
 * Starts a child process that makes a folder in `directory`, mode 0700, and removes it with all its
 * contents once *ret_alive is closed, which the end of this process also does. Returns 0 or -errno;
 * the caller frees *ret_folder, and waits for *ret_remover.
 */
int remove_at_end(const char *directory, char **ret_folder, int *ret_alive, pid_t *ret_remover);
