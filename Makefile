# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make, make check, make demo, make install; make help lists the targets.

# No file here is made by a rule that is built into make, and trying them all takes most of its time.
MAKEFLAGS += --no-builtin-rules

VERSION := 0.1.0

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/rdmactl
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
UNITDIR ?= $(PREFIX)/lib/systemd/system
# A separate directory, because distributions package programs with the same names.
COMPAT_DIR ?= $(PREFIX)/lib/rdmactl/compat

BUILD ?= build
CC ?= gcc
CLANG ?= $(firstword $(foreach c,clang clang-14 clang-16 clang-19,$(shell command -v $(c) 2>/dev/null)) clang)
PKG_CONFIG ?= pkg-config
INSTALL ?= install
STRIP ?= strip
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

# LOADED libraries are opened when they are first needed (lib/base/library.h).
LINKED := libnl-3.0 jansson
LOADED := libibverbs librdmacm libibumad gnutls libmicrohttpd libarchive
HEADERS_OF := $(LINKED) $(LOADED)
MISSING := $(shell $(PKG_CONFIG) --print-errors --exists $(HEADERS_OF) 2>&1 | head -1)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wwrite-strings \
	-Wformat=2 -Wpointer-arith -Wundef -Wcast-qual -Wno-missing-field-initializers \
	$(if $(DEV),-Werror)
