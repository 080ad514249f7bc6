# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests, sanitizers, analysis, fuzzing, benchmarks. Included by the Makefile.

FUZZ_SECONDS ?= 10
VM_KERNELS ?= 6.1 6.12

# The tests run on a sanitized build, which exits with status 99 after a sanitizer's report.
# Undefined behaviour traps, and the address sanitizer reports where, because the data of 27,000
# messages would take half of each start. UBSAN_TRAP= restores the messages.
UBSAN_TRAP ?= -fsanitize-undefined-trap-on-error
SANITIZE := -fno-pie -fsanitize=address,undefined -fno-sanitize-recover=undefined $(UBSAN_TRAP) \
	-fno-omit-frame-pointer
# -freorder-functions, which is not part of -Og, puts the constructors of all files, which register
# their variables, side by side: the start need not read pages from everywhere in the program. -g1 is
# enough for the files, lines and functions in a report.
ASAN_OPTIMIZE := -Og -g1 -freorder-functions
ASAN_CFLAGS = $(filter-out -D_FORTIFY_SOURCE=2 -O2 -fPIE,$(ALL_CFLAGS)) $(ASAN_OPTIMIZE) $(SANITIZE)
# The tests start the program thousands of times, and most of a sanitized start is relocation: a
# position-dependent program with the sanitizers' runtime linked in starts in half the time.
ASAN_LINK := $(SANITIZE) -no-pie -static-libasan -static-libubsan -Wl,--as-needed
# A unit test starts once: its link with the shared runtime takes a third less time.
ASAN_SHARED = $(filter-out -static-lib%,$(ASAN_LINK))
# gold, if it can link such a program, takes half of the time of the default linker. The first link of a
# test tries it, and the variable then holds the answer.
UNIT_GOLD = $(eval UNIT_GOLD := $(shell echo 'int main(void) { return 0; }' | \
	$(CC) $(ASAN_SHARED) -fuse-ld=gold -o /dev/null -x c - 2>/dev/null && echo -fuse-ld=gold))$(UNIT_GOLD)
ASAN_UNIT_LINK = $(ASAN_SHARED) $(if $(SANITIZE),$(UNIT_GOLD))
ASAN_OBJECTS := $(SOURCES:%.c=$(BUILD)/asan/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

$(BUILD)/asan/flags: FORCE
	$(call keep_flags,$(ASAN_CFLAGS))
$(BUILD)/asan/%.o: %.c $(BUILD)/asan/flags | $(GENERATED)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ASAN_CFLAGS) -MMD -MP -c -o $@ $<

# sanitized.c halves the start-up time: it replaces functions of GCC 12's sanitizer runtime, most of
# them written in C++.
comma := ,
ASAN_CACHE := PNS_30SizeClassAllocator32LocalCacheINS_20SizeClassAllocator32INS_4AP32EEEEE
ASAN_WRAPPED := __asan_register_globals __asan_unregister_globals dlsym \
	_ZN6__asan18ReportGenericErrorEmmmmbmjb \
	$(addprefix _ZN11__sanitizer,13InternalAllocEm$(ASAN_CACHE)m 14InternalCallocEmm$(ASAN_CACHE) \
	15InternalReallocEPvm$(ASAN_CACHE) 12InternalFreeEPv$(ASAN_CACHE) 18internal_allocatorEv \
	13StackDepotPutENS_10StackTraceE 13StackDepotGetEj)
ifeq ($(firstword $(subst ., ,$(shell $(CC) -dumpversion))),12)
ASAN_QUICK := $(BUILD)/asan/tests/sanitized.o
ASAN_WRAP := $(addprefix -Wl$(comma)--wrap=,$(ASAN_WRAPPED))
$(ASAN_QUICK): private SANITIZE := -fno-pie
endif
$(BUILD)/asan/planted: $(BUILD)/asan/tests/planted.o
$(BUILD)/asan/rdmactl: $(ASAN_OBJECTS)
# many.c runs many commands in one process.
$(BUILD)/asan/rdmactl $(BUILD)/asan/planted: private ASAN_WRAP += -Wl,--wrap=main
$(BUILD)/asan/rdmactl $(BUILD)/asan/planted: $(BUILD)/asan/tests/many.o $(ASAN_QUICK)
	@echo "  LD    $@"
	$(Q)$(CC) $(ASAN_LINK) $(ASAN_WRAP) -o $@ $^ $(LIBS)

