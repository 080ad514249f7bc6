# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bash completion for rdmactl: asks the program itself, so it never needs a change.

_rdmactl()
{
	local line words=() candidates=() mark='' kept piece rest=${COMP_LINE:0:COMP_POINT}

	# The words as the shell sees them: not split at = and :, and without quotation marks.
	for piece in "${COMP_WORDS[@]:0:COMP_CWORD}" ''; do
		# The last one ends at the cursor.
		[[ $piece ]] || piece=${rest#"${rest%%[![:space:]]*}"}
		if [[ ${words[0]+set} && $rest != [[:space:]]* ]]; then
			words[-1]+=$piece
		else
			words+=("$piece")
		fi
		rest=${rest#*"$piece"}
	done
	words=("${words[@]//[\"\'\\]/}")
	words=("${words[@]/#\~\//$HOME/}")
	while IFS= read -r line; do
		if [[ $line == :file ]]; then
			compopt -o filenames 2>/dev/null
			# The file name of --root=FILE begins after the =.
			[[ $2 != --*=* ]] || mark=${2%%=*}=
			mapfile -t COMPREPLY < <(compgen -f -P "$mark" -- "${2#"$mark"}")
			return
		fi
		line=${line%%$'\t'*}
		# bash executes what is inserted: rdmactl offers plain words, and anything else is quoted.
		[[ $line != *[!A-Za-z0-9_.,:=@%+/-]* ]] || printf -v line %q "$line"
		candidates+=("$line")
	done < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
	# readline replaces only this part of the word; within quotation marks it does not split.
	kept=${words[-1]%"${2//[\"\'\\]/}"}
	COMPREPLY=("${candidates[@]#"$kept"}")
	[[ ${COMPREPLY[0]-} == *[,=] ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -F _rdmactl rdmactl
