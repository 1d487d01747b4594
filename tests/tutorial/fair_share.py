#!/usr/bin/env python3
"""Checks the worked numbers of a document: asks `coppice fairshare-simulator` each question in it.

usage: fair_share.py COPPICE DOCUMENT

A block ```json is a question, and the next one the answer; only what the answer names is compared.
"""
import json
import re
import subprocess
import sys
import urllib.request

BLOCK = re.compile(r'^```json\n(.*?)^```$', re.M | re.S)


def differences(shown, answered):
    for queue, resources in shown.items():
        for resource, amount in resources.items():
            if answered[queue][resource] != amount:
                yield f'{queue} has {answered[queue][resource]} of {resource}, not {amount}'


def main(program, document):
    with open(document, encoding='utf-8') as source:
        blocks = [json.loads(block) for block in BLOCK.findall(source.read())]
    server = subprocess.Popen([program, 'fairshare-simulator', '--port', '0'], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wrong = []
    try:
        url = re.search(r'http://\S+:\d+', server.stdout.readline()).group(0)
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for question, shown in zip(blocks[::2], blocks[1::2]):
            answer = direct.open(url + '/simulate', json.dumps(question).encode(), timeout=10)
            wrong += differences(shown, json.load(answer))
    finally:
        server.terminate()
        server.wait()
    print('\n'.join(wrong) or f'{document}: {len(blocks) // 2} answers are as shown')
    return 1 if wrong or len(blocks) < 2 or len(blocks) % 2 else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
