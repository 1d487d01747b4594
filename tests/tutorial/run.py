#!/usr/bin/env python3
"""Runs the commands of a document and compares what they print with what the document shows.

usage: run.py --coppice PROGRAM [--write] [--stand-in] DOCUMENT…

A block ```sh holds commands, and the block ```text after it what they print. All blocks of a document run in
one temporary folder, each with the variables of those before. `coppice up` runs on a free port until the end of
the document. A cluster needs a moment to do what it was asked, so a block that only reads is run again until
its output is as shown.

What varies is masked: ages, ports, uids, folders, the random part of pod names and the width of columns;
… stands for anything. The log of `coppice up`, on standard error, is left out.

--write puts what commands print into the document where it differs (`./dev docs`). Without kubectl, or with
--stand-in, kubectl.py stands in for it.
"""
import argparse
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = re.compile(r'^```(sh|text)\n(.*?)^```$', re.M | re.S)
READS = re.compile(r'^(kubectl (get|describe|explain) |coppice (?!up\b))')
MASKS = [
    (re.compile(r'\b(\d+[dhms])+\b'), 'AGE'),
    (re.compile(r'127\.0\.0\.1:\d+'), 'ADDRESS'),
    (re.compile(r'\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}\b'), 'UID'),
    (re.compile(r'KUBECONFIG=\S+'), 'KUBECONFIG=FILE'),
    (re.compile(r'-[bcdfghjklmnpqrstvwxz2456789]{5}(?=\s)'), '-POD'),
    (re.compile(r'[├└]─'), '+-'),
    (re.compile(r'(?<=\S) {2,}'), ' '),
    (re.compile(r' +$', re.M), ''),
]
PATIENCE_S = 20


def masked(text):
    """The lines without what varies. Pods of one clique, which have random names, are in no order."""
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    lines = [line for line in text.strip('\n').split('\n')]
    name = lambda line: line.split('POD')[0] if 'POD' in line else line
    return [line for _, same in itertools.groupby(lines, name) for line in sorted(same)]


def pattern_of(line):
    """… in a line stands for anything in it; a line that is only … for any lines."""
    return '(?:.*\n)*' if line == '…' else re.escape(line).replace('…', '.*') + '\n'


def matches(shown, printed):
    lines = [pattern_of(line) for line in masked(shown)]
    return re.fullmatch(''.join(lines), '\n'.join(masked(printed)) + '\n')


def merged(shown, printed):
    """What is printed; lines that were shown already stay as they are, with what … stands for left out."""
    left, out, skips = shown.splitlines(), [], False
    for line in printed.splitlines():
        fits = [each for each in left if each != '…' and matches(each, line)]
        if fits:
            skips = '…' in left[left.index(fits[0]):][1:2]
            out += [fits[0]] + (['…'] if skips else [])
            left.remove(fits[0])
        elif not skips:
            out.append(line)
    return '\n'.join(out).strip('\n') + '\n'


class Machine:
    """A folder, a shell environment that blocks hand on, and the processes of `coppice up`."""

    def __init__(self, program, folder, stand_in):
        self.folder = folder
        tools = folder / '.tools'
        tools.mkdir()
        (tools / 'coppice').symlink_to(pathlib.Path(program).resolve())
        if stand_in or not shutil.which('kubectl'):
            (tools / 'kubectl').symlink_to(HERE / 'kubectl.py')
        for name in ('examples', 'deploy'):
            (folder / name).symlink_to(HERE.parent.parent / name)
        self.variables = folder / '.tools' / 'variables'
        self.environment = {**os.environ, 'PATH': f'{tools}:{os.environ["PATH"]}',
                            'HOME': str(folder)}
        self.environment.pop('KUBECONFIG', None)
        self.servers = []

    def run(self, commands):
        """The output of a block, and its exit code."""
        if commands.startswith('coppice up '):
            return self._start(commands), 0
        script = f'. {self.variables} 2>/dev/null\n{commands}\ncode=$?\nexport -p >{self.variables}\nexit $code'
        done = subprocess.run(['bash', '-c', script], cwd=self.folder, env=self.environment,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=PATIENCE_S * 3, check=False)
        return done.stdout, done.returncode

    def _start(self, commands):
        log = self.folder / '.tools' / f'up{len(self.servers)}'
        command = f'exec {commands.split("#")[0].strip()} --listen 127.0.0.1:0'
        with open(log, 'wb') as output:
            self.servers.append(subprocess.Popen(['bash', '-c', command], cwd=self.folder,
                                                 env=self.environment, stdout=output,
                                                 stderr=subprocess.DEVNULL))
        deadline = time.monotonic() + PATIENCE_S
        while 'Ctrl-C' not in log.read_text():
            if self.servers[-1].poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f'{commands}: {log.read_text()}')
            time.sleep(0.05)
        return log.read_text()

    def stop(self):
        for server in self.servers:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=PATIENCE_S)


def settle(machine, commands, shown, patience=PATIENCE_S):
    """The output once it is as shown, or what it was when patience ended."""
    deadline = time.monotonic() + patience
    printed, code = machine.run(commands)
    while shown is not None and not matches(shown, printed) and READS.match(commands):
        if time.monotonic() > deadline:
            break
        time.sleep(0.2)
        printed, code = machine.run(commands)
    return printed, code


def steady(machine, commands, shown):
    """For --write: the output as shown, or else the one that no longer changes."""
    before, code = settle(machine, commands, shown, 8)
    for _ in range(20):
        if shown is None or matches(shown, before) or not READS.match(commands):
            break
        time.sleep(1.5)
        printed, code = machine.run(commands)
        if masked(printed) == masked(before):
            break
        before = printed
    return before, code


def pairs(text):
    """(commands, the match of what they print or None), in order."""
    blocks = list(BLOCK.finditer(text))
    for index, block in enumerate(blocks):
        if block.group(1) != 'sh':
            continue
        after = blocks[index + 1] if index + 1 < len(blocks) else None
        near = after and after.group(1) == 'text' and not text[block.end():after.start()].strip()
        yield block.group(2), after if near else None


def check(machine, path, write):
    """The differences, as text."""
    text = path.read_text(encoding='utf-8')
    wrong, edits = [], []
    for commands, after in pairs(text):
        shown = after.group(2) if after else None
        printed, code = (steady if write else settle)(machine, commands, shown)
        if shown is not None and not matches(shown, printed):
            wrong.append(f'$ {commands}shown:\n{shown}printed:\n{printed}')
            edits.append((after.start(2), after.end(2), merged(shown, printed)))
        elif shown is None and code != 0:
            wrong.append(f'$ {commands}exit code {code}:\n{printed}')
    if write:
        for start, end, printed in reversed(edits):
            text = text[:start] + printed + text[end:]
        path.write_text(text, encoding='utf-8')
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--coppice', required=True)
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--stand-in', action='store_true')
    parser.add_argument('documents', nargs='+', type=pathlib.Path)
    arguments = parser.parse_args()
    failed = False
    for document in arguments.documents:
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(arguments.coppice, pathlib.Path(folder), arguments.stand_in)
            try:
                wrong = check(machine, document, arguments.write)
            finally:
                machine.stop()
        print('\n'.join(wrong) or f'{document}: every command prints what the document shows')
        failed = failed or bool(wrong) and not arguments.write
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
