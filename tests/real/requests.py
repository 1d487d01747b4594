#!/usr/bin/env python3
"""Prints what kube-apiserver was asked between two readings of its metrics, per pod.

usage: requests.py BEFORE AFTER PODS
"""
import collections
import re
import sys

LABEL = re.compile(r'(\w+)="([^"]*)"')
COUNTED = 'apiserver_request_total'
TIME = 'apiserver_request_duration_seconds_sum'


def read(path):
    sums = collections.defaultdict(float)
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            name = line.split('{', 1)[0]
            if name not in (COUNTED, TIME):
                continue
            labels = dict(LABEL.findall(line))
            resource = '/'.join(filter(None, (labels['resource'], labels['subresource'])))
            sums[name, labels['verb'], resource] += float(line.rsplit(' ', 1)[1])
    return sums


def main():
    before, after, pods = read(sys.argv[1]), read(sys.argv[2]), int(sys.argv[3])
    changed = {key: after[key] - before[key] for key in after if after[key] != before[key]}
    asked = [(count, verb, resource) for (name, verb, resource), count in changed.items()
             if name == COUNTED]
    for count, verb, resource in sorted(asked, reverse=True):
        if count * 100 < pods:
            continue
        mean = changed.get((TIME, verb, resource), 0) / count * 1000
        print(f'{verb:7} {resource:24} {count / pods:7.3f} per pod, {mean:8.1f} ms each')


if __name__ == '__main__':
    main()
