# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Sourced by every lint in bash: goes to the top of the tree, lists files and collects findings. A
# lint prints `file:line: what`, one line for each finding, and exits with 1 if there is any.

set -euo pipefail
shopt -s nullglob globstar
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Lists tracked files and those that git would offer to add; all files outside a git work tree.
list_files()
{
	local file

	{ git ls-files -co --exclude-standard 2>/dev/null || find . -type f -printf '%P\n'; } |
		sort -u | while IFS= read -r file; do
		[[ ! -f $file || -L $file || $file == .git/* || $file == build/* ]] || echo "$file"
	done
}

# Lists the files that match one of the patterns (of [[ == ]]).
list_matching()
{
	local file pattern

	while IFS= read -r file; do
		for pattern; do
			# shellcheck disable=SC2053 # a pattern
			[[ $file != $pattern ]] || { echo "$file"; break; }
		done
	done < <(list_files)
}

need()
{
	command -v "$1" >/dev/null && return
	echo "tests/lint: $1 is not installed (make deps-check installs it)" >&2
	exit 1
}

# unless_passed MEMORY FILES CONTEXT COMMAND...: runs COMMAND, in several processes, with the files whose
# names are read, except those that it has passed before. Each process gets at most FILES of them. MEMORY
# lists their names with the sums of their contents, and of COMMAND and CONTEXT, which is the text of all
# else that decides. COMMAND exits with 1 if it finds something. A file is remembered if a run with it exits
# with 0, and it is still the same then.
unless_passed()
{
	local memory=$1 files=$2 context folder status=0

	shift 2
	context=$(printf '%s\0' "$@" | sha256sum)
	context=${context%% *}
	shift
	mkdir -p "${memory%/*}"
	touch "$memory"
	folder=$(mktemp -d "$memory.XXXXXX")
	sums() { xargs -r -d '\n' sha256sum -- | sed "s/^/$context /" | sort; }
	sums >"$folder/now"
	sort "$memory" | comm -12 - "$folder/now" >"$folder/memory"
	# shellcheck disable=SC2016 # for the inner shell
	comm -13 "$folder/memory" "$folder/now" | cut -c $((64 + 1 + 64 + 2 + 1))- |
		xargs -r -d '\n' -P "$(nproc)" -n "$files" sh -c 'passed=$1 words=$2; shift 2
			"$@" && shift "$words" && printf "%s\n" "$@" >>"$passed" && exit
			status=$?; [ $status != 1 ] || exit 0
			echo "$1 ended with status $status" >&2; exit 1' - "$folder/passed" $# "$@" || status=1
	if [ -e "$folder/passed" ]; then
		sums <"$folder/passed" | comm -12 - "$folder/now" >>"$folder/memory"
	fi
	mv "$folder/memory" "$memory"
	rm -r "$folder"
	return $status
}

# Prints the C code of the files without comments and without the text in quotes, each line as
# `file:line:code`. #include lines keep their file names.
code_of()
{
	awk '
	FNR == 1 { comment = 0 }
	/^[ \t]*#[ \t]*include/ && !comment { print FILENAME ":" FNR ":" $0; next }
	# Most lines are all code, or all comment.
	!comment && !/["\047]|\/[*\/]/ { print FILENAME ":" FNR ":" $0; next }
	comment && !/[*]\// { print FILENAME ":" FNR ":"; next }
	{
		out = ""
		quote = ""
		for (i = 1; i <= length($0); i++) {
			c = substr($0, i, 1)
			two = substr($0, i, 2)
			if (comment) {
				if (two == "*/") { comment = 0; i++ }
			} else if (quote != "") {
				if (c == "\\") i++
				else if (c == quote) { quote = ""; out = out c }
			} else if (two == "/*") {
				comment = 1
				i++
			} else if (two == "//") {
				break
			} else {
				if (c == "\"" || c == "\047") quote = c
				out = out c
			}
		}
		print FILENAME ":" FNR ":" out
	}' "$@"
}

# Prints the findings, and fails if there are any.
report()
{
	awk '{ print; found = 1 } END { exit found }'
}
