#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The manual: well formed, up to date, complete, with correct examples.
#
# An example is a literal display after a comment that says how to run it:
#
#   .\" test: root=cx6dx-roce
#   .Bd -literal
#   $ rdmactl pkeys
#   DEVICE PORT INDEX P_KEY  MEMBERSHIP NETDEVS
#   ...
#   .Ed
#
# `$ ` begins a command, `> ` continues it; the lines after it are its standard output and error.
# The words after `test:` are root=NAME (the fixture that RDMACTL_ROOT names; none: unset), status=N
# (of every command of the display; 0 if not given) and `skip, REASON`. UPDATE=1 rewrites the lines
# after the commands of all examples that are run.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup_file()
{
	mkdir "$BATS_FILE_TMPDIR/bin"
	ln -s "$(realpath "$binary")" "$BATS_FILE_TMPDIR/bin/rdmactl"
	export PATH="$BATS_FILE_TMPDIR/bin:$PATH"
}

setup()
{
	cd "$top" || return
}

# Extracts the examples of a page to files NUMBER.{test,line,command,output} in a directory.
extract()
{
	awk -v directory="$2" '
	# The text shown by a line of a literal display.
	function plain(line,    shown, at, rest) {
		while ((at = index(line, "\\")) > 0) {
			rest = substr(line, at + 1)
			shown = shown substr(line, 1, at - 1)
			if (rest ~ /^-/) { shown = shown "-"; rest = substr(rest, 2) }
			else if (rest ~ /^&/) rest = substr(rest, 2)
			else if (rest ~ /^e/) { shown = shown "\\"; rest = substr(rest, 2) }
			else if (rest ~ /^\(aq/) { shown = shown "\047"; rest = substr(rest, 4) }
			else if (rest ~ /^\(ha/) { shown = shown "^"; rest = substr(rest, 4) }
			else if (rest ~ /^\(ti/) { shown = shown "~"; rest = substr(rest, 4) }
			else if (rest ~ /^\(ga/) { shown = shown "`"; rest = substr(rest, 4) }
			else { shown = shown "<unknown escape>" }
			line = rest
		}
		return shown line
	}
	function put(name, text) { printf "%s", text >(directory "/" count "." name) }
	function finish() {
		if (!in_command)
			return
		put("command", command); put("output", output)
		close(directory "/" count ".command"); close(directory "/" count ".output")
		in_command = 0
	}
	/^\.\\" test:/ { test = substr($0, 11); next }
	/^\.Bd -literal/ { inside = 1; next }
	/^\.Ed/ { finish(); inside = 0; test = "none"; next }
	!inside { next }
	/^\$ / {
		finish()
		in_command = ++count
		put("test", test); put("line", FNR)
		close(directory "/" count ".test"); close(directory "/" count ".line")
		command = plain(substr($0, 3)) "\n"; output = ""
		next
	}
	/^> / && in_command && output == "" { command = command plain(substr($0, 3)) "\n"; next }
	in_command { output = output plain($0) "\n" }
	BEGIN { test = "none" }' "$1"
}

# Prints the page with the contents of the files NUMBER.now as the output of its examples.
rewrite()
{
	awk -v directory="$2" '
	function escaped(line) {
		gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line); gsub(/\047/, "\\(aq", line)
		gsub(/\^/, "\\(ha", line); gsub(/~/, "\\(ti", line); gsub(/`/, "\\(ga", line)
		return (line ~ /^\./ ? "\\&" : "") line
	}
	# Prints the new output after a command and its continuation lines, if it was run.
	function replace(    now, line, rc) {
		if (!waiting)
			return
		now = directory "/" count ".now"
		while ((rc = (getline line <now)) > 0)
			print escaped(line)
		close(now)
		waiting = 0
		skipping = rc == 0
	}
	waiting && /^> / { print; next }
	{ replace() }
	/^\.Bd -literal/ { inside = 1 }
	/^\.Ed/ { inside = skipping = 0 }
	inside && /^\$ / { count++; waiting = 1; skipping = 0; print; next }
	!skipping { print }' "$1"
}

# Runs one example; its output and status are in the files NUMBER.now and NUMBER.status.
run_example()
{
	local example=$1 root=$2
	local environment=()

	[ -z "$root" ] || environment=(RDMACTL_ROOT="$root")
	mkdir -p "$BATS_TEST_TMPDIR/work"
	(
		cd "$BATS_TEST_TMPDIR/work" || exit
		status=0
		env "${environment[@]}" sh "$example.command" </dev/null >"$example.now" 2>&1 || status=$?
		echo "$status" >"$example.status"
	)
}

# Compares the output of the example with the page.
check_example()
{
	local example=$1 place=$2 word root='' status=0

	read -r word <"$example.test" || :
	case $word in
	none)
		wrong "$place: no .\\\" test: line before the example"
		return
		;;
	skip,*)
		return
		;;
	esac
	for word in $word; do
		case $word in
		root=*)
			root=$roots/${word#root=}
			[ -d "$root" ] || {
				wrong "$place: no such fixture: $word"
				return
			}
			;;
		status=*)
			status=${word#status=}
			;;
		*)
			wrong "$place: unknown word $word"
			;;
		esac
	done
	run_example "$example" "$root"
	if [ "$(<"$example.status")" != "$status" ]; then
		wrong "$place: exit status $(<"$example.status"), not $status"
		cat "$example.command" "$example.now"
	elif [ -z "${UPDATE-}" ] && ! diff -u --label page --label now "$example.output" "$example.now"; then
		wrong "$place: not what the page shows (UPDATE=1 rewrites it)"
	fi
}

@test "man: every example prints what its page shows" {
	local page directory example

	for page in man/*.[15]; do
		directory=$BATS_TEST_TMPDIR/${page##*/}
		mkdir "$directory"
		extract "$page" "$directory"
		for example in "$directory"/*.command; do
			[ -e "$example" ] || continue
			example=${example%.command}
			check_example "$example" "$page:$(<"$example.line")"
		done
		if [ -n "${UPDATE-}" ]; then
			rewrite "$page" "$directory" >"$directory/new"
			cmp -s "$directory/new" "$page" || cp "$directory/new" "$page"
		fi
	done
	nothing_wrong
}

@test "man: every page has an example, and no example has an unknown escape" {
	local page

	for page in man/*.[15]; do
		grep -q '^\$ rdmactl' "$page" || wrong "$page: no example"
		mkdir "$BATS_TEST_TMPDIR/${page##*/}"
		extract "$page" "$BATS_TEST_TMPDIR/${page##*/}"
	done
	! grep -rn '<unknown escape>' "$BATS_TEST_TMPDIR" || wrong "write it as bats's extract() reads it"
	nothing_wrong
}

@test "man: a jq query does not answer yes where nothing exists, or nothing is known" {
	local root

	# all() of an empty list is true, and null is less than any number.
	run ! grep -rnE 'all\(\.[a-z_]+\[\]|select\(\.[a-z_]+ <' man README.md contrib
	for root in no-rdma bad-rate; do
		run jq -e '.ports | length > 0 and all(.state == "active")' < <(RDMACTL_ROOT=$roots/$root rdmactl ports -j 2>/dev/null)
		[ "$output" = false ]
	done
	run jq -r '.ports[] | select(.width_lanes and .width_lanes < 4) | .device' < <(RDMACTL_ROOT=$roots/bad-rate rdmactl ports -j 2>/dev/null)
	[ -z "$output" ]
}

@test "man: mandoc has no complaints" {
	# A reference to a page that is not installed here is not an error, so mandoc need not search
	# the manual of this machine for each, which takes twenty times as long as the rest.
	local output

	mandoc -T lint -W error man/rdmactl.1 # fails if mandoc is missing
	output=$(MANPATH=$top/man mandoc -T lint -W style man/*.[15] 2>/dev/null |
		grep -v 'STYLE: referenced manual not found') || :
	echo "$output"
	[ -z "$output" ]
}

@test "man: groff has no complaints" {
	# No page defines a macro or a string for the pages after it, so one start is enough for all of them.
	run ! grep -nE "^[.'][[:blank:]]*(de|ds|nr|am|as|al|char|rn|so)" man/*.[15]
	run groff -ww -mdoc -Tutf8 -z man/*.[15]
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "man: the pages begin with the licence" {
	local page

	for page in man/*.[15]; do
		[ "$(head -n 1 "$page")" = '.\" SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause' ] ||
			wrong "$page"
	done
	nothing_wrong
}

@test "man: options and columns are those of the program (make man)" {
	local page

	for page in man/*.[15]; do
		if ! tests/lint/man-blocks "$binary" "$page" >"$BATS_TEST_TMPDIR/page"; then
			wrong "$page: man-blocks failed"
		elif ! diff -u --label "$page" --label now "$page" "$BATS_TEST_TMPDIR/page"; then
			wrong "$page: out of date"
		fi
	done
	nothing_wrong
}

@test "man: no page has a heading for options twice" {
	local page twice

	for page in man/*.[15]; do
		twice=$(grep '^\.Ss Options of ' "$page" | sort | uniq -d)
		[ -z "$twice" ] || wrong "$page: $twice"
	done
	nothing_wrong
}

@test "man: every command has a page, and rdmactl(1) names every page" {
	local name page

	while read -r name; do
		# A hidden command is listed under another name.
		rdmactl help "$name" >/dev/null 2>&1 || continue
		[ -e "man/rdmactl-$name.1" ] || wrong "$name has no page"
		grep -q "^\.It Xr rdmactl-$name 1$" man/rdmactl.1 || wrong "rdmactl.1 has no $name"
	done < <(sed -n 's/^COMMAND(\(.*\))$/\1/p' cmd/commands.def)
	for page in man/*.[15]; do
		name=${page##*/}
		[ "$name" = rdmactl.1 ] && continue
		grep -Eq "^\.(It )?Xr ${name%.*} ${name##*.}( ,)?$" man/rdmactl.1 ||
			wrong "rdmactl.1 does not name $name"
	done
	nothing_wrong
}

@test "man: the synopsis of a change shows all options of a change" {
	local forms option

	# The forms of a synopsis, one per line.
	forms=$(awk '/^\.Sh/ { inside = $2 == "SYNOPSIS" } /^\.Nm rdmactl$/ && inside { printf "\n%s", FILENAME }
		inside { gsub(/Fl \\-/, "--"); gsub(/\\-/, "-"); printf " %s", $0 }' man/*.1 | grep -- --revert-after)
	[ "$(wc -l <<<"$forms")" -ge 8 ]
	for option in --dry-run --yes --force --persist; do
		! grep -v -- "$option" <<<"$forms" || wrong "no $option"
	done
	nothing_wrong
}

@test "man: every page is named by its own name and section" {
	local page name

	for page in man/*.[15]; do
		name=${page##*/}
		grep -qx "\.Dt $(tr '[:lower:]' '[:upper:]' <<<"${name%.*}") ${name##*.}" "$page" ||
			wrong "$page: .Dt"
		grep -qx "\.Nm ${name%.*}" "$page" || wrong "$page: .Nm"
	done
	nothing_wrong
}

@test "man-blocks: a marker without a block, a block without a marker" {
	local page=$BATS_TEST_TMPDIR/rdmactl-ports.1

	sed '/BEGIN COLUMNS/,/END COLUMNS/d' man/rdmactl-ports.1 >"$page"
	run tests/lint/man-blocks "$binary" "$page"
	[ "$status" -ne 0 ]
	[[ $output == *"no markers for the block COLUMNS"* ]]

	{ cat man/rdmactl-ports.1; printf '.\\" BEGIN %s\n.\\" END %s\n' OTHER OTHER; } >"$page"
	run tests/lint/man-blocks "$binary" "$page"
	[ "$status" -ne 0 ]
	[[ $output == *"the program has no block OTHER"* ]]

	sed '/END COLUMNS/d' man/rdmactl-ports.1 >"$page"
	run tests/lint/man-blocks "$binary" "$page"
	[ "$status" -ne 0 ]
	[[ $output == *"the block COLUMNS has no END"* ]]

	cp man/rdmactl-ports.1 "$BATS_TEST_TMPDIR/rdmactl-nothing.1"
	run tests/lint/man-blocks "$binary" "$BATS_TEST_TMPDIR/rdmactl-nothing.1"
	[ "$status" -ne 0 ]
}

@test "man-blocks: the text between the markers is replaced" {
	local page=$BATS_TEST_TMPDIR/rdmactl-ports.1

	sed '/BEGIN COLUMNS/,/END COLUMNS/{/BEGIN\|END/!s/.*/old/}' man/rdmactl-ports.1 >"$page"
	grep -qx old "$page"
	tests/lint/man-blocks "$binary" "$page" | cmp - man/rdmactl-ports.1
}

@test "man: source files that a page names exist" {
	local path

	while read -r path; do
		[ -e "$path" ] || wrong "no $path in the sources"
	done < <(sed -nE 's,^\.Pa ((tests|contrib|packaging|systemd)/[^ ]*).*,\1,p' man/*)
	nothing_wrong
}

@test "man: rdmactl-json names every unit that a key ends with" {
	local unit keys='' name

	for name in $(rdmactl schema --tsv --no-headings -o schema); do
		quickly try schema "$name"
		keys+=$output
	done
	for unit in gbps mbps kbps gtps bytes msec us usec khz percent m c v ma mw dbm; do
		grep -Eq "\"[a-z0-9_]+_$unit\":" <<<"$keys" || wrong "no key ends with _$unit"
		grep -Eq "^\.Li .*\<_$unit\>" man/rdmactl-json.5 || wrong "rdmactl-json.5 has no _$unit"
	done
	nothing_wrong
}
