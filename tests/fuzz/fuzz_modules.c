/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * modprobe.d, the kernel command line, modules.dep, the configuration of libibverbs and the library
 * itself: the first byte of the input says which.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/modules.h"
#include "kernel/verbs/providers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nothing that controls a terminal may get through. */
static void check_text(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			abort();
}

static void check_rules(const char *text, bool boot)
{
	struct module_rules rules = {.count = 0};

	if (boot)
		module_rules_parse_boot(&rules, text);
	else
		module_rules_parse(&rules, text, "/etc/modprobe.d/x.conf");
	for (size_t i = 0; i < rules.count; i++) {
		if (!rules.items[i].module[0] || strchr(rules.items[i].module, '-'))
			abort();
		check_text(rules.items[i].module);
		check_text(rules.items[i].text);
		check_text(rules.items[i].place);
		if (!module_rules_find(&rules, rules.items[i].module, false))
			abort();
	}
	module_rules_clear(&rules);
}

static void check_files(const char *text)
{
	_cleanup_(freep) char *files_text = mem_string(text);
	struct module_files files = {.files = files_text};
	char *file = module_file(&files, "mlx5_ib");

	if (!file != !module_is_built_in(text, "mlx5_ib"))
		abort();
	if (file) {
		check_text(file);
		if (!strstr(file, ".ko"))
			abort();
	}
	free(file);
}

static void check_names(const char *text)
{
	struct providers providers = {.rc = 0};
	char *library;

	providers_parse(text, &providers.names);
	for (size_t i = 0; i < providers.names.count; i++) {
		if (!providers.names.items[i][0])
			abort();
		check_text(providers.names.items[i]);
		strings_add(&providers.libraries, providers.names.items[i]);
	}
	providers_find(NULL, &providers, "mlx5", &library);
	free(library);
	providers_clear(&providers);
}

static void check_library(const void *bytes, size_t size)
{
	char *abi = providers_find_abi(bytes, size);

	if (abi && (!abi[0] || abi[strspn(abi, "0123456789")]))
		abort();
	free(abi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	text = mem_alloc_zero(size, 1);
	memcpy(text, data + 1, size - 1);
	switch (data[0]) {
	case '0':
		check_rules(text, false);
		break;
	case '1':
		check_rules(text, true);
		break;
	case '2':
		check_files(text);
		break;
	case '3':
		check_names(text);
		break;
	default:
		check_library(text, size - 1);
	}
	free(text);
	return 0;
}
