# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make, make check, make demo, make install; make help lists the targets.

VERSION := 0.1.0

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/rdmactl
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# A separate folder, because packages install programs of the same names.
COMPAT_DIR ?= $(PREFIX)/lib/rdmactl/compat

BUILD ?= build
CC ?= gcc
CLANG ?= $(firstword $(foreach c,clang clang-14 clang-16 clang-19,$(shell command -v $(c) 2>/dev/null)) clang)
PKG_CONFIG ?= pkg-config
INSTALL ?= install
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
# Hardening; the flags of a distribution's CFLAGS come later and win.
HARDEN ?= -fstack-protector-strong $(if $(findstring -O0,$(CFLAGS)),,-D_FORTIFY_SOURCE=2) -fPIE
LDFLAGS ?=
# The GOT is read-only before main() runs: root runs this on hostile input.
LINK := -pie -Wl,--as-needed -Wl,-z,relro -Wl,-z,now -Wl,-O1 -Wl,--hash-style=gnu

# Members that the oldest supported rdma-core lacks are used if the header has them.
try_compile = $(shell printf '%s\n' '\#include <infiniband/verbs.h>' '$(1)' | \
	$(CC) $$($(PKG_CONFIG) --cflags $(HEADERS_OF) 2>/dev/null) -x c -c -o /dev/null - 2>/dev/null && echo $(2))
FEATURES := $(call try_compile,struct ibv_port_attr a = {.active_speed_ex = 1};,-DHAVE_IBV_PORT_ATTR_ACTIVE_SPEED_EX)

ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Ilib -I. -I$(BUILD)/generated $(WARNINGS) $(HARDEN) \
	-DRDMACTL_VERSION='"$(VERSION)"' \
	$(shell $(PKG_CONFIG) --cflags $(HEADERS_OF) 2>/dev/null) $(FEATURES) $(CFLAGS) $(CPPFLAGS)
LIBS = $(shell $(PKG_CONFIG) --libs $(LINKED) 2>/dev/null) -ldl -pthread

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

# These files hold the compiler's version and flags, so that a change of them rebuilds everything,
# but not another name of the same compiler.
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

# A text file as a C string.
QUOTE = sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/'
$(BUILD)/generated/completion_%.h: completions/rdmactl.%
	@mkdir -p $(@D)
	$(Q)$(QUOTE) $< >$@

# The versions of the libraries that the program is compiled with, as pkg-config says them.
$(BUILD)/generated/library_versions.h: $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(Q)for library in $(subst -3.0,,$(HEADERS_OF)); do \
		name=$$(echo "$${library#lib}" | tr a-z A-Z); [ "$$name" != NL ] || library=libnl-3.0; \
		echo "#define $${name}_BUILT_VERSION \"$$($(PKG_CONFIG) --modversion $$library 2>/dev/null)\""; \
	done >$@

$(GENERATED): Makefile

-include $(OBJECTS:.o=.d)

include tests/tests.mk

.PHONY: man
man: $(BUILD)/rdmactl
	$(Q)for page in $(MAN_PAGES); do tests/lint/man-blocks $(BUILD)/rdmactl $$page >$(BUILD)/page && \
		{ cmp -s $(BUILD)/page $$page || cp $(BUILD)/page $$page; } || exit 1; done

SERVICES := $(wildcard systemd/*.service)

.PHONY: install
install: all
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 \
		$(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR) $(DESTDIR)$(DOCDIR)/systemd
	$(INSTALL) -m 755 $(BUILD)/rdmactl $(DESTDIR)$(BINDIR)/rdmactl
	$(INSTALL) -m 644 $(filter %.1,$(MAN_PAGES)) $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 644 $(filter %.5,$(MAN_PAGES)) $(DESTDIR)$(MANDIR)/man5
	$(INSTALL) -m 644 completions/rdmactl.bash $(DESTDIR)$(BASHDIR)/rdmactl
	$(INSTALL) -m 644 completions/rdmactl.zsh $(DESTDIR)$(ZSHDIR)/_rdmactl
	$(INSTALL) -m 644 completions/rdmactl.fish $(DESTDIR)$(FISHDIR)/rdmactl.fish
	$(INSTALL) -m 644 README.md SECURITY.md $(DESTDIR)$(DOCDIR)
	$(Q)for unit in $(notdir $(SERVICES)); do \
		echo "  UNIT  $(DESTDIR)$(DOCDIR)/systemd/$$unit"; \
		sed 's|/usr/local/bin|$(BINDIR)|' systemd/$$unit >$(DESTDIR)$(DOCDIR)/systemd/$$unit || exit 1; \
	done

# The names of the older tools, as links. One of another program is left alone.
PERSONALITIES := $(shell sed -n 's/^PERSONALITY.\([^,]*\),.*$$/\1/p' cmd/compat/personalities.def)
.PHONY: install-compat
install-compat:
	$(INSTALL) -d $(DESTDIR)$(COMPAT_DIR)
	$(Q)for name in $(PERSONALITIES); do \
		link=$(DESTDIR)$(COMPAT_DIR)/$$name; \
		if [ -e $$link ] || [ -L $$link ]; then \
			[ "$$(readlink $$link)" = $(BINDIR)/rdmactl ] && continue; \
			echo "$$link is another program: COMPAT_DIR chooses another directory" >&2; exit 1; \
		fi; \
		echo "  LINK  $$link"; ln -s $(BINDIR)/rdmactl $$link || exit 1; \
	done

.PHONY: clean
clean:
	rm -rf $(BUILD)

.PHONY: format
format:
	clang-format -i $(SOURCES) $(shell git ls-files '*.h' 'tests/*.[ch]')

.PHONY: help
help:
	@echo "make            build $(BUILD)/rdmactl"
	@echo "make demo       install what is missing, build, show this host (or a virtual machine)"
	@echo "make check      all tests; check-unit, check-cli, check-lint, check-sim, check-vm: parts of them"
	@echo "make bench      side by side with the tools that rdmactl replaces"
	@echo "make asan       build with address and undefined behaviour sanitizers in $(BUILD)/asan"
	@echo "make analyze    static analysis; make fuzz: a short run of every fuzz target"
	@echo "make man        rewrite the generated parts of the man pages"
	@echo "make deps       install the packages that building needs; deps-check: testing, too"
	@echo "make install    with DESTDIR and PREFIX"
	@echo "make install-compat  links of the older tools' names, in COMPAT_DIR ($(COMPAT_DIR))"
