# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fish completion for rdmactl: asks the program itself, so it never needs a change.

function __rdmactl_complete
    set -l words (string replace -r -- '^~/' "$HOME/" (commandline -opc))
    set -l token (commandline -ct)
    # Without the quotation marks that the shell takes away.
    set -l current (string replace -ra -- '["\'\\\\]' '' $token)
    set -l lines ($words[1] __complete -- $words[2..-1] $current 2>/dev/null)
    if test "$lines[1]" = ":file"
        # The file name of --root=FILE begins after the =.
        set -l option (string match -r -- '^--[^=]+=' $current)
        printf '%s\n' "$option"(complete -C "'' "(string replace -r -- '^--[^=]+=' '' $token))
    else
        printf '%s\n' $lines
    end
end

complete -c rdmactl -f -a '(__rdmactl_complete)'
