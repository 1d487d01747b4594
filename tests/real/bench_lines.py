#!/usr/bin/env python3
"""Prints the figures of a Google Benchmark JSON file as lines of {"name", "value", "unit"}.

usage: bench_lines.py RESULTS.json
"""
import json
import sys

# What is worth comparing between servers, with its unit.
UNITS = {
    'created_s': 's',
    'ungated_s': 's',
    'ready_s': 's',
    'created_per_s': 'pods/s',
    'bare_loop_per_s': 'pods/s',
    'four_bare_loops_per_s': 'pods/s',
    'of_bare_loop': 'of the bare loop',
    'other_writes_meanwhile': 'writes/pod',
    'writes_per_pod_beyond_creation': 'writes/pod',
    'noop_writes': 'writes',
    'cpu_s_per_1000_pods': 's',
    'mb_per_1000_pods': 'MB',
}


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        runs = json.load(file)['benchmarks']
    for run in runs:
        # OneSet/500/2/iterations:1/manual_time → 500 × 2
        shape = ' × '.join(run['name'].split('/iterations')[0].split('/')[1:])
        if run.get('error_occurred'):
            sys.exit(f'{run["name"]}: {run["error_message"]}')
        for name, unit in UNITS.items():
            if name in run:
                print(json.dumps({'name': f'{shape}: {name}', 'value': run[name], 'unit': unit}))


if __name__ == '__main__':
    main()