.PHONY: asan
asan: $(BUILD)/asan/rdmactl $(BUILD)/asan/planted

# A thin archive of everything but main(), so that a test links only what it uses.
ASAN_ARCHIVE := $(BUILD)/asan/rdmactl.a
$(ASAN_ARCHIVE): $(filter-out %/cmd/main.o,$(ASAN_OBJECTS))
	$(Q)rm -f $@ && ar rcsT $@ $(filter %.o,$^)

# The linker lists the objects that it takes from the archive (-t). A test is linked again if one of them
# has changed, or the list of all objects; if it has no list of its own, whenever the archive has. An object
# that begins to replace a function of a library is not noticed.
$(BUILD)/asan/objects: FORCE
	$(call keep_flags,$(ASAN_OBJECTS))
$(ASAN_ARCHIVE): $(BUILD)/asan/objects
# The default linker prints build/asan/lib/x.o, and gold build/asan/rdmactl.a(build/asan/lib/x.o). The empty
# rule `x.o:` lets make go on when x.c is gone. An empty .d would say that the test needs no object, when it
# is only that the linker prints them in another way.
$(BUILD)/unit/%: $(BUILD)/asan/tests/unit/%.o $(BUILD)/asan/objects | $(ASAN_ARCHIVE)
	@mkdir -p $(@D)
	$(Q)rm -f $@.d && list=$$($(CC) $(ASAN_UNIT_LINK) -Wl,-t -o $@ $< $(ASAN_ARCHIVE) $(LIBS) -lcmocka) && \
		printf '%s\n' "$$list" | \
		sed -n 's,^\(.*(\)\?\($(BUILD)/asan/\(lib\|cmd\)/.*[.]o\))\?$$,$@: \2\n\2:,p' >$@.d && \
		{ [ -s $@.d ] || rm $@.d; }
-include $(wildcard $(BUILD)/unit/*.d)
$(filter-out $(patsubst %.d,%,$(wildcard $(BUILD)/unit/*.d)),$(UNIT_TESTS)): $(ASAN_ARCHIVE)
UNIT_OBJECTS := $(UNIT_TESTS:$(BUILD)/unit/%=$(BUILD)/asan/tests/unit/%.o)
# Optimizing the tests themselves would take longer than it saves when they run.
$(UNIT_OBJECTS): private ASAN_OPTIMIZE := -O0
.SECONDARY: $(UNIT_OBJECTS)

-include $(ASAN_OBJECTS:.o=.d) $(wildcard $(BUILD)/asan/tests/*/*.d)

# The whole program must compile with musl, and the unit tests that need no library must pass.
# Headers that the musl compiler lacks are taken from this machine.
MUSL_CC ?= musl-gcc
MUSL_HEADERS := $(BUILD)/musl/include
MUSL_OBJECTS := $(SOURCES:%.c=$(BUILD)/musl/%.o)
MUSL_TESTS := $(patsubst %.c,$(BUILD)/musl/%.o,$(sort $(wildcard tests/unit/test_*.c)))
MUSL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O0 -w -Itests/musl -Ilib -I. -I$(BUILD)/generated -I$(MUSL_HEADERS) \
	-DRDMACTL_VERSION='"$(VERSION)"'
$(MUSL_HEADERS): tests/tests.mk
	$(Q)mkdir -p $@ && ln -sfn /usr/include/linux /usr/include/asm-generic /usr/include/rdma \
		/usr/include/infiniband /usr/include/jansson*.h /usr/include/gnutls /usr/include/libnl3/netlink /usr/include/microhttpd.h /usr/include/archive.h /usr/include/archive_entry.h \
		$(firstword $(wildcard /usr/include/asm /usr/include/$(shell $(CC) -print-multiarch)/asm)) $@
