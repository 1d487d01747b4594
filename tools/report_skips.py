#!/usr/bin/env python3
"""Says which tests of a run did not run, why, and what would run them.

usage: report_skips.py LAST_TEST_LOG

Reads the log that ctest leaves in Testing/Temporary. A test program that cannot run here prints
`skipped: REASON`; a single test uses GTEST_SKIP with its reason. Exit status 1 when any was skipped and
COPPICE_NO_SKIPS is set.
"""
import os
import re
import sys


def skips(log):
    """(test, reason) of each, in the order of the log."""
    found = []
    for part in re.split(r'^-{20,}$', log, flags=re.M):
        found += [('', reason) for reason in re.findall(r'^skipped: (.*)$', part, re.M)]
        found += re.findall(r'^\[  SKIPPED \] (\w[\w./]*) \(', part, re.M) and [
            (name, ' '.join(reason.split())) for reason, name in re.findall(
                r': Skipped\n(.*?)\n\[  SKIPPED \] (\w[\w./]*) \(', part, re.S)]
    return found


def main(path):
    with open(path, encoding='utf-8', errors='replace') as log:
        found = skips(log.read())
    if not found:
        print('Every test ran.')
        return 0
    print(f'{len(found)} did not run:')
    for name, reason in found:
        print(f'  {name}: {reason}' if name else f'  {reason}')
    return 1 if os.environ.get('COPPICE_NO_SKIPS') else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
