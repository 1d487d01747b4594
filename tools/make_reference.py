#!/usr/bin/env python3
"""Writes the generated pages of docs/reference, or checks that they are current.

usage: make_reference.py COPPICE [--check]

  a page per kind           every field, from `coppice crds -o json`; tools/reference_examples.txt has the
                            examples
  docs/reference/flags.md   every command and flag, from --help

Every field of ours must have a description and an example. A field whose parts have no description is a
type of Kubernetes, and is not described again. `./dev docs` runs this.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / 'docs/reference'
PAGE = '.md'
DEFAULT = re.compile(r' ?Default: (.*?)\.$')
# What the schema calls a string.
UNITS = [(re.compile(r', as a duration|, as durations'), 'duration'),
         (re.compile(r', in seconds'), 'seconds')]
UNIT = re.compile(r', in (\w+)')  # Of the numbers below.
COMPONENTS = ['operator', 'admission', 'grouper', 'podgroups', 'queues', 'scheduler', 'binder',
              'scaleadjuster', 'numaexporter', 'platform']


def examples():
    """{the end of a path: value}, as text."""
    found = {}
    for line in (ROOT / 'tools/reference_examples.txt').read_text().splitlines():
        if line and not line.startswith('#'):
            path, _, value = line.partition(': ')
            found[path] = value.strip()
    return found


EXAMPLES = examples()
USED = set()


def example_of(path):
    """Of the longest end of the path that has one."""
    parts = path.split('.')
    for start in range(len(parts)):
        end = '.'.join(parts[start:])
        if end in EXAMPLES:
            USED.add(end)
            return EXAMPLES[end]
    return None


def is_ours(schema):
    """Whether its parts are described; those of Kubernetes' types are not."""
    return any('description' in part for part in schema.get('properties', {}).values())


def type_of(schema):
    text = schema.get('description', '')
    for pattern, unit in UNITS:
        if pattern.search(text):
            return unit
    if schema.get('format') == 'date-time':
        return 'time'
    if schema.get('x-kubernetes-int-or-string'):
        return 'quantity'
    kind = schema.get('type', 'any')
    if kind == 'array':
        return f'list of {type_of(schema["items"])}'
    if kind == 'object' and isinstance(schema.get('additionalProperties'), dict):
        return f'map of {type_of(schema["additionalProperties"])}'
    return kind


def bounds(schema):
    parts = []
    if 'enum' in schema:
        parts.append('One of ' + ', '.join(f'`{each}`' for each in schema['enum']) + '.')
    low, high = schema.get('minimum'), schema.get('maximum')
    if low is not None and high is not None:
        parts.append(f'{low:g} to {high:g}.')
    elif low is not None:
        parts.append(f'At least {low:g}.')
    return ' '.join(parts)


def fits(schema, example):
    """Whether the schema accepts the example, as far as it is a scalar."""
    text = example.strip('"')
    if 'enum' in schema:
        return text in schema['enum']
    kind = schema.get('type')
    if kind == 'integer':
        return re.fullmatch(r'-?\d+', text) is not None
    if kind == 'number':
        return re.fullmatch(r'-?\d+(\.\d+)?', text) is not None
    if kind == 'boolean':
        return text in ('true', 'false')
    if kind in ('array', 'object'):
        return text[0] == ('[' if kind == 'array' else '{')
    return re.search(schema.get('pattern', ''), text) is not None


def rows(schema, path, unit=''):
    """(path, schema, type, default, example, meaning, whether nothing is below) of everything below."""
    for name, part in sorted(schema.get('properties', {}).items()):
        yield from row(f'{path}.{name}', part, name in schema.get('required', []),
                       unit if name in ('quota', 'limit') else '')


def row(path, schema, required, unit):
    about = schema.get('description', '')
    inner = schema.get('items', schema.get('additionalProperties', schema))
    inner = inner if isinstance(inner, dict) else schema
    about = about or (inner.get('description', '') if inner is not schema else '')
    default = DEFAULT.search(about)
    about = DEFAULT.sub('', about)
    shown = default.group(1) if default else ''
    if not default and 'default' in schema:
        shown = str(schema['default']) if schema.get('type') != 'boolean' else str(schema['default']).lower()
    leaf = not is_ours(inner)
    meaning = ' '.join(filter(None, [about, bounds(schema), 'Required.' if required else '']))
    kind = type_of(schema) + (f', in {unit}' if unit else '')
    yield path, schema, kind, shown, example_of(path) if leaf else '', meaning, leaf
    if not leaf:
        step = path if inner is schema else path + ('[]' if 'items' in schema else '.*')
        of = UNIT.search(about)
        yield from rows(inner, step, of.group(1) if of else '')


