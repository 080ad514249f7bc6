/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of what keeps a PCI function's modules out of the kernel. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/stack/stack.h"
#include "kernel/sysfs.h"

/* Modules that every RDMA driver depends on; modprobe loads them first, by name. */
static const char *const core[] = {"ib_core", "ib_uverbs"};

#define SIG_ENFORCE "/sys/module/module/parameters/sig_enforce"
#define SECURITYFS  "/sys/kernel/security"

/* A container has neither modprobe.d nor the modules of the kernel that it runs on. */
bool stack_sees_modules(struct doctor_context *run)
{
	return !doctor_is_contained(run);
}

static const struct module_rule *find_rule(struct doctor_context *run, const char *module)
{
	const struct module_rules *rules = doctor_module_rules(run->facts);
	const struct module_rule *rule = module_rules_find(rules, module, false);

	for (size_t i = 0; !rule && i < ARRAY_SIZE(core); i++)
		if (doctor_has_module(run->facts, core[i]) == TRISTATE_NO)
			rule = module_rules_find(rules, core[i], true);
	return rule;
}

void doctor_blame_rule(struct doctor_context *run, const struct module_rule *rule,
		       const char *module)
{
	_cleanup_(freep) char *file = mem_string(rule->place);

	file[strcspn(file, ":")] = '\0';
	doctor_evidence(run, file, "%s: %s", rule->place, rule->text);
	if (rule->kind == MODULE_BLACKLIST || rule->kind == MODULE_INSTALL)
		doctor_next_step(run,
				 "remove the line \"%s\" from %s, rebuild the initial RAM disk "
				 "(update-initramfs -u, dracut -f), then: modprobe %s",
				 rule->text, file, module);
	else if (rule->kind == MODULE_BOOT_REFUSED)
		doctor_next_step(run,
				 "remove %s from the kernel's command line and restart; until "
				 "then the kernel refuses %s",
				 rule->text, module);
	else
		doctor_next_step(
			run,
			"remove %s from the kernel's command line; to load it now: modprobe %s",
			rule->text, module);
}

static const struct module_rule *rule_against(struct doctor_context *run,
					      const struct function_state *state)
{
	const struct module_rules *rules = doctor_module_rules(run->facts);
	const struct module_rule *rule = module_rules_find(rules, state->row->driver, false);

	return rule ? rule : module_rules_find(rules, state->module, false);
}

static struct judged find_blocked(struct doctor_context *run, const struct module_rule *rule,
				  enum severity severity)
{
	static const char *const words[] = {
		[MODULE_BLACKLIST] = "is blacklisted in",
		[MODULE_INSTALL] = "is replaced by a command in",
		[MODULE_BOOT_BLACKLIST] = "is blacklisted on the kernel's command line",
		[MODULE_BOOT_REFUSED] = "is forbidden on the kernel's command line",
		[MODULE_BOOT_INITIAL] = "is kept out of the initial RAM disk, and not loaded later",
	};
	const bool has_file = rule->kind == MODULE_BLACKLIST || rule->kind == MODULE_INSTALL;

	return doctor_verdict(run, severity, "%s %s%s%s", rule->module, words[rule->kind],
			      has_file ? " " : "", has_file ? rule->place : "");
}

/* Reports a setting that blocks nothing: the module is there, or the function can do without it. */
static struct judged find_harmless(struct doctor_context *run, const struct module_rule *rule)
{
	const bool loaded = doctor_has_module(run->facts, rule->module) == TRISTATE_YES;

	doctor_evidence(run, NULL, "%s is %s", rule->module, loaded ? "loaded" : "not loaded");
	doctor_blame_rule(run, rule, rule->module);
	doctor_next_step(run, "nothing to do if it is intended; otherwise remove \"%s\"",
			 rule->text);
	if (loaded)
		return doctor_note(run, "%s is loaded, although a setting should keep it out",
				   rule->module);
	return find_blocked(run, rule, SEVERITY_NOTICE);
}

struct judged check_module_blocked(struct doctor_context *run)
{
	const struct module_rules *rules = doctor_module_rules(run->facts);
	const struct module_rule *rule = NULL;
	struct function_state state;

