#!/usr/bin/env python3
"""Counts the instructions of small engine benchmarks and compares them with the recorded counts.

usage: check_instructions.py BENCHMARK_BINARY FILE [--write]

FILE has one line per benchmark: its name and the instructions of one cycle, as callgrind counts
them. Fails if a count exceeds 130 % of the recorded one. Counts do not depend on the load of the
machine, so a slower algorithm shows and a slower machine does not. --write replaces FILE.
Exits with 77 (skipped) without valgrind.
"""
import re
import shutil
import subprocess
import sys

BAND = 1.3
SKIPPED = 77
# Only what a cycle does; feeding the cluster is not counted.
COUNTED = 'coppice::engine::Engine::RunCycle*'


def count(binary, name):
    command = ['valgrind', '--tool=callgrind', f'--toggle-collect={COUNTED}',
               '--callgrind-out-file=/dev/null', binary, f'--benchmark_filter=^{name}$']
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r'Collected : (\d+)', run.stderr)
    iterations = re.search(r'iterations:(\d+)', name)
    return int(found[1]) // int(iterations[1])


def main(binary, path, write):
    if not shutil.which('valgrind'):
        print('skipped: engine_instructions: needs valgrind; install it, then run ./dev test engine_instructions')
        return SKIPPED
    with open(path, encoding='utf-8') as lines:
        known = [line.split() for line in lines if line.strip() and not line.startswith('#')]
    failed, rows = False, []
    for name, before in known:
        now = count(binary, name)
        rows.append(f'{name} {now}\n')
        worse = now > int(before) * BAND
        failed |= worse
        print(f'{name}: {now} instructions, {now / max(int(before), 1):.2f} of {before}'
              f'{", too many" if worse else ""}')
    if write:
        with open(path, 'w', encoding='utf-8') as out:
            out.write('# Written by tools/check_instructions.py --write (release build).\n')
            out.writelines(rows)
    return 1 if failed and not write else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2], '--write' in sys.argv))
