/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings of which only what commands read is kept, because the rest names hosts and users. */
#pragma once

/* NULL: the file is none of those; else the caller frees the result. */
char *anonymise_settings(const char *path, const char *text);
