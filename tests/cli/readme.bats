#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# README.md shows what the program prints, and README.zh.md matches it.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$binary" "$BATS_TEST_TMPDIR/bin/rdmactl"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	cd "$top" || return
}

@test "readme: the program prints the output of the examples (UPDATE=1 rewrites it)" {
	"$BATS_TEST_DIRNAME/readme.py" show README.md "$roots" >"$BATS_TEST_TMPDIR/now"
	[ -z "${UPDATE-}" ] || cat "$BATS_TEST_TMPDIR/now" >README.md
	diff -u README.md "$BATS_TEST_TMPDIR/now"
	[ "$(grep -c '^<!-- test: ' README.md)" -ge 4 ]
	[ "$(wc -l <README.md)" -le 200 ]
}

@test "readme: every command and every option that it names exists in the program" {
	local command options option word help

	while read -r _ command options; do
		help=$(rdmactl "$command" --help 2>/dev/null) || { wrong "no command $command"; continue; }
		# Options of subcommands are in their own help.
		while read -r word; do
			help+=$(rdmactl "$command" "$word" --help 2>/dev/null) || :
		done < <(sed -n '/ is one of:$/,/^rdmactl /s/^  \([a-z][a-z_-]*\) .*/\1/p' <<<"$help")
		for option in $options; do
			grep -qE -- "(^|[ ,])${option%%=*}([ =,]|\$)" <<<"$help" || wrong "$command has no $option"
		done
	done < <("$BATS_TEST_DIRNAME/readme.py" words README.md "$roots" | sort -u)
	[ "$("$BATS_TEST_DIRNAME/readme.py" words README.md "$roots" | wc -l)" -ge 40 ]
	nothing_wrong
}

@test "readme: linked files exist, and so does every make target that it names" {
	local name targets

	while read -r name; do
		[ -e "$name" ] || wrong "$name"
	done < <(grep -ohE '\]\([^)#]+\)' README.md README.zh.md | tr -d '])(' | sort -u)
	mapfile -t targets < <(grep -ohE '^(sudo )?make [a-z-]+|`make [a-z-]+' README.md |
		sed 's/.*make //' | sort -u)
	# One call, because make first reads the dependencies of the entire project; it names missing
	# targets.
	make -n --no-print-directory "${targets[@]}" >/dev/null || wrong 'make does not know a target'
	nothing_wrong
}

@test "readme: make -n demo installs nothing, and prepares the machine while the build runs" {
	local tree=$BATS_TEST_TMPDIR/tree top=$BATS_TEST_DIRNAME/../..

	mkdir -p "$tree/tests" "$tree/build"
	cp "$top/Makefile" "$tree"
	cp "$top/tests/tests.mk" "$tree/tests"
	ln -s "$(realpath "$top/packaging")" "$tree/packaging"
	# Each waits for the other one: run one after the other, the first would never end.
	mkfifo "$tree/way"
	printf '#!/bin/sh\necho deps >>done\n' >"$tree/tests/deps"
	# shellcheck disable=SC2016 # of the script
	printf '#!/bin/sh\n[ "$1" = prepare ] || { echo "$1" >>done; exit; }\n%s\n' \
		'read -r _ <way && echo prepared >>done' >"$tree/tests/demo"
	chmod +x "$tree/tests/deps" "$tree/tests/demo"
	unset MAKEFLAGS
	timeout 100 make -s -n -C "$tree" demo >/dev/null 2>&1
	[ ! -e "$tree/done" ]
	cat >>"$tree/Makefile" <<-'END'
		all: meet
		meet: ; @echo built >way
	END
	timeout 300 make -s -j2 -C "$tree" demo BUILD=build OBJECTS= LINKED= LOADED= MISSING= CC=true LIB_SOURCES= CMD_SOURCES=
	[ "$(cat "$tree/done")" = $'deps\nprepared\nbuild/rdmactl' ]
}

# make demo says so before the guest starts, which would only miss the directory.
@test "readme: a virtual machine is refused where it does not see the files of this machine" {
	local own why='the guest has a /dev of its own; run it in a copy elsewhere, such as /tmp or /home'

	own=$(mktemp -d -p /dev/shm)
	printf '#!/bin/sh\n' >"$own/script"
	chmod +x "$own/script"
	run --separate-stderr "$top/tests/vm/guest" "$own/script"
	same 'the script' "125 tests/vm/guest: $own/script: $why" "$status $stderr"
	cd "$own"
	run --separate-stderr "$top/tests/vm/guest" /bin/true
	cd "$top"
	rm -r "$own"
	same 'the directory' "125 tests/vm/guest: $own: $why" "$status $stderr"
	run --separate-stderr "$top/tests/vm/guest" /nosuch/script
	[ "$status" = 125 ]
	[[ $stderr != *'of its own'* ]]
}

# The levels of the headings, and the contents of blocks, code spans and links, line by line.
skeleton()
{
	awk '
	/^```/ { inside = !inside; print; next }
	inside { sub(/ +#.*/, ""); print; next } # without comments
	/^#/ { match($0, /^#+/); print "heading " RLENGTH }
	/^<!--/ { print }
	/^\|/ { print "row of " NF - 1 }' FS='|' "$1"
	# shellcheck disable=SC2016 # code of Markdown
	grep -oE '`[^`]+`|\]\([^)]+\)' "$1" | grep -v '^``' | grep -v 'README\.' | sort
}

@test "readme: README.zh.md has the same headings, examples, commands and links" {
	skeleton README.md >"$BATS_TEST_TMPDIR/english"
	skeleton README.zh.md >"$BATS_TEST_TMPDIR/chinese"
	diff "$BATS_TEST_TMPDIR/english" "$BATS_TEST_TMPDIR/chinese"
	# Every paragraph of it is Chinese.
	[ "$(grep -cP '\p{Han}' README.zh.md)" -ge 25 ]
}