$(BUILD)/musl/%.o: %.c | $(MUSL_HEADERS) $(GENERATED)
	@mkdir -p $(@D)
	$(Q)$(MUSL_CC) $(MUSL_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/musl/rdmactl.a: $(filter-out %/cmd/main.o,$(MUSL_OBJECTS))
	$(Q)rm -f $@ && ar rcsT $@ $^
.PHONY: musl
musl: $(BUILD)/musl/rdmactl.a $(MUSL_OBJECTS) $(MUSL_TESTS)
-include $(MUSL_OBJECTS:.o=.d) $(MUSL_TESTS:.o=.d)

# Programs that the tests run in the guest, and the libraries that they preload.
VM_PROGRAMS := $(addprefix $(BUILD)/vm/,rmpp fib_agree no_netlink heap_in_use.so scrape_clock.so)
VM_LINKED := $(addprefix $(BUILD)/vm/,rmpp fib_agree)
$(VM_LINKED): $(BUILD)/vm/%: $(BUILD)/asan/tests/vm/%.o $(LIB_SOURCES:%.c=$(BUILD)/asan/%.o)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ASAN_LINK) -o $@ $^ $(LIBS)
$(BUILD)/vm/no_netlink: tests/vm/no_netlink.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $<
$(BUILD)/vm/%.so: tests/vm/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared -o $@ $<
-include $(VM_LINKED:$(BUILD)/vm/%=$(BUILD)/asan/tests/vm/%.d)
.SECONDARY: $(VM_LINKED:$(BUILD)/vm/%=$(BUILD)/asan/tests/vm/%.o)

# Fuzz targets need the whole library once more, compiled with coverage, and a reader beside it.
FUZZ_SANITIZE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZ_SOURCES := $(LIB_SOURCES) cmd/compat/ibaddr_args.c
FUZZ_OBJECTS := $(FUZZ_SOURCES:%.c=$(BUILD)/fuzz/obj/%.o)
$(BUILD)/fuzz/obj/%.o: %.c $(FLAGS_FILE) | $(GENERATED)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(filter-out -D_FORTIFY_SOURCE=2 -O2,$(ALL_CFLAGS)) -O1 $(FUZZ_SANITIZE) -MMD -MP -c -o $@ $<
# A thin archive, so that a fuzzer links only what it uses.
$(BUILD)/fuzz/library.a: $(FUZZ_OBJECTS)
	$(Q)rm -f $@ && ar rcsT $@ $^
