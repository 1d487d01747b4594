#!/usr/bin/env python3
"""Sends the requests of *.txt to two clusters and compares the answers, kind by kind.

usage: run.py --kubectl PROGRAM KUBECONFIG REFERENCE_KUBECONFIG [NAME…]

A file is a list of requests with an empty line between them: "VERB PATH [TYPE] [HEADER=VALUE]…"
and, below, the body as YAML. NS stands for a namespace that the file has for itself, a path that
begins with /NS/ for its part of the core group. Status code, warnings and whole answer must be the
same after masking what two clusters cannot share (uids, times, versions, addresses). Below a
request, a line "~ WORD" lets pass members of that name and complaints that contain it, and a
comment says why; "+ managedFields" compares those too; "@ N" puts a body there of N times the
text; "until N" repeats it until the answer has that status. HOOK_URL and HOOK_CA are those of a
webhook (hook.py) that answers as the objects it is shown ask it to.
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

from hook import Hook

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
        self.verb, self.path, *rest = lines[0].split()
        headers = [word.split('=', 1) for word in rest if '=' in word]
        kind = [word for word in rest if '=' not in word]
        self.headers = {'Accept': 'application/json', 'Content-Type': TYPES[kind[0] if kind else 'yaml']}
        self.headers.update(headers)
        self.passes = self.marked(lines, '~ ')
        self.ownership = 'managedFields' in self.marked(lines, '+ ')
        self.until = int((self.marked(lines, 'until ') or [0])[0])
        self.body = '\n'.join(line for line in lines[1:] if line[:2] not in ('~ ', '+ ', '@ ')
                              and not line.startswith('until '))
        for line in self.marked(lines, '@ '):
            count, text = line.split(' ', 1)
            self.body = self.body.replace('@', text * int(count))
        self.title = lines[0]

    @staticmethod
    def marked(lines, mark):
        return [line[len(mark):].strip() for line in lines[1:] if line.startswith(mark)]


class Cluster:
    """A cluster behind a proxy of kubectl's, which takes care of credentials."""

    def __init__(self, kubectl, kubeconfig):
        self.proxy = subprocess.Popen(kubectl + ['--kubeconfig', kubeconfig, 'proxy', '--port=0'],
                                      stdout=subprocess.PIPE, text=True)
        line = self.proxy.stdout.readline()
        self.address = line.split()[-1]

    def send(self, verb, path, body='', headers=None):
        """Status, text and warnings of the answer."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        headers = dict(headers or {'Accept': 'application/json', 'Content-Type': 'application/yaml'})
        if not body:
            headers.pop('Content-Type')
        connection.request(verb, path, body.encode() if body else None, headers)
        response = connection.getresponse()
        text = response.read().decode(errors='replace')
        connection.close()
        return response.status, text, response.headers.get_all('Warning') or []

    def ask(self, request):
        answer = self.send(request.verb, request.path, request.body, request.headers)
        for _ in range(100):
            if not request.until or answer[0] == request.until:
                break
            time.sleep(0.1)
            answer = self.send(request.verb, request.path, request.body, request.headers)
        return answer

    def make_namespace(self, name):
        self.send('POST', '/api/v1/namespaces',
                  json.dumps({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': name}}))
        for _ in range(100):
            if self.send('GET', f'/api/v1/namespaces/{name}/serviceaccounts/default')[0] == 200:
                return
            time.sleep(0.1)
        sys.exit(f'no default service account in {name}')


def masked(value, hidden, name=''):
    if isinstance(value, dict):
        if 'fieldsV1' in value:
            hidden = ('time', *hidden)  # Of some entries Kubernetes forgets it.
        return {key: masked(item, hidden, key) for key, item in value.items() if key not in hidden}
    if name in MASKED_MEMBERS:
        return '<masked>'
    if isinstance(value, list):
        return [masked(item, hidden) for item in value]
    return masked_text(value) if isinstance(value, str) else value


def masked_text(text):
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def comparable(value):
    """Of a refusal: which fields and why, in no order, each once. Kubernetes shows values as Go
    structs, and repeats what its message is about in the details of some refusals only."""
    if value.get('kind', '').endswith('List'):
        # Kubernetes leaves out what the list says already.
        for item in value.get('items', []):
            item.pop('apiVersion', None)
            item.pop('kind', None)
    if value.get('kind') == 'APIResourceList':
        value['resources'].sort(key=lambda resource: resource['name'])
        for resource in value['resources']:
            resource['verbs'].sort()
    if value.get('kind') != 'Status' or value.get('status') == 'Success':
        return value
    causes = value.pop('details', {}).get('causes')
    if not causes:
        return value
    value['message'] = re.sub(r' is invalid: .*', ' is invalid', value['message'], flags=re.S)
    for cause in causes:
        cause['message'] = GO_VALUE.sub(r'\1 value: <value>', cause['message'])
    lines = {json.dumps({'field': '', **cause}, sort_keys=True) for cause in causes}
    value['causes'] = [json.loads(line) for line in sorted(lines)]
    return value


def without(value, passes):
    if isinstance(value, dict):
        return {key: without(item, passes) for key, item in value.items() if key not in passes}
    if isinstance(value, list):
        return [without(item, passes) for item in value
                if not any(word in json.dumps(item) for word in passes)]
    return value


def answer(result, request):
    """The answer as lines that can be compared."""
    status, text, warnings = result
    hidden = ('storageVersionHash',) + (() if request.ownership else ('managedFields',))
    try:
        value = without(comparable(masked(json.loads(text), hidden)), request.passes)
        text = json.dumps(value, indent=1, sort_keys=True)
    except (ValueError, AttributeError):
        text = masked_text(text)
    return [f'status {status}'] + [masked_text(w) for w in warnings] + text.splitlines()


def requests(path, ns, hook):
    with open(path, encoding='utf-8') as file:
        text = re.sub(r'^#.*\n', '', file.read(), flags=re.M)
    text = re.sub(r'^([A-Z]+) /NS/', rf'\1 /api/v1/namespaces/{ns}/', text, flags=re.M)
    text = text.replace('NS', ns).replace('HOOK_URL', hook.url).replace('HOOK_CA', hook.ca)
    return [Request(block.strip()) for block in text.split('\n\n') if block.strip()]


def difference(request, clusters):
    ours, theirs = [answer(cluster.ask(request), request) for cluster in clusters]
    return '\n'.join(difflib.unified_diff(theirs, ours, 'reference', 'this cluster', lineterm=''))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--kubectl', required=True)
    parser.add_argument('kubeconfigs', nargs=2)
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    kubectl = shlex.split(options.kubectl)
    clusters = [Cluster(kubectl, path) for path in options.kubeconfigs]
    hook = Hook()
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
            for request in requests(path, ns, hook):
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
        hook.stop()
        for cluster in clusters:
            cluster.proxy.terminate()
    print(f'{total - failed} of {total} requests are answered alike')
    sys.exit(1 if failed or not total else 0)


if __name__ == '__main__':
    main()
