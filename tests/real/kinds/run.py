#!/usr/bin/env python3
"""Sends the requests of *.txt to two clusters and compares the answers, kind by kind.

usage: run.py --kubectl PROGRAM KUBECONFIG REFERENCE_KUBECONFIG [NAME…]

A file is a list of requests with an empty line between them: "VERB PATH [TYPE]" and, below, the body
as YAML. NS stands for a namespace that the file has for itself, a path that begins with /NS/ for its part of the core group.
Status code and whole answer must be the same after masking what two clusters cannot share (uids,
times, versions, addresses). A line "~ WORD" below a request lets pass members of that name and
complaints that contain it; a comment says why.
"""
import argparse
import difflib
import glob
import http.client
import json
import os
import re
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {'json': 'application/json-patch+json', 'merge': 'application/merge-patch+json',
         'strategic': 'application/strategic-merge-patch+json',
         'apply': 'application/apply-patch+yaml', 'yaml': 'application/yaml'}
MASKED_MEMBERS = {'uid', 'resourceVersion', 'clusterIP', 'clusterIPs', 'nodePort',
                  'creationTimestamp', 'deletionTimestamp', 'healthCheckNodePort', 'token'}
MASKS = [
    (re.compile(r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'), '<uid>'),
    (re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z'), '<time>'),
    (re.compile(r'kube-api-access-\w+'), 'kube-api-access-<id>'),
    # How Go's structs differ, which Kubernetes appends to some refusals.
    (re.compile(r'\n(@@ .*)?$', re.S), ''),
]


GO_VALUE = re.compile(r'(Invalid|Unsupported|Duplicate) value: ([{\[].*[}\]]|"\{`.*`\}")', re.S)


class Request:
    def __init__(self, block):
        lines = block.splitlines()
        self.verb, self.path, *kind = lines[0].split()
        self.passes = [line[1:].strip() for line in lines[1:] if line.startswith('~')]
        self.body = '\n'.join(line for line in lines[1:] if not line.startswith('~'))
        self.type = TYPES[kind[0] if kind else 'yaml']
        self.title = f'{self.verb} {self.path}'


class Cluster:
    """A cluster behind a proxy of kubectl's, which takes care of credentials."""

    def __init__(self, kubectl, kubeconfig):
        self.proxy = subprocess.Popen(kubectl + ['--kubeconfig', kubeconfig, 'proxy', '--port=0'],
                                      stdout=subprocess.PIPE, text=True)
        line = self.proxy.stdout.readline()
        self.address = line.split()[-1]

    def send(self, verb, path, body='', kind='application/yaml'):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        headers = {'Accept': 'application/json'}
        if body:
            headers['Content-Type'] = kind
        connection.request(verb, path, body.encode() if body else None, headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def make_namespace(self, name):
        self.send('POST', '/api/v1/namespaces',
                  json.dumps({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': name}}))
        for _ in range(100):
            status, _ = self.send('GET', f'/api/v1/namespaces/{name}/serviceaccounts/default')
            if status == 200:
                return
            time.sleep(0.1)
        sys.exit(f'no default service account in {name}')


def masked(value, name=''):
    if isinstance(value, dict):
        return {key: masked(item, key) for key, item in value.items() if key != 'managedFields'}
    if name in MASKED_MEMBERS:
        return '<masked>'
    if isinstance(value, list):
        return [masked(item) for item in value]
    if isinstance(value, str):
        for pattern, replacement in MASKS:
            value = pattern.sub(replacement, value)
    return value


def comparable(value):
    """Of a refusal: which fields and why, in no order. Kubernetes shows values as Go structs."""
    causes = value.get('details', {}).get('causes') if value.get('kind') == 'Status' else None
    if causes:
        value['message'] = re.sub(r' is invalid: .*', ' is invalid', value['message'], flags=re.S)
        for cause in causes:
            cause['message'] = GO_VALUE.sub(r'\1 value: <value>', cause['message'])
        causes.sort(key=lambda cause: (cause['field'], cause['message']))
    return value


def without(value, passes):
    if isinstance(value, dict):
        return {key: without(item, passes) for key, item in value.items() if key not in passes}
    if isinstance(value, list):
        return [without(item, passes) for item in value
                if not any(word in json.dumps(item) for word in passes)]
    return value


def answer(result, passes=()):
    """The answer as lines that can be compared."""
    status, text = result
    try:
        value = without(comparable(masked(json.loads(text))), passes)
        text = json.dumps(value, indent=1, sort_keys=True)
    except ValueError:
        pass
    return [f'status {status}'] + text.splitlines()


def requests(path, ns):
    with open(path, encoding='utf-8') as file:
        text = re.sub(r'^#.*\n', '', file.read(), flags=re.M)
    text = re.sub(r'^([A-Z]+) /NS/', rf'\1 /api/v1/namespaces/{ns}/', text, flags=re.M)
    text = text.replace('NS', ns)
    return [Request(block.strip()) for block in text.split('\n\n') if block.strip()]


def difference(request, clusters):
    ours, theirs = [answer(cluster.send(request.verb, request.path, request.body, request.type),
                           request.passes) for cluster in clusters]
    return '\n'.join(difflib.unified_diff(theirs, ours, 'reference', 'this cluster', lineterm=''))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--kubectl', required=True)
    parser.add_argument('kubeconfigs', nargs=2)
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    kubectl = shlex.split(options.kubectl)
    clusters = [Cluster(kubectl, path) for path in options.kubeconfigs]
    total = failed = 0
    try:
        for path in sorted(glob.glob(os.path.join(HERE, '*.txt'))):
            name = os.path.basename(path)[:-4]
            if options.names and name not in options.names:
                continue
            ns = f'{name.replace("_", "-")}-{int(time.time())}'
            for cluster in clusters:
                cluster.make_namespace(ns)
            wrong = 0
            for request in requests(path, ns):
                total += 1
                found = difference(request, clusters)
                if found:
                    wrong += 1
                    print(f'FAIL  {request.title}\n{request.body}\n{found}')
            failed += wrong
            print(f'{"FAIL " if wrong else "ok   "} {name}', flush=True)
            for cluster in clusters:
                cluster.send('DELETE', f'/api/v1/namespaces/{ns}')
    finally:
        for cluster in clusters:
            cluster.proxy.terminate()
    print(f'{total - failed} of {total} requests are answered alike')
    sys.exit(1 if failed or not total else 0)


if __name__ == '__main__':
    main()
