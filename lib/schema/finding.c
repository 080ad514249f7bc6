/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/finding.h"

#include <stdlib.h>

const struct enum_name severity_names[] = {
	{SEVERITY_INFO, "info", TONE_PLAIN, "all is well"},
	{SEVERITY_NOTICE, "notice", TONE_PLAIN, "worth knowing"},
	{SEVERITY_WARNING, "warning", TONE_WARNING, "may hurt"},
	{SEVERITY_ERROR, "error", TONE_BAD, "something does not work"},
	{0, NULL},
};

void finding_clear(struct finding *finding)
{
	free(finding->object);
	free(finding->evidence);
	free(finding->next_step);
	*finding = (struct finding){.object = NULL};
}