	function_state_read(run, &state);
	if (!state.row)
		return doctor_does_not_apply(run);
	if (state.missing && state.loaded != TRISTATE_YES)
		rule = find_rule(run, state.missing);
	if (rule) {
		doctor_evidence(run, NULL, "%s is not loaded", state.missing);
		doctor_blame_rule(run, rule, state.missing);
		return find_blocked(run, rule, function_fault(&state));
	}
	if (rules->unread.count) {
		doctor_evidence(run, rules->unread.items[0], "%s: %s", rules->unread.items[0],
				strerror(-rules->unread_rc));
		return doctor_not_checked(run, doctor_needs_root(rules->unread_rc) ? NEEDS_ROOT : 0,
					  "a file that can block modules cannot be read");
	}
	/*
	 * If a module is missing, only rules against it matter now; others are reported once it is
	 * there.
	 */
	rule = state.missing ? module_rules_find(rules, state.missing, false)
			     : rule_against(run, &state);
	if (rule)
		return find_harmless(run, rule);
	if (run->facts->request->root && !(rules->has_config && rules->has_boot))
		return doctor_not_checked(run, NEEDS_LIVE, "the saved tree has no %s",
					  rules->has_config ? "/proc/cmdline" : "modprobe.d");
	doctor_evidence(run, "/etc/modprobe.d", "settings that block modules: %zu, none for %s",
			rules->count, state.missing ? state.missing : state.module);
	return doctor_ok(run, "no setting keeps the modules from being loaded");
}

static struct judged find_absent(struct doctor_context *run, const struct function_state *state,
				 const struct module_files *files)
{
	_cleanup_(freep) char *source = mem_format("/lib/modules/%s/modules.dep", files->release);
	_cleanup_(freep) char *others = doctor_names(&files->others);

	if (files->rc == -ENOENT) {
		/* Help an operator to choose one. */
		doctor_evidence(run, source, "the kernel is %s, /lib/modules has %s",
				files->release, others ? others : "nothing");
		doctor_next_step(run,
				 "restart with an installed kernel, or reinstall the modules of %s",
				 files->release);
		return doctor_verdict(run, function_fault(state),
				      "the modules of the running kernel are not installed");
	}
	doctor_evidence(run, source, "no %s for kernel %s", state->missing, files->release);
	doctor_next_step(
		run,
		"install the package that has it: linux-modules-extra-%s (Ubuntu), "
		"kernel-modules-extra (RHEL, Fedora), or the vendor's driver for this kernel",
		files->release);
	return doctor_verdict(run, function_fault(state), "the running kernel has no module %s",
			      state->missing);
}

/* Reads the state of the function. Returns false, with the verdict, if it misses no module. */
static bool misses_module(struct doctor_context *run, struct function_state *state)
{
	function_state_read(run, state);
	if (!state->row)
		doctor_does_not_apply(run);
	else if (!state->missing || state->loaded == TRISTATE_YES)
		doctor_ok(run, "no module of the function is missing");
	else
		return true;
	return false;
}

struct judged check_module_absent(struct doctor_context *run)
{
	const struct module_files *files;
	_cleanup_(freep) char *file = NULL;
	struct function_state state;

	if (!misses_module(run, &state))
		return doctor_judged(run);
	files = doctor_module_files(run->facts);
	file = module_file(files, state.missing);
	if (file) {
		doctor_evidence(run, "/lib/modules", "%s", file);
		return doctor_ok(run, "the running kernel has the modules of the function");
	}
	if (!files->release || (files->rc == -ENOENT && !files->others.count)) {
		/* Nothing is installed as modules, or the saved tree does not include them. */
		return doctor_not_checked(run, run->facts->request->root ? NEEDS_LIVE : 0,
					  "the modules of the running kernel are not known");
	}
	if (files->rc && files->rc != -ENOENT)
		return doctor_unread(run, "the list of modules", "/lib/modules", files->rc, false);
	return find_absent(run, &state, files);
}

/*
 * Whether securityfs is mounted, which has the file lsm at least: without it, its folder is empty
 * (securityfs_init() in security/inode.c).
 */
static bool has_securityfs(const struct root *root)
{
	size_t count = 0;

	sysfs_count(root, &count, "%s", &SECURITYFS[1]);
	return count;
}

/*
 * The error of modprobe alone does not tell why: EKEYREJECTED is also that of a wrong signature
 * (verify_pkcs7_message_sig(), certs/system_keyring.c), EPERM that of a process without
 * CAP_SYS_MODULE and of modules_disabled (may_init_module()). Only module_sig_check() and
 * lockdown_is_locked_down() write to the log.
 */
static const char why_rejected[] =
	"after \"Key was rejected by service\", dmesg | grep rejected tells why: \"unavailable "
	"key\" means that the kernel does not know the key, \"unsupported crypto\" its algorithm, "
	"no line that the signature is wrong or its key revoked";