CFLAGS ?= -O2 -g
# Hardening; a distribution's CFLAGS come later and take precedence.
HARDEN ?= -fstack-protector-strong -fPIE \
	$(if $(findstring -O0,$(CFLAGS))$(findstring _FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,-D_FORTIFY_SOURCE=2)
LDFLAGS ?=
# The size of a long, 2 if the processor has atomics of 64 bits, 1 on i386.
PROCESSOR := $(shell echo __SIZEOF_LONG__ __GCC_ATOMIC_LLONG_LOCK_FREE __i386__ | \
	$(CC) $(CFLAGS) -E -P -x c - 2>/dev/null)
# Large files and limits, inode numbers of 64 bits, and dates after 2037 with 32 bits too. (With 64 bits
# these macros would only give functions other names, which preloaded libraries do not expect.)
LARGE_FILES := $(if $(filter 4,$(word 1,$(PROCESSOR))),-D_FILE_OFFSET_BITS=64)
LONG_TIMES := $(if $(LARGE_FILES),-D_TIME_BITS=64)
# It passes a time_t to a library, which has the compiler's default.
%/lib/snapshot/archive.o: private LONG_TIMES :=
# The x87 computes with more bits than a double has, so results depend on what the compiler keeps in
# registers. Every processor with PCI Express has SSE2. The ABI of atomics in structures before GCC 11, of
# which GCC notes that it changed, concerns no library.
SSE2 := $(if $(filter 1,$(word 3,$(PROCESSOR))),-msse2 -mfpmath=sse -Wno-psabi)
# A library has the atomics that the processor lacks, such as that of Debian's armel.
ATOMICS := $(if $(filter 0 1,$(word 2,$(PROCESSOR))),-latomic)
# The GOT is read-only before main() runs: root runs this on hostile input.
# Relative relocations are not packed (-z pack-relative-relocs): the loader of glibc 2.36 takes longer
# to process their bitmaps than a list, and copies as many pages.
LINK := -pie -Wl,--as-needed -Wl,-z,relro -Wl,-z,now -Wl,-O1 -Wl,--hash-style=gnu

# Members that the oldest supported rdma-core lacks are used if the header has them.
try_compile = $(shell printf '%s\n' '\#include <infiniband/verbs.h>' '$(1)' | \
	$(CC) $$($(PKG_CONFIG) --cflags $(HEADERS_OF) 2>/dev/null) -x c -c -o /dev/null - 2>/dev/null && echo $(2))
FEATURES := $(call try_compile,struct ibv_port_attr a = {.active_speed_ex = 1};,-DHAVE_IBV_PORT_ATTR_ACTIVE_SPEED_EX)

# Run pkg-config once, not for each object.
HEADER_FLAGS := $(shell $(PKG_CONFIG) --cflags $(HEADERS_OF) 2>/dev/null)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(LARGE_FILES) $(LONG_TIMES) $(SSE2) -Ilib -I. \
	-I$(BUILD)/generated $(WARNINGS) $(HARDEN) -DRDMACTL_VERSION='"$(VERSION)"' \
	$(HEADER_FLAGS) $(FEATURES) $(CFLAGS) $(CPPFLAGS)
# The loader searches libraries in this order, and most symbols are in libc.
LIBS := -lc $(shell $(PKG_CONFIG) --libs $(LINKED) 2>/dev/null) -ldl -pthread $(ATOMICS)

LIB_SOURCES := $(sort $(wildcard lib/*/*.c lib/*/*/*.c))
CMD_SOURCES := $(sort $(wildcard cmd/*.c cmd/*/*.c))
SOURCES := $(LIB_SOURCES) $(CMD_SOURCES)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
LIB_OBJECTS := $(LIB_SOURCES:%.c=$(BUILD)/%.o)
GENERATED := $(BUILD)/generated/completion_bash.h $(BUILD)/generated/completion_zsh.h \
	$(BUILD)/generated/completion_fish.h $(BUILD)/generated/library_versions.h
MAN_PAGES := $(sort $(wildcard man/*.[15]))

.PHONY: all
all: $(BUILD)/rdmactl

ifneq ($(MISSING),)
$(OBJECTS): missing
.PHONY: missing
missing:
	@echo "$(MISSING)"; echo "make deps installs what is missing"; exit 1
endif

$(BUILD)/rdmactl: $(OBJECTS)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LINK) $(LDFLAGS) -o $@ $(OBJECTS) $(LIBS)

# These files hold the compiler's version and flags: a change to either rebuilds everything, while
# another name for the same compiler does not.
FLAGS_FILE := $(BUILD)/flags
COMPILER = $(shell $(CC) --version 2>/dev/null | sed -n '1s/^[^ ]* //p')
keep_flags = @mkdir -p $(@D); text='$(subst ','\'',$(filter-out -Werror,$(COMPILER) $(1)))'; \
	printf '%s\n' "$$text" | cmp -s - $@ || printf '%s\n' "$$text" >$@
$(FLAGS_FILE): FORCE
	$(call keep_flags,$(ALL_CFLAGS))
.PHONY: FORCE
FORCE:

$(BUILD)/%.o: %.c $(FLAGS_FILE) | $(GENERATED)
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Turns a text file into a C string.
QUOTE = sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/'
$(BUILD)/generated/completion_%.h: completions/rdmactl.%
	@mkdir -p $(@D)
	$(Q)$(QUOTE) $< >$@

# The versions of the libraries that the program is compiled with, as reported by pkg-config.
$(BUILD)/generated/library_versions.h: $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(Q)for library in $(subst -3.0,,$(HEADERS_OF)); do \
		name=$$(echo "$${library#lib}" | tr a-z A-Z); [ "$$name" != NL ] || library=libnl-3.0; \
		echo "#define $${name}_BUILT_VERSION \"$$($(PKG_CONFIG) --modversion $$library 2>/dev/null)\""; \
	done >$@

$(GENERATED): Makefile

-include $(OBJECTS:.o=.d)

include tests/tests.mk
include packaging/packaging.mk

.PHONY: man
man: $(BUILD)/rdmactl
	$(Q)for page in $(MAN_PAGES); do tests/lint/man-blocks $(BUILD)/rdmactl $$page >$(BUILD)/page && \
		{ cmp -s $(BUILD)/page $$page || cp $(BUILD)/page $$page; } || exit 1; done

UNITS := $(wildcard systemd/*.service systemd/*.socket systemd/*.timer)
# put_units UNITS,DIRECTORY: installs the units, with the installed program's path in them.
put_units = for unit in $(notdir $(1)); do \
	echo "  UNIT  $(2)/$$unit"; \
	sed 's|/usr/local/bin|$(BINDIR)|' systemd/$$unit >$(2)/$$unit && chmod 644 $(2)/$$unit || exit 1; \
	done
DOCUMENTS := $(wildcard README.md README.zh.md LICENSE SECURITY.md CHANGELOG.md)
CONTRIBUTED := $(wildcard contrib/*)

# Installs what was built, and compiles nothing: installing as root, or packaging with flags that only
# the build was given, must not produce a program other than the one that was tested.
.PHONY: install install-strip
install: built
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 \
		$(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR) $(DESTDIR)$(DOCDIR)/systemd \
		$(DESTDIR)$(DOCDIR)/man $(CONTRIBUTED:%=$(DESTDIR)$(DOCDIR)/%)
	$(INSTALL) -m 755 $(BUILD)/rdmactl $(DESTDIR)$(BINDIR)/rdmactl
	$(INSTALL) -m 644 $(filter %.1,$(MAN_PAGES)) $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 644 $(filter %.5,$(MAN_PAGES)) $(DESTDIR)$(MANDIR)/man5
	$(INSTALL) -m 644 completions/rdmactl.bash $(DESTDIR)$(BASHDIR)/rdmactl
	$(INSTALL) -m 644 completions/rdmactl.zsh $(DESTDIR)$(ZSHDIR)/_rdmactl
	$(INSTALL) -m 644 completions/rdmactl.fish $(DESTDIR)$(FISHDIR)/rdmactl.fish
	$(INSTALL) -m 644 $(DOCUMENTS) $(DESTDIR)$(DOCDIR)
	$(INSTALL) -m 644 $(wildcard man/*.svg) $(DESTDIR)$(DOCDIR)/man
	$(Q)for folder in $(CONTRIBUTED); do \
		$(INSTALL) -m 644 $$folder/* $(DESTDIR)$(DOCDIR)/$$folder || exit 1; done
	$(Q)$(call put_units,$(UNITS),$(DESTDIR)$(DOCDIR)/systemd)
install-strip: install
	$(STRIP) $(DESTDIR)$(BINDIR)/rdmactl

.PHONY: built
built:
	@[ -x $(BUILD)/rdmactl ] || { \
		echo "$(BUILD)/rdmactl does not exist, and this target does not build it: run make first" >&2; exit 1; }

# Installs the metrics services where systemd finds them; enables and starts none.
.PHONY: install-units
install-units:
	$(INSTALL) -d $(DESTDIR)$(UNITDIR)
	$(Q)$(call put_units,$(filter systemd/rdmactl-metrics%,$(UNITS)),$(DESTDIR)$(UNITDIR))

# Links with the names of the older tools. Within PREFIX they are relative, so that they stay valid in a
# tree that is mounted elsewhere. A file that is no link to rdmactl is never replaced.
PERSONALITIES := $(shell sed -n 's/^PERSONALITY.\([^,]*\),.*$$/\1/p' cmd/compat/personalities.def)
COMPAT_LINK = $(if $(and $(filter $(PREFIX)/%,$(COMPAT_DIR)),$(filter $(PREFIX)/%,$(BINDIR))),$(shell \
	realpath -ms --relative-to=$(COMPAT_DIR) $(BINDIR)/rdmactl),$(BINDIR)/rdmactl)
.PHONY: install-compat
install-compat:
	$(INSTALL) -d $(DESTDIR)$(COMPAT_DIR)
	$(Q)for name in $(PERSONALITIES); do \
		link=$(DESTDIR)$(COMPAT_DIR)/$$name; \
		if [ -e $$link ] || [ -L $$link ]; then \
			case $$(readlink $$link) in \
			$(BINDIR)/rdmactl | $(COMPAT_LINK)) ;; \
			*) echo "$$link is another program: choose another directory with COMPAT_DIR" >&2; exit 1 ;; \
			esac; \
		fi; \
		echo "  LINK  $$link"; ln -sfn $(COMPAT_LINK) $$link || exit 1; \
	done

.PHONY: clean
clean:
	rm -rf $(BUILD)

.PHONY: format
format:
	$(Q)FIX=1 tests/lint/format

.PHONY: help
help:
	@echo "make            build $(BUILD)/rdmactl"
	@echo "make demo       install what is missing, build, show this host (or a virtual machine)"
	@echo "make check      run the tests; check-unit, check-musl, check-cli, check-lint, check-sim, check-vm: one part"
	@echo "make bench      compare with the tools that rdmactl replaces"
	@echo "make asan       build with address and undefined behaviour sanitizers in $(BUILD)/asan"
	@echo "make analyze    static analysis; make fuzz: a short run of every fuzz target"
	@echo "make man        rewrite the generated parts of the man pages"
	@echo "make deps       install the packages needed to build; deps-check: also those needed to test"
	@echo "make install    install what was built (DESTDIR, PREFIX); install-strip: without debug information (STRIP)"
	@echo "make install-units   install the metrics services in UNITDIR ($(UNITDIR)); starts none"
	@echo "make install-compat  install links with the older tools' names in COMPAT_DIR ($(COMPAT_DIR))"
	@echo "make dist       pack the release as $(DIST)"
	@echo "make deb, rpm   build its packages in $(BUILD)/deb and $(BUILD)/rpm; make sbom: its bill of materials (SPDX)"
	@echo "make check-mesh      run rdmactl mesh with real launchers, and on four virtual machines"
	@echo "make check-packages  build, install, use, upgrade and remove the packages in a tree of their own"
	@echo "make check-cross     build for arm64, s390x and i386, and run the unit tests, in an emulator where needed"
