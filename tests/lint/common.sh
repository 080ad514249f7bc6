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

# Prints the C code of the files without comments and without the text in quotes, each line as
# `file:line:code`. #include lines keep their file names.
code_of()
{
	awk '
	FNR == 1 { comment = 0 }
	/^[ \t]*#[ \t]*include/ && !comment { print FILENAME ":" FNR ":" $0; next }
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