static const char why_locked[] =
	"after \"Operation not permitted\", dmesg | grep Lockdown tells why: \"unsigned module "
	"loading is restricted\" means that the kernel does not know the key or its algorithm, or "
	"finds no signature; without this line the kernel loads no module at all "
	"(kernel.modules_disabled), or not for this process (CAP_SYS_MODULE); \"Key was rejected "
	"by service\" means that the signature is wrong or its key revoked";

/*
 * Whether the kernel refuses modules without a valid signature, by module_sig_check() in
 * kernel/module/signing.c: enforced, or locked down to integrity or more. *ret_why says how to find
 * out why it refused one. Without the parameter, it does not look at signatures at all.
 */
static enum tristate refuses_unsigned(struct doctor_context *run, const char **ret_why)
{
	const struct root *root = &run->facts->root;
	char text[SYSFS_TEXT_SIZE], lockdown[SYSFS_TEXT_SIZE] = "";
	const ssize_t rc = sysfs_read(root, text, "%s", &SIG_ENFORCE[1]);

	if (rc == -ENOENT && root->live)
		return TRISTATE_NO;
	if (rc > 0 && *text == 'Y') {
		doctor_evidence(run, SIG_ENFORCE, "sig_enforce is Y");
		*ret_why = why_rejected;
		return TRISTATE_YES;
	}
	if (sysfs_read(root, lockdown, "%s/lockdown", &SECURITYFS[1]) == -ENOENT && rc > 0)
		return has_securityfs(root) ? TRISTATE_NO : TRISTATE_UNKNOWN;
	if (strstr(lockdown, "[integrity]") || strstr(lockdown, "[confidentiality]")) {
		doctor_evidence(run, SECURITYFS "/lockdown", "the kernel is locked down");
		*ret_why = why_locked;
		return rc > 0 ? TRISTATE_YES : TRISTATE_UNKNOWN;
	}
	return rc > 0 && strstr(lockdown, "[none]") ? TRISTATE_NO : TRISTATE_UNKNOWN;
}

/* Whether the file ends like a signed one: include/linux/module_signature.h. 0 or -errno. */
static int read_signature(const struct root *root, const char *path, bool *ret_signed)
{
	static const char marker[] = "~Module signature appended~\n";
	_cleanup_(closep) int fd = sysfs_open(root, path, 0);
	char end[sizeof(marker) - 1];
	ssize_t length;

	if (fd < 0)
		return fd;
	if (lseek(fd, -(off_t)sizeof(end), SEEK_END) < 0)
		return -errno;
	length = read(fd, end, sizeof(end));
	if (length != (ssize_t)sizeof(end))
		return length < 0 ? -errno : -ENODATA; /* it was shortened meanwhile */
	*ret_signed = !memcmp(end, marker, sizeof(end));
	return 0;
}

/* The kernel may know its own modules in another way than by a signature, so it is not judged. */
static struct judged judge_signature(struct doctor_context *run, const struct function_state *state,
				     const char *why)
{
	const struct module_files *files = doctor_module_files(run->facts);
	const char *module = state->missing;
	_cleanup_(freep) char *file = module_file(files, module);
	_cleanup_(freep) char *path = file ? mem_format("/lib/modules/%s/%s", files->release, file)
					   : NULL;
	bool has_signature = true;
	int rc = 0;

	if (file && text_ends_with(file, ".ko") && module_file_origin(file) == MODULE_ORIGIN_OTHER)
		rc = read_signature(&run->facts->root, path + 1, &has_signature);
	if (rc && !(rc == -ENOENT && !run->facts->root.live))
		return doctor_unread(run, "the signature of the module", path, rc, true);
	if (!has_signature) {
		doctor_evidence(run, path, "%s has no signature", path);
		doctor_next_step(
			run,
			"sign %s with a key that the firmware knows (kmodsign or sign-file, "
			"mokutil --import), install a signed package of it, or switch "
			"Secure Boot off; then: modprobe %s",
			module, module);
		return doctor_verdict(run, function_fault(state),
				      "the kernel refuses %s, which is not signed", module);
	}
	doctor_next_step(run, "modprobe %s as root; %s", module, why);
	return doctor_not_checked(run, rc ? NEEDS_LIVE : 0,
				  "only loading %s shows whether the kernel accepts its signature",
				  module);
}

struct judged check_module_unsigned(struct doctor_context *run)
{
	const struct root *root = &run->facts->root;
	struct function_state state;
	enum tristate refuses;
	uint64_t needs;
	const char *why = NULL;

