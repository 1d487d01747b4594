#!/usr/bin/env python3
"""Runs a script of kubectl commands against clusters and compares what they say.

usage: run.py --kubectl PROGRAM [--old] [--at-least N] KUBECONFIG [REFERENCE_KUBECONFIG]

With one kubeconfig the exit codes are checked against commands.txt. With two, the masked outputs
of the first cluster must also equal those of the second, which is real Kubernetes. --old leaves
out what kubectl 1.20 does not know; --at-least is how many commands must have been run.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# What differs between two clusters, or two moments, without meaning anything.
MASKS = [
    (re.compile(r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'), '<uid>'),
    (re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z'), '<time>'),
    (re.compile(r'(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]+ [+-]\d{4}'), '<time>'),
    (re.compile(r'(?i)("?resourceVersion"?: ?)"?\d+"?'), r'\1<version>'),
    (re.compile(r'\b(\d+[dhms])+\b'), '<age>'),
    (re.compile(r'<(unknown|invalid)>'), '<age>'),
    (re.compile(r'\b10\.\d+\.\d+\.\d+\b'), '<address>'),
    (re.compile(r'https://127\.0\.0\.1:\d+'), '<server>'),
    (re.compile(r'kubectl-[\w-]+'), '<manager>'),
    (re.compile(r'kube-api-access-\w+'), 'kube-api-access-<id>'),
    (re.compile(r'[ \t]+'), ' '),
]


def commands():
    """Triples of flags, command and what the first cluster must say (in parts)."""
    found = []
    with open(os.path.join(HERE, 'commands.txt'), encoding='utf-8') as script:
        for line in script:
            line = line.strip()
            if line.startswith('>'):
                found[-1][2].append(line[1:].strip())
            elif line and not line.startswith('#'):
                flags, command = line.split(':', 1)
                found.append((flags, command.strip(), []))
    return found


def mask(text):
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return '\n'.join(line.rstrip() for line in text.splitlines())


def words(command):
    """Quotes and braces of JSON stay as they are; a backslash joins words."""
    parts = re.split(r'(?<!\\) ', command)
    return [part.replace('\\ ', ' ') for part in parts if part]


def run(program, kubeconfig, command):
    arguments = words(command)[1:]
    # What kubectl remembers of a server must not outlive it: another may listen on its port.
    environment = dict(os.environ, KUBECONFIG=kubeconfig, KUBECTL_EXTERNAL_DIFF='diff -u',
                       HOME=os.path.dirname(os.path.abspath(kubeconfig)))
    try:
        done = subprocess.run(program + ['--namespace=demo'] + arguments, cwd=HERE,
                              env=environment, capture_output=True, text=True, timeout=90,
                              check=False)
    except subprocess.TimeoutExpired:
        return 124, 'timeout'
    return done.returncode, mask(done.stdout + done.stderr)


def problem(flags, said, got, reference):
    for text in said:
        if text not in got[1]:
            return f'does not say "{text}"\n{got[1]}'
    if '?' not in flags and (got[0] != 0) != ('!' in flags):
        return f'exit code {got[0]}\n{got[1]}'
    if reference is None or '~' in flags:
        return None
    if (reference[0] != 0) != (got[0] != 0):
        return f'exit code {got[0]}, the reference has {reference[0]}\n{got[1]}\n{reference[1]}'
    if 'any' in flags:
        got, reference = [(code, '\n'.join(sorted(text.splitlines())))
                          for code, text in (got, reference)]
    if got[1] != reference[1]:
        return '\n'.join(difflib.unified_diff(reference[1].splitlines(), got[1].splitlines(),
                                              'reference', 'this cluster', lineterm=''))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--kubectl', required=True)
    parser.add_argument('--old', action='store_true')
    parser.add_argument('--at-least', type=int, default=1)
    parser.add_argument('kubeconfig')
    parser.add_argument('reference', nargs='?')
    options = parser.parse_args()
    program = shlex.split(options.kubectl)
    clusters = [options.kubeconfig] + ([options.reference] if options.reference else [])
    failed = total = 0
    for flags, command, said in commands():
        if options.old and 'new' in flags:
            continue
        total += 1
        with concurrent.futures.ThreadPoolExecutor(len(clusters)) as pool:
            results = list(pool.map(lambda c: run(program, c, command), clusters))
        wrong = problem(flags, said, results[0], results[1] if len(results) > 1 else None)
        print('FAIL ' if wrong else 'ok   ', command, flush=True)
        if wrong:
            failed += 1
            print('      ' + wrong.replace('\n', '\n      '))
    print(f'{total - failed} of {total} commands pass')
    sys.exit(1 if failed or total < options.at_least else 0)


if __name__ == '__main__':
    main()
