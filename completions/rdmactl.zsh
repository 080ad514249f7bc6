#compdef rdmactl
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# zsh completion for rdmactl: asks the program itself, so it never needs a change.

_rdmactl()
{
	local -a candidates
	local line word help
	local -a typed=("${(@Q)words[1,CURRENT]}")

	# In an open quotation, zsh keeps the mark apart.
	[[ -z ${compstate[quote]} ]] || typed[CURRENT]=$PREFIX
	typed=("${(@)typed/#\~\//$HOME/}")

	while IFS= read -r line; do
		if [[ $line == :file ]]; then
			# The file name of --root=FILE begins after the =.
			[[ ${words[CURRENT]} != --*=* ]] || compset -P 1 '*='
			_files
			return
		fi
		word=${line%%$'\t'*}
		help=${line#*$'\t'}
		candidates+=("${word//:/\\:}${help:+:$help}")
	done < <("${typed[1]}" __complete -- "${(@)typed[2,-1]}" 2>/dev/null)
	# The value follows the = without a blank.
	if [[ $word == *= ]]; then
		_describe rdmactl candidates -S ''
	else
		_describe rdmactl candidates
	fi
}

if [[ $funcstack[1] == _rdmactl ]]; then
	_rdmactl "$@"
else
	compdef _rdmactl rdmactl
fi
