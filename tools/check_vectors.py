#!/usr/bin/env python3
"""Runs the recorded cases and compares the failing ones with those known to be open.

usage: check_vectors.py RUNNER OPEN_FILE

Fails when a case fails that is not listed; says which listed ones pass and should be taken off.
"""
import re
import subprocess
import sys


def main(runner, open_file):
    run = subprocess.run([runner], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    print(run.stdout.splitlines()[-1] if run.stdout else 'the runner said nothing')
    failing = set(re.findall(r'^  (\w+/[\w.-]+): ', run.stdout, re.M))
    with open(open_file, encoding='utf-8') as known:
        listed = {line.split('#')[0].strip() for line in known} - {''}
    for case in sorted(failing - listed):
        print(f'fails: {case}')
    for case in sorted(listed - failing):
        print(f'passes now, take it off {open_file}: {case}')
    if not re.search(r'^\d+ passed, \d+ failed', run.stdout.splitlines()[-1] if run.stdout else ''):
        return 1
    return 1 if failing - listed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:3]))
