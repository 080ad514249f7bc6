# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The release, its packages and its bill of materials. Included by the Makefile.

DIST := $(BUILD)/rdmactl-$(VERSION).tar.gz

# VERSION is set at the top of the Makefile; tests/lint/versions compares other files with it.
.PHONY: dist
dist:
	@mkdir -p $(BUILD)
	$(Q)packaging/dist $(VERSION) $(DIST)

# The flags of this make and of its user's environment must not reach a package.
CLEAN_ENVIRONMENT := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u BUILD -u DEV -u V -u CC \
	-u CFLAGS -u CPPFLAGS -u LDFLAGS -u PREFIX -u DESTDIR
# Packages are built below this directory, which does not change their bytes.
PACKAGE_TREE ?= $(BUILD)

.PHONY: deb rpm sbom
deb: dist
	$(Q)$(CLEAN_ENVIRONMENT) packaging/build-deb $(VERSION) $(DIST) $(PACKAGE_TREE)/deb
rpm: dist
	$(Q)$(CLEAN_ENVIRONMENT) packaging/build-rpm $(VERSION) $(DIST) $(PACKAGE_TREE)/rpm

sbom: dist built
	$(Q)packaging/sbom $(VERSION) $(DIST) $(BUILD)/rdmactl >$(BUILD)/sbom && \
		mv $(BUILD)/sbom $(BUILD)/rdmactl-$(VERSION).spdx.json
	@echo "  SBOM  $(BUILD)/rdmactl-$(VERSION).spdx.json"

.PHONY: check-packages check-cross
check-packages:
	$(Q)tests/deps build packages
	$(Q)tests/packages $(BUILD)
check-cross: all
	$(Q)tests/deps packages
	$(Q)tests/cross arm64 s390x i386
