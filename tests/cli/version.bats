#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

@test "version: --version and -V, before and after a command" {
	local words version

	version=$(sed -n 's/^VERSION := //p' "$top/Makefile")
	[ -n "$version" ]
	for words in --version -V '--version devices' '-V frobnicate' 'devices --version' 'ports -V mlx5_0' \
		'gids --json --version' 'help --version' 'version -V' '--json --version'; do
		# shellcheck disable=SC2086 # words
		quickly try $words
		expect 0 "rdmactl $version" '' || wrong "$words"
	done
	nothing_wrong
}

# A saved machine: sys as in FIXTURE, and the release of its kernel.
machine()
{
	rm -rf "$BATS_TEST_TMPDIR/root"
	mkdir -p "$BATS_TEST_TMPDIR/root/proc/sys/kernel"
	cp -a "$roots/$1/sys" "$BATS_TEST_TMPDIR/root"
	echo 6.1.0-saved >"$BATS_TEST_TMPDIR/root/proc/sys/kernel/osrelease"
}

@test "version: the parts and the kernel of a saved machine" {
	local part

	machine rxe-host
	try version --root "$BATS_TEST_TMPDIR/root"
	expect 0
	[ -z "$stderr" ]
	[[ $output == 'COMPONENT '* ]]
	for part in rdmactl jansson libnl-3 libibverbs kernel; do
		[ "$(grep -c "^$part " <<<"$output")" = 1 ] || wrong "$part"
	done
	[ "$(awk '$1 == "rdmactl" { print $2, $3 }' <<<"$output")" = "$("$binary" -V | awk '{ print $2, $2 }')" ] || wrong rdmactl
	grep -Eq '^kernel +- +6\.1\.0-saved +RDMA core loaded$' <<<"$output" || wrong 'kernel with RDMA'
	machine no-rdma
	try version --root "$BATS_TEST_TMPDIR/root"
	expect 0
	grep -Eq '^kernel +- +6\.1\.0-saved +no RDMA core loaded$' <<<"$output" || wrong 'kernel without RDMA'
	rm -r "$BATS_TEST_TMPDIR/root/proc"
	try version --root "$BATS_TEST_TMPDIR/root" --tsv --no-headings
	expect 0
	grep -q $'^kernel\t\t\tno RDMA core loaded$' <<<"$output" || wrong 'a tree that has no release'
	nothing_wrong
}

@test "version: a tree that cannot be opened is not taken for one without RDMA" {
	try version --root "$BATS_TEST_TMPDIR/none" --tsv --no-headings
	[ "$status" = 1 ]
	[ "$stderr" = "rdmactl version: cannot open the root directory $BATS_TEST_TMPDIR/none: No such file or directory"$'\n  --root takes a directory, or an archive that `rdmactl snapshot` wrote\n' ]
	grep -q $'^kernel\t\t\tunknown whether the RDMA core is loaded$' <<<"$output"
	grep -q '^rdmactl' <<<"$output"
}

@test "version: the running kernel" {
	try version
	expect 0
	[ "$(awk '$1 == "kernel" { print $3 }' <<<"$output")" = "$(uname -r)" ]
}

@test "version: --json is valid, and every format says the same" {
	"$binary" schema version >"$BATS_TEST_TMPDIR/schema"
	mkdir "$BATS_TEST_TMPDIR/documents"
	cd "$BATS_TEST_TMPDIR/documents"
	"$binary" version >version.txt
	"$binary" version --tsv >version.tsv
	"$binary" version --jsonl >version.jsonl
	"$binary" version --json >version.json 2>version.err
	"$top/tests/cli/validate" ../schema .
	[ "$(jq -r '.version[] | select(.component == "kernel").running' version.json)" = "$(uname -r)" ]
	[ "$(jq -r .schema version.json)" = rdmactl/version/1 ]
	jq -e '.version | all(.[]; (.component | type) == "string" and (.built_with != null or (.component | IN("kernel", "libcuda", "libamdhip64"))))' version.json
}

# Libraries of accelerators are listed where they are installed.
@test "version: the components" {
	try version --tsv --no-headings -o component
	expect 0
	[ "$(grep -vxE 'libcuda|libamdhip64' <<<"${output%$'\n'}" | paste -sd ' ')" = \
		'rdmactl jansson libnl-3 libibverbs librdmacm libibumad libgnutls libmicrohttpd libarchive kernel' ]
}

@test "version: versions are numbers, not file names" {
	try version --tsv --no-headings
	expect 0
	[[ $output == rdmactl* ]]
	! cut -f 2,3 <<<"$output" | grep -E '\.so|/' || false
}

@test "version: each library that is loaded on demand, with the version of its package" {
	local library

	try version --tsv --no-headings
	expect 0
	for library in libibverbs librdmacm libibumad libmicrohttpd libarchive; do
		[ "$(awk -F '\t' -v name="$library" '$1 == name { print $3 }' <<<"$output")" = "$(pkg-config --modversion "$library")" ] ||
			wrong "$library"
	done
	[ "$(awk -F '\t' '$1 == "libgnutls" { print $3 }' <<<"$output")" = "$(pkg-config --modversion gnutls)" ] || wrong libgnutls
	[ "$(awk -F '\t' '$1 == "libnl-3" { print $2, $3 }' <<<"$output")" = "$(pkg-config --modversion libnl-3.0) $(pkg-config --modversion libnl-3.0)" ] || wrong libnl-3
	# Each library that the program's notes recommend is in the list; accelerator libraries only where
	# they are installed.
	while read -r library; do
		grep -q "^$library"$'\t' <<<"$output" || wrong "$library is not listed"
	done < <(grep -ao '"recommended","soname":\["[^"]*' "$binary" | sed 's/.*"//; s/\.so.*//')
	nothing_wrong
}

@test "version: columns" {
	try version -o component --no-headings --tsv
	expect 0
	[[ $output == $'rdmactl\n'* ]]
	try version -o note,component
	expect 0
	[[ $output == 'NOTE '*'COMPONENT'* ]]
	try version -o componen
	expect_error 2 version "unknown column 'componen'" "did you mean 'component'?"
}

@test "version: takes no object" {
	try version devices
	expect_error 2 version "'version' takes no object, but 'devices' is given" 'rdmactl version --help'
}