$(BUILD)/fuzz/%: tests/fuzz/%.c $(BUILD)/fuzz/library.a $(wildcard tests/fuzz/*.h)
	@echo "  LD    $@"
	$(Q)$(CLANG) $(filter-out -D_FORTIFY_SOURCE=2 -O2,$(ALL_CFLAGS)) -O1 \
		-fsanitize=fuzzer,address,undefined -o $@ $< $(BUILD)/fuzz/library.a $(LIBS)
.SECONDARY: $(FUZZ_OBJECTS)
-include $(FUZZ_OBJECTS:.o=.d)
# The readers of selftest's options are not in the library.
FUZZ_SELFTEST := $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,cmd/listing.c cmd/terminal.c \
	$(wildcard cmd/selftest/*.c))
$(BUILD)/fuzz/library.a: $(FUZZ_SELFTEST)
-include $(FUZZ_SELFTEST:.o=.d)

# New inputs go to the build folder; move those worth keeping to tests/fuzz/corpus by hand. A fuzzer
# uses only one processor; make -j runs several fuzzers.
.PHONY: fuzz
FUZZ_RUNS := $(FUZZERS:$(BUILD)/fuzz/fuzz_%=fuzz-%)
.PHONY: $(FUZZ_RUNS)
fuzz: $(FUZZ_RUNS)
$(FUZZ_RUNS): fuzz-%: $(BUILD)/fuzz/fuzz_%
	$(Q)mkdir -p $(BUILD)/fuzz/corpus/$*
	@echo "  FUZZ  $*"
	$(Q)$< -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_final_stats=0 \
		-artifact_prefix=$(BUILD)/fuzz/ -close_fd_mask=1 \
		$(BUILD)/fuzz/corpus/$* tests/fuzz/corpus/$*

# GCC 12 considers a variable with a cleanup function uninitialized if another variable is initialized
# before it in the same declaration.
ANALYZE := -fanalyzer -Wno-analyzer-use-of-uninitialized-value
.PHONY: analyze
analyze: | $(GENERATED)
	$(Q)for source in $(SOURCES); do \
		$(CC) $(ALL_CFLAGS) $(ANALYZE) -Werror -c -o /dev/null $$source || exit 1; \
	done
	@echo "no findings"

TESTS := tests/run -b $(BUILD) $(if $(UPDATE),-u)

# Uses all processors unless -j says how many.
PROCESSORS = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(shell nproc))
ALL_PROCESSORS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(PROCESSORS))

# Other targets run these; `check` only builds them, so that they do not rot.
BENCH_PROGRAMS := $(BUILD)/mesh/simulate $(BUILD)/bench/mad_rate

# What the guests need is built first, because they take longest; the rest is built beside them. That make
# has no part in the jobserver: with $(MAKE) in its line, `make -n check` would run the tests.
BESIDE = MAKEFLAGS= nice -n 15 $(firstword $(MAKE)) --no-print-directory -j$(PROCESSORS) $(MAKEOVERRIDES)
.PHONY: check check-unit check-musl check-cli check-lint check-sim check-vm check-mesh beside
beside: musl $(UNIT_TESTS) $(BENCH_PROGRAMS)
check: deps-check
	+$(Q)$(MAKE) --no-print-directory $(ALL_PROCESSORS) DEV=$(DEV) all asan $(VM_PROGRAMS)
	$(Q){ $(BESIDE) DEV=$(DEV) beside >&2 && echo built; } | \
		$(TESTS) -w -k "$(VM_KERNELS)" unit musl lint cli server launchers sim vm
check-unit: $(UNIT_TESTS)
	$(Q)$(TESTS) unit
check-musl: musl
	$(Q)MUSL_CC="$(MUSL_CC)" $(TESTS) musl
check-cli: all asan
	$(Q)$(TESTS) cli server
check-lint: all
	$(Q)$(TESTS) lint
check-sim: all asan
	$(Q)$(TESTS) sim
check-vm: all asan $(VM_PROGRAMS)
	$(Q)$(TESTS) -k "$(VM_KERNELS)" vm

# Simulates a mesh of hosts: is each planted fault named, and what does it cost?
$(BUILD)/mesh/simulate: $(BUILD)/tests/mesh/simulate.o $(LIB_OBJECTS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LINK) $(LDFLAGS) -o $@ $^ $(LIBS)
.SECONDARY: $(BUILD)/tests/mesh/simulate.o
.PHONY: simulate-mesh
simulate-mesh: $(BUILD)/mesh/simulate
	$(Q)tests/mesh/simulation $<

# Includes the launchers again, which take only a minute, and four guests for each kernel.
check-mesh: all asan $(BUILD)/mesh/simulate
	$(Q)tests/mesh/simulation $(BUILD)/mesh/simulate
	$(Q)$(TESTS) -k "$(VM_KERNELS)" launchers mesh

$(BUILD)/bench/mad_rate: tests/bench/mad_rate.c $(LIB_OBJECTS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

.PHONY: bench
bench: all $(BUILD)/bench/mad_rate $(BUILD)/vm/scrape_clock.so
	$(Q)tests/bench/run $(BUILD)

# Uses all processors unless -j says how many. Fetches what a virtual machine needs during the build.
.PHONY: demo demo-machine
demo: deps
	+$(Q)$(MAKE) --no-print-directory $(ALL_PROCESSORS) demo-machine all
	$(Q)tests/demo $(BUILD)/rdmactl
# Runs after deps, and without $(MAKE), so that make -n only prints it and an interrupt ends it.
demo-machine:
	$(Q)tests/demo prepare

.PHONY: deps deps-check
deps:
	$(Q)tests/deps build
deps-check:
	$(Q)tests/deps build test

# How many of MUTANTS small bugs do the tests detect? It takes half an hour or more, so check omits it.
MUTANTS ?= 300
SEED ?= 1
.PHONY: mutate mutants
mutate:
	$(Q)tests/mutate -n $(MUTANTS) -s $(SEED) $(MUTATE)
-include $(wildcard $(BUILD)/tests/unit/*.d $(BUILD)/tests/mesh/*.d)
# tests/mutate reads these files: the objects to link, the command to compile one, and the libraries.
MUTANT_OBJECTS := $(SOURCES:%.c=%.o)
mutants: $(OBJECTS) $(UNIT_TESTS:$(BUILD)/unit/%=$(BUILD)/tests/unit/%.o) \
		$(VM_LINKED:$(BUILD)/%=$(BUILD)/tests/%.o) $(if $(UNIT_TESTS),$(filter-out $(VM_LINKED),$(VM_PROGRAMS)))
	$(Q)printf '%s\n' $(MUTANT_OBJECTS) >$(BUILD)/objects
	$(Q)printf '%s\n' "$(subst ",\",$(CC) $(ALL_CFLAGS))" >$(BUILD)/compile
	$(Q)printf '%s\n' "$(LIBS)" >$(BUILD)/libs
