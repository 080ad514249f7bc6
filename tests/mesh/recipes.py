# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The commands for rdmactl mesh that README.md, the manual and contrib/ give newcomers, as text for
a shell. They run as printed, except for what depends on the site: the number of hosts, their
names, and that Open MPI sees one host here, not four. `rdmactl` is a script that adds what a
rehearsal needs."""

import os
import re
import shlex

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SITE = (
    (r'--hosts (64|500|32)\b', '--hosts 4'),
    (r'node\[01-32\]', 'n[1-4]'),
    (r'ppr:1:node', 'ppr:4:node:oversubscribe'),
)
CONTRIB = (
    ('contrib/clustershell', '{top}/contrib/clustershell/rdmactl-mesh @compute'),
    ('contrib/ssh', "{top}/contrib/ssh/rdmactl-mesh 'n1 n2 n3 n4'"),
    ('contrib/slurm', 'sbatch -Q --wait -N4 -o {folder}/preflight {top}/contrib/slurm/preflight.sbatch;'
                      ' status=$?; cat {folder}/preflight; exit $status'),
)
PROGRAM = """#!/bin/sh
[ "$1" = mesh ] || exec {rdmactl} "$@"
what=$2
shift 2
exec {rdmactl} -j mesh "$what" --rehearse {rehearsal} --wait 30s "$@"
"""
GROUPS = """[Main]
default: site
[site]
map: echo n[1-4]
all: echo n[1-4]
list: echo compute
"""


def read(path):
    with open(os.path.join(TOP, path)) as file:
        return file.read()


def printed():
    """[(where, command)] of README.md and the manual."""
    found = [('README', line) for line in read('README.md').splitlines()
             if line.startswith('rdmactl mesh run ')]
    section = re.search(r'(?s)^\.Sh LAUNCHERS\n(.*?)^\.Sh', read('man/rdmactl-mesh.1'), re.M)[1]
    for lines in re.findall(r'(?m)((?:^\.Dl .*\n)+)', section):
        text = lines.replace('.Dl ', '').replace(r'\-', '-').replace(r'\e', '\\')
        found.append(('manual', text.rstrip()))
    return found


def all_of_them(folder):
    """[(name, text for a shell)]"""
    found = []
    for where, command in printed():
        text = command
        for pattern, here in SITE:
            text = re.sub(pattern, here, text)
        if ' srun ' in text or '\nsrun ' in text:
            text = 'salloc -Q -N4 sh -c ' + shlex.quote(text)
        found.append(('%s: %s' % (where, ' '.join(command.splitlines())), text))
    return found + [(name, text.format(top=TOP, folder=folder)) for name, text in CONTRIB]


def prepare(folder, rdmactl, rehearsal):
    """Puts what recipes expect into a folder on the path; returns the environment."""
    for name, text in (('rdmactl', PROGRAM.format(rdmactl=rdmactl, rehearsal=rehearsal)),
                       ('groups.conf', GROUPS)):
        with open(os.path.join(folder, name), 'w') as file:
            file.write(text)
    os.chmod(folder + '/rdmactl', 0o755)
    return dict(CLUSTERSHELL_CFGDIR=folder, HOME=folder, OMPI_ALLOW_RUN_AS_ROOT='1',
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