	if (!misses_module(run, &state))
		return doctor_judged(run);
	doctor_evidence(run, NULL, "%s is not loaded", state.missing);
	refuses = refuses_unsigned(run, &why);
	if (refuses == TRISTATE_YES)
		return judge_signature(run, &state, why);
	if (refuses == TRISTATE_NO)
		return doctor_ok(run, "the kernel accepts modules without a valid signature");
	needs = !root->live ? NEEDS_LIVE : has_securityfs(root) ? NEEDS_ROOT : 0;
	if (!needs)
		doctor_next_step(run, "mount -t securityfs securityfs " SECURITYFS
				      ", which shows whether the kernel is locked down");
	return doctor_not_checked(run, needs,
				  "whether the kernel refuses unsigned modules is not known");
}

static const char *origin_word(enum module_origin origin)
{
	return origin == MODULE_ORIGIN_OTHER ? "out of tree" : "the kernel's own";
}

/*
 * Whether the loaded module's origin differs from its file's: most likely the initial RAM disk has
 * an old module.
 */
static bool is_stale(struct doctor_context *run, const char *module, enum module_origin loaded)
{
	_cleanup_(freep) char *file = module_file(doctor_module_files(run->facts), module);

	if (loaded == MODULE_ORIGIN_UNKNOWN || !file || module_file_origin(file) == loaded)
		return false;
	doctor_evidence(run, "/lib/modules", "%s: the loaded one is %s, the installed one %s",
			module, origin_word(loaded), file);
	return true;
}

/* Returns the origin of a module in the kernel, or of its file if it is the missing one. */
static enum module_origin origin_of(struct doctor_context *run, const char *module,
				    const char *missing)
{
	_cleanup_(freep) char *file = NULL;

	if (!missing || strcmp(module, missing))
		return doctor_module_origin(run->facts, module);
	file = module_file(doctor_module_files(run->facts), module);
	return file ? module_file_origin(file) : MODULE_ORIGIN_UNKNOWN;
}

/*
 * A vendor's driver on the kernel's own core was built for that core. The kernel's driver on a
 * vendor's core was not, and core modules of different origins do not fit either.
 */
static bool is_mixed(enum module_origin base, enum module_origin origin, bool of_core)
{
	if (base == MODULE_ORIGIN_UNKNOWN || origin == MODULE_ORIGIN_UNKNOWN || base == origin)
		return false;
	return of_core || base == MODULE_ORIGIN_OTHER;
}

/*
 * An adapter that may lack RDMA is meant to have it if somebody has loaded or installed a module
 * for that.
 */
static enum severity severity_of_mixture(struct doctor_context *run,
					 const struct function_state *state)
{
	_cleanup_(freep) char *file = NULL;

	if (state->certain)
		return state->missing ? SEVERITY_ERROR : SEVERITY_WARNING;
	if (doctor_has_module(run->facts, state->module) == TRISTATE_YES)
		return SEVERITY_WARNING;
	file = module_file(doctor_module_files(run->facts), state->module);
	return file && module_file_origin(file) == MODULE_ORIGIN_OTHER ? SEVERITY_WARNING
								       : SEVERITY_NOTICE;
}

struct judged check_module_mixed(struct doctor_context *run)
{
	struct function_state state;
	enum module_origin base;
	bool mixed = false, stale = false;

	function_state_read(run, &state);
	if (!state.row)
		return doctor_does_not_apply(run);
	const struct {
		const char *name;
		bool of_core;
	} modules[] = {
		{"ib_core", true},	    {"ib_uverbs", true},   {"rdma_cm", true},
		{state.row->driver, false}, {state.module, false},
	};

	base = origin_of(run, "ib_core", NULL);
	if (doctor_has_module(run->facts, "ib_core") == TRISTATE_NO)
		return doctor_ok(run, "no RDMA core is loaded that could be from another stack");
	if (base == MODULE_ORIGIN_UNKNOWN)
		return doctor_not_checked(run, 0, "the origin of ib_core is not known");
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		enum module_origin origin = origin_of(run, modules[i].name, state.missing);

		if (i == 4 && modules[i].name == modules[i - 1].name)
			break;
		if (is_mixed(base, origin, modules[i].of_core)) {
			doctor_evidence(run, "/sys/module", "ib_core is %s, %s is %s",
					origin_word(base), modules[i].name, origin_word(origin));
			mixed = true;
		}
		if (!state.missing || strcmp(modules[i].name, state.missing))
			stale |= is_stale(run, modules[i].name, origin);
	}
	if (!mixed && !stale) {
		doctor_evidence(run, "/sys/module", "ib_core is %s", origin_word(base));
		return doctor_ok(run, "the modules of the function match each other");
	}
	return doctor_verdict(run, severity_of_mixture(run, &state),
			      mixed ? "the RDMA core and the driver are from different stacks"
				    : "the loaded modules are not the installed ones");
}
