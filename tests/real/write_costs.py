#!/usr/bin/env python3
"""Prints what each write in the life of a pod costs kube-apiserver, in milliseconds of its processor.

usage: write_costs.py PORT PID TOKEN COUNT

So many of each are made over 16 connections, in a namespace of their own.
"""
import concurrent.futures
import http.client
import json
import os
import ssl
import sys
import threading

CONNECTIONS = 16
NOW = '2026-01-01T00:00:00Z'
QUEUE = {'kai.scheduler/queue': 'lender'}
NS = f'costs-{os.getpid()}'
PODS = f'/api/v1/namespaces/{NS}/pods'
EVENTS = f'/api/v1/namespaces/{NS}/events'
GROUPS = f'/apis/scheduling.run.ai/v2alpha2/namespaces/{NS}/podgroups'
REQUESTS = f'/apis/scheduling.run.ai/v1alpha2/namespaces/{NS}/bindrequests'


class Server:
    def __init__(self, port, pid, token):
        self.port, self.pid, self.token = port, pid, token
        self.threads = threading.local()
        self.tls = ssl._create_unverified_context()

    def connection(self):
        if not hasattr(self.threads, 'connection'):
            self.threads.connection = http.client.HTTPSConnection('127.0.0.1', self.port,
                                                                  context=self.tls)
        return self.threads.connection

    def send(self, method, path, body, kind='json'):
        headers = {'Authorization': f'Bearer {self.token}', 'Content-Type': f'application/{kind}'}
        connection = self.connection()
        connection.request(method, path, json.dumps(body), headers)
        response = connection.getresponse()
        text = response.read()
        if response.status >= 300:
            raise RuntimeError(f'{method} {path}: {response.status} {text[:300]}')

    def create(self, path, kind, version, name, **fields):
        metadata = {'name': name, **fields.pop('metadata', {})}
        self.send('POST', path, {'apiVersion': version, 'kind': kind, 'metadata': metadata, **fields})

    def merge(self, path, patch):
        self.send('PATCH', path, patch, 'merge-patch+json')

    def processor_ms(self):
        with open(f'/proc/{self.pid}/stat', encoding='utf-8') as stat:
            fields = stat.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf('SC_CLK_TCK')


def writes(server):
    """By name, in the order in which they happen to a pod: a function of its number."""
    container = {'name': 'main', 'image': 'i', 'resources': {'limits': {'nvidia.com/gpu': '1'}}}
    gpu = {'nvidia.com/gpu': '1'}
    bound = {'type': 'PodBound', 'status': 'True', 'reason': 'Bound', 'lastTransitionTime': NOW}
    scheduled = {**bound, 'type': 'Scheduled', 'message': 'm', 'transitionID': '1'}
    return {
        'create a pod': lambda i: server.create(
            PODS, 'Pod', 'v1', f'p{i}', metadata={'labels': QUEUE},
            spec={'schedulerName': 'nobody', 'containers': [container]}),
        'create its PodGroup': lambda i: server.create(
            GROUPS, 'PodGroup', 'scheduling.run.ai/v2alpha2', f'g{i}', metadata={'labels': QUEUE},
            spec={'minMember': 1, 'queue': 'lender', 'priorityClassName': 'train'}),
        'annotate the pod': lambda i: server.merge(
            f'{PODS}/p{i}', {'metadata': {'annotations': {'pod-group-name': f'g{i}'}}}),
        'create a BindRequest': lambda i: server.create(
            REQUESTS, 'BindRequest', 'scheduling.run.ai/v1alpha2', f'p{i}',
            metadata={'labels': {'selected-node': 'n'}},
            spec={'podName': f'p{i}', 'selectedNode': 'n', 'receivedResourceType': 'Regular',
                  'receivedGPU': {'count': 1, 'portion': '1.00'}}),
        'bind the pod': lambda i: server.create(
            f'{PODS}/p{i}/binding', 'Binding', 'v1', f'p{i}',
            target={'apiVersion': 'v1', 'kind': 'Node', 'name': 'n'}),
        'BindRequest status': lambda i: server.merge(
            f'{REQUESTS}/p{i}/status', {'status': {'phase': 'Succeeded'}}),
        'pod condition': lambda i: server.send(
            'PATCH', f'{PODS}/p{i}/status', {'status': {'conditions': [bound]}},
            'strategic-merge-patch+json'),
        'annotate the PodGroup': lambda i: server.merge(
            f'{GROUPS}/g{i}',
            {'metadata': {'annotations': {'kai.scheduler/last-start-timestamp': NOW}}}),
        'PodGroup status': lambda i: server.merge(
            f'{GROUPS}/g{i}/status',
            {'status': {'phase': 'Running', 'conditions': [scheduled],
                        'resourcesStatus': {'requested': gpu, 'allocated': gpu}}}),
        'an event': lambda i: server.create(
            EVENTS, 'Event', 'v1', f'e{i}', reason='Scheduled', message='m', type='Normal', count=1,
            involvedObject={'kind': 'Pod', 'namespace': NS, 'name': f'p{i}'},
            source={'component': 'c'}, firstTimestamp=NOW, lastTimestamp=NOW),
    }


def main():
    server = Server(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    count = int(sys.argv[4])
    server.create('/api/v1/namespaces', 'Namespace', 'v1', NS)
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        for name, write in writes(server).items():
            before = server.processor_ms()
            list(pool.map(write, range(count)))
            value = (server.processor_ms() - before) / count
            print(json.dumps({'name': name, 'value': round(value, 3), 'unit': 'ms'}))


if __name__ == '__main__':
    main()
