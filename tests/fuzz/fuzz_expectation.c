/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of rdmactl doctor --expect: the input is the complete file. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "doctor/expect/expectation.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a file wants, it allows. */
static void check_wanted(const struct wanted *wanted)
{
	if (wanted->at_least && !wanted_allows_number(wanted, wanted->least))
		abort();
	for (size_t i = 0; i < wanted->number_count; i++)
		if (!wanted_allows_number(wanted, wanted->numbers[i]))
			abort();
	for (size_t i = 0; i < wanted->words.count; i++)
		if (!wanted_allows_word(wanted, wanted->words.items[i]))
			abort();
}

static void check_file(const struct expectation *file)
{
	for (size_t i = 0; i < file->selector_count; i++) {
		check_clean(file->selectors[i].name);
		free(expectation_place(file, file->selectors[i].at));
		for (size_t key = 0; key < WANTED_KEYS; key++) {
			const struct wanted *wanted = &file->selectors[i].wanted[key];
			char *text = wanted_text(wanted);

			/* A known expectation can be shown. */
			if (wanted->known && !text)
				abort();
			check_wanted(wanted);
			check_clean(text);
			free(text);
		}
	}
	check_wanted(&file->memlock);
	for (size_t i = 0; i < file->ignored_count; i++) {
		if (!file->ignored[i].why)
			abort();
		check_clean(file->ignored[i].why);
		check_clean(file->ignored[i].pci);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	char *copy = mem_alloc_zero(size, 1), *message = NULL;
	struct expectation file;
	int rc;

	if (size)
		memcpy(copy, data, size);
	rc = expectation_parse(copy, size, &file, &message);
	if ((message != NULL) != (rc == -EINVAL) || (rc && rc != -EINVAL))
		abort();
	check_clean(message);
	if (!rc) {
		check_file(&file);
		expectation_clear(&file);
	}
	free(message);
	free(copy);
	return 0;
}
