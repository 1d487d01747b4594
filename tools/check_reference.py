#!/usr/bin/env python3
"""Checks that docs/reference lists the names that the sources use, and no others.

usage: check_reference.py REPOSITORY

  docs/reference/names.md        labels, annotations, gates and finalizers of src/api, without those of
                                 Kubernetes and of other projects
  docs/reference/conditions.md   condition types, reasons and events
"""
import pathlib
import re
import sys

CONSTANT = re.compile(r'std::string_view (k\w+)\s*=\s*"([^"]+)"')
OURS = re.compile(r'^(\w+\.)*(grove\.io|sim\.coppice\.dev|kai\.scheduler)/|^gpu-|^runai|^run\.ai/reserve|^mps$'
                  r'|^received-resource-type$|^pod-group-name$|^priorityClassName$|^project$|^user$')
# Prefixes, and what is a name only with something after it.
PARTS = {'grove.io/', 'runai-gpu-group/'}
EVENT = re.compile(r'\bEvent\([^;]*?"(?:Normal|Warning)",\s*"(\w+)"', re.S)
CODE = re.compile(r'`([^`]+)`')
CAMEL = re.compile(r'^[A-Z][a-z]+[A-Za-z]*$')


def text(path):
    return path.read_text(encoding='utf-8')


def constants(repository, *files):
    for name in files:
        for found in CONSTANT.findall(text(repository / 'src/api' / name)):
            yield found


def check_names(repository):
    page = text(repository / 'docs/reference/names.md')
    listed = set(CODE.findall(page))
    for _, value in constants(repository, 'labels.h', 'kai/names.h', 'gates.h', 'finalizers.h'):
        if OURS.match(value) and value not in PARTS and value not in listed:
            yield f'docs/reference/names.md does not list {value}'
    known = {value for _, value in constants(repository, 'labels.h', 'kai/names.h', 'gates.h',
                                             'finalizers.h', 'foreign/names.h')}
    for row in re.findall(r'^\| `([^|]*?)` \|', page, re.M):
        for name in row.split('`, `'):
            if name not in known:
                yield f'docs/reference/names.md lists {name}, which src/api does not name'


def sources(repository):
    return '\n'.join(text(path) for path in sorted((repository / 'src').rglob('*'))
                     if path.suffix in ('.h', '.cpp') and '_test' not in path.name)


def check_conditions(repository):
    page = text(repository / 'docs/reference/conditions.md')
    listed = set(CODE.findall(page))
    everything = sources(repository)
    wanted = set(EVENT.findall(everything))
    for folder in ('grove',):
        for path in (repository / 'src/api' / folder).glob('*.h'):
            wanted |= {value for name, value in CONSTANT.findall(text(path))
                       if re.match(r'k(Gang|PodCliqueScheduled|MinAvailable|TopologyLevels|SchedulerTopology)',
                                   name)}
    wanted |= {value for _, value in constants(repository, 'conditions.h') if value != 'Ready'}
    wanted |= {value for _, value in
               CONSTANT.findall(text(repository / 'src/backends/model/translation.h'))}
    for name in sorted(wanted - listed):
        yield f'docs/reference/conditions.md does not list {name}'
    for name in sorted(listed):
        stem = re.sub(r'(Successful|Failed)$', '', name)
        if CAMEL.match(name) and f'"{name}"' not in everything and f'"{stem}"' not in everything:
            yield f'docs/reference/conditions.md lists {name}, which no source names'


def main(repository):
    problems = list(check_names(repository)) + list(check_conditions(repository))
    print('\n'.join(problems) or 'docs/reference lists the names that the sources use')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
