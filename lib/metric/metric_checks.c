/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>

#include "base/cleanup.h"
#include "doctor/frame/doctor.h"
#include "metric/metric_parts.h"

/* SEVERITY_INFO is the verdict not-checked. */
static const int values[] = {
	[SEVERITY_OK] = 0,	[SEVERITY_INFO] = -1, [SEVERITY_NOTICE] = 1,
	[SEVERITY_WARNING] = 2, [SEVERITY_ERROR] = 3,
};

void metrics_add_verdicts(struct metrics *metrics, const struct doctor_results *results)
{
	struct metric_family *family = metrics_family(
		metrics, "rdma_check", METRIC_GAUGE, NULL,
		"Verdict of a check of the doctor on an object: 0 right, 1 worth a note, 2 a "
		"warning, 3 an error; checks that were not run are omitted.");

	for (size_t i = 0; i < results->count; i++) {
		const struct finding *finding = &results->items[i].finding;
		const int value = values[finding->severity.value];
		struct metric_sample *sample;

		if (value < 0)
			continue;
		sample = metric_add(family, (uint64_t)value);
		metric_label(sample, "check",
			     enum_word(doctor_check_names, finding->id.value, NULL));
		metric_label(sample, "object", finding->object);
	}
	/* A check may have several verdicts on an object: the worst counts. */
	metric_unite(family);
}

void metrics_add_checks(struct metrics *metrics, const char *root, const struct objects *objects,
			struct problems *problems)
{
	struct doctor_request request = {.root = root, .objects = objects, .environment = environ};
	_cleanup_(doctor_results_free) struct doctor_results results = {0};

	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		request.run[i] = true;
	if (!doctor_run(&request, &results, problems))
		metrics_add_verdicts(metrics, &results);
}
