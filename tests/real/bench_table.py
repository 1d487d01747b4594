#!/usr/bin/env python3
"""Writes the figures of ./dev bench real into a document.

usage: bench_table.py RESULTS.jsonl DOCUMENT

Each line of the results is {"system", "name", "value", "unit"}. The tables stand between marks in
the document; a table without figures in this run stays as it is.
"""
import json
import re
import sys


def number(value):
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.3g}'


def read(path):
    figures = {}
    with open(path, encoding='utf-8') as results:
        for line in results:
            figure = json.loads(line)
            figures.setdefault(figure['system'], {})[figure['name']] = figure
    return figures


def row(name, theirs, *ours):
    """A row with the factor by which each of ours is better."""
    smaller_is_better = theirs['unit'] in ('s', 'MB', 'writes/pod', 'writes')
    unit = theirs['unit']
    cells = [name, f'{number(theirs["value"])} {unit}']
    for figure in ours:
        if not figure['value'] or not theirs['value']:
            cells.append(f'{number(figure["value"])} {unit}')
            continue
        ratio = figure['value'] / theirs['value']
        if smaller_is_better:
            ratio = 1 / ratio
        cells.append(f'{number(figure["value"])} {unit} ({ratio:.1f}×)')
    return '| ' + ' | '.join(cells) + ' |'


def table(head, names, theirs, *ours):
    if theirs is None or any(each is None for each in ours):
        return None
    lines = ['| ' + ' | '.join(head) + ' |', '|---' * len(head) + '|']
    lines += [row(names.get(name, name), theirs[name], *(each[name] for each in ours))
              for name in theirs if name != 'objects']
    return '\n'.join(lines)


def until_bound(system):
    """Processor time per pod of kube-apiserver, etcd and us until the last pod was bound."""
    parts = [system.get(f'{who} cpu until bound') for who in ('server', 'etcd', 'our')]
    return ' + '.join(number(part['value']) for part in parts if part) + ' ms'


def stack_table(bare, services, direct, gangs):
    if None in (bare, services, direct, gangs):
        return None
    loop = bare['create and bind']['value']
    lines = ['| | pods/s | of the bare loop | CPU per pod until it is bound: kube-apiserver + etcd + '
             'us | writes per pod | CPU of kube-apiserver per pod | our CPU per pod | our memory |',
             '|---|---|---|---|---|---|---|---|',
             f'| bare loop | {number(loop)} | | {until_bound(bare)} | 2 | '
             f'{number(bare["server cpu"]["value"])} ms | | |']
    for name, ours, created in (('our services', services, 1),
                                ('with `--bind-directly`', direct, 1),
                                ('with `--bind-directly`, PodGangs of ten', gangs, 1.1)):
        rate = ours['scheduled']['value']
        lines.append(f'| {name} | {number(rate)} | {rate / loop:.0%} | {until_bound(ours)} | '
                     f'{number(created + ours["writes"]["value"])} | '
                     f'{number(ours["server cpu"]["value"])} ms | {number(ours["cpu"]["value"])} ms | '
                     f'{number(ours["memory"]["value"])} MB |')
    return '\n'.join(lines)


def writes_table(writes):
    if writes is None:
        return None
    pair = writes['create a pod']['value'] + writes['bind the pod']['value']
    lines = ['| write | CPU of kube-apiserver | of create and bind together |', '|---|---|---|']
    lines += [f'| {name} | {figure["value"]:.2g} ms | {figure["value"] / pair:.2g} |'
              for name, figure in writes.items()]
    return '\n'.join(lines)


def replace(document, mark, text):
    pattern = re.compile(f'(<!-- {mark} -->\n).*?(<!-- end -->)', re.DOTALL)
    if not pattern.search(document):
        sys.exit(f'no place marked {mark}')
    return pattern.sub(lambda found: found[1] + text + "\n" + found[2], document)


def main():
    figures = read(sys.argv[1])
    with open(sys.argv[2], encoding='utf-8') as file:
        document = file.read()
    server = table(['work', 'kube-apiserver + etcd', 'embedded'],
                   {'memory': 'memory of the server afterwards'},
                   figures.get('kube-apiserver'), figures.get('embedded'))
    informer = table(['', 'client-go', 'ours, whole pods', 'ours, trimmed'],
                     {'sync': 'time to sync', 'heap': 'heap afterwards', 'peak': 'peak of the process'},
                     figures.get('client-go'), figures.get('informer'),
                     figures.get('informer-trimmed'))
    stack = stack_table(figures.get('bare'), figures.get('services'), figures.get('direct'),
                        figures.get('gangs'))
    operator = table(['a set of replicas × pods', 'on kube-apiserver + etcd', 'on embedded, durable'],
                     {}, figures.get('operator-kube-apiserver'), figures.get('operator-embedded'))
    writes = writes_table(figures.get('writes'))
    for mark, text in (('server', server), ('informer', informer), ('stack', stack),
                       ('writes', writes), ('operator', operator)):
        if text:
            print(text)
            document = replace(document, mark, text)
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.write(document)


if __name__ == '__main__':
    main()
