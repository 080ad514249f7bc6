#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""press_tab.py bash|zsh|fish SETUP LINE...: types each LINE, Tab and Enter into a shell.

The shell runs SETUP first. Copies the shell's output to standard output; the status is 1 if the
shell did not end.
"""

import os
import pty
import select
import sys
import time

START = {
    'bash': ['bash', '--norc', '--noprofile', '-i'],
    'zsh': ['zsh', '-f', '-i'],
    'fish': ['fish', '--no-config', '-i'],
}
PROMPT = {
    'bash': "PS1='rea''dy>'\n",
    'zsh': "PS1='rea''dy>'\n",
    'fish': "function fish_prompt; echo -n 'rea''dy>'; end\n",
}
PATIENCE = 120


def read_until(fd, wanted):
    """All bytes until `wanted` comes, the shell ends or time runs out."""
    text, end = b'', time.monotonic() + PATIENCE
    while wanted not in text and time.monotonic() < end:
        if not select.select([fd], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(fd, 4096)
        except OSError:
            return text
        # fish asks the terminal to identify itself, and waits for the answer.
        if b'\x1b[c' in piece or b'\x1b[0c' in piece:
            os.write(fd, b'\x1b[?62;c')
        text += piece
    return text


def main():
    shell, setup, *lines = sys.argv[1:]
    pid, fd = pty.fork()
    if pid == 0:
        os.environ['TERM'] = 'dumb' if shell != 'fish' else 'xterm'
        os.execvp(START[shell][0], START[shell])
    os.write(fd, (PROMPT[shell] + setup + '\n').encode())
    text = read_until(fd, b'ready>')
    for line in lines:
        # The second Tab on an ambiguous word lists the candidates; Enter then runs the line.
        os.write(fd, line.encode() + b'\t\t\n')
    os.write(fd, b'exit\n')
    text += read_until(fd, b'\0never')
    sys.stdout.buffer.write(text)
    done, end = 0, time.monotonic() + PATIENCE
    while not done and time.monotonic() < end:
        done = os.waitpid(pid, os.WNOHANG)[0]
        time.sleep(0 if done else 0.05)
    if not done:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    return 0 if done else 1


if __name__ == '__main__':
    sys.exit(main())