def kind_page(crd):
    names, version = crd['spec']['names'], crd['spec']['versions'][0]
    schema = version['schema']['openAPIV3Schema']
    kind, group = names['kind'], crd['spec']['group']
    short = ', '.join(f'`{each}`' for each in names.get('shortNames', []))
    scope = 'namespaced' if crd['spec']['scope'] == 'Namespaced' else 'cluster-wide'
    lines = [f'# {kind}', '', f'{schema["description"]} `{group}/{version["name"]}`, {scope}'
             + (f'; short name {short}.' if short else '.'), '',
             f'`./dev docs` generates this page from the types. `kubectl explain {names["plural"]}.spec` '
             'shows the same text.', '']
    problems = []
    for part in ('spec', 'status'):
        if part not in schema['properties']:
            continue
        top = schema['properties'][part]
        lines += [f'## {part}', '', top.get('description', ''), '',
                  '| field | type | default | example | meaning |', '|---|---|---|---|---|']
        for path, field_schema, kind_of, default, example, meaning, leaf in rows(top, f'{kind}.{part}'):
            field = path.split('.', 2)[2]
            if not meaning:
                problems.append(f'{path} has no description')
            if leaf and example is None:
                problems.append(f'{path} has no example in tools/reference_examples.txt')
            if example and not fits(field_schema, example):
                problems.append(f'{path} cannot be {example}')
            cells = [f'`{field}`', kind_of, f'`{default}`' if default else '',
                     f'`{example}`' if example else '', meaning]
            lines.append('| ' + ' | '.join(cell.replace('|', '\\|') for cell in cells) + ' |')
        lines.append('')
    return '\n'.join(lines).rstrip() + '\n', problems


def help_of(coppice, words):
    return subprocess.run([coppice, *words, '--help'], capture_output=True, text=True,
                          check=True).stdout


def flags_page(coppice):
    top = help_of(coppice, [])
    commands = re.findall(r'^  ([a-z][a-z-]+)(?: {2,}|\n)', top.split('Subcommands:')[1], re.M)
    lines = ['# Commands and flags', '',
             'The output of `--help` of every command, and the flags of every component that `coppice run` '
             'starts. `coppice up` takes the components\' flags, too. `./dev docs` generates this page.', '',
             '```', top.strip(), '```', '']
    for command in commands:
        lines += [f'## coppice {command}', '', '```', help_of(coppice, [command]).strip(), '```', '']
    for component in COMPONENTS:
        own = help_of(coppice, ['run', component]).partition(f'Flags of {component}:')[2]
        if own:
            lines += [f'## coppice run {component}', '', '```', own.strip('\n').rstrip(), '```', '']
    return '\n'.join(lines).rstrip() + '\n'


def pages(coppice):
    crds = json.loads(subprocess.run([coppice, 'crds', '-o', 'json'], capture_output=True, text=True,
                                     check=True).stdout)
    made, problems = {}, []
    for crd in crds:
        page, wrong = kind_page(crd)
        made[crd['spec']['names']['kind'].lower() + PAGE] = page
        problems += wrong
    problems += [f'tools/reference_examples.txt: {unused} is no field' for unused in
                 sorted(set(EXAMPLES) - USED)]
    made['flags' + PAGE] = flags_page(coppice)
    return made, problems


def main(coppice, check):
    made, problems = pages(coppice)
    for name, text in made.items():
        path = PAGES / name
        if check and (not path.exists() or path.read_text() != text):
            problems.append(f'docs/reference/{name} is not current: run ./dev docs')
        if not check:
            PAGES.mkdir(exist_ok=True)
            path.write_text(text)
    print('\n'.join(problems) or f'{len(made)} pages of docs/reference are current')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], '--check' in sys.argv))
