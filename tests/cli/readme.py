#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the examples of a README: readme.py show|words FILE ROOTS.

An example is a block after a comment: <!-- test: root=FIXTURE status=N -->. "show" prints the file
with the current output of the commands. "words" lists every command with its options that the file
names, in examples and in `code`, one per line: rdmactl COMMAND --OPTION...
"""
import os
import re
import subprocess
import sys


def run(command, words, roots):
    settings = dict(word.split("=") for word in words.split())
    environment = dict(os.environ)
    if "root" in settings:
        environment["RDMACTL_ROOT"] = os.path.join(roots, settings["root"])
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment, check=False)
    if done.returncode != int(settings.get("status", 0)):
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout.decode()}")
    return done.stdout.decode().splitlines()


def show(lines, roots):
    test = inside = None
    running = False
    for line in lines:
        if line.startswith("```"):
            inside, running = not inside, False
            test = test if inside else None
        elif match := re.fullmatch(r"<!-- test: (.*) -->", line):
            test = match[1]
        if running and not line.startswith("$ "):
            continue
        print(line)
        if inside and test and line.startswith("$ "):
            print(*run(line[2:], test, roots), sep="\n")
            running = True


def words(lines):
    inside = False
    for line in lines:
        if line.startswith("```"):
            inside = not inside
        spans = [line[2:]] if inside and line.startswith(("$ ", "# ")) else re.findall(r"`([^`]*)`", line)
        command = None
        for span in [] if inside and len(spans) != 1 else spans:
            names = span.split()
            if names[:1] == ["rdmactl"] and len(names) > 1 and names[1].islower():
                command = names[1]
                yield " ".join(["rdmactl", command] + [name for name in names[2:] if name.startswith("--")])
            elif command and span.startswith("--"):
                yield f"rdmactl {command} {names[0]}"


mode, path, roots_dir = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    text = file.read().splitlines()
if mode == "show":
    show(text, roots_dir)
else:
    print(*words(text), sep="\n")
