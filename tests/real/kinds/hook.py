"""An admission webhook on loopback whose answers the requests themselves carry.

The annotation "answer" of an object is the response of the review, as YAML or JSON; a patch in it
is plain JSON. "review" replaces members of the review itself, "body" the whole answer, "status" is
that of HTTP. Whatever has no such annotation is allowed.
"""
import base64
import http.server
import json
import os
import ssl
import subprocess
import tempfile
import threading


def certificate(folder):
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    names = [os.path.join(folder, name) for name in ('hook.crt', 'hook.key')]
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256',
                    '-nodes', '-days', '2', '-subj', '/CN=hook', '-addext', 'subjectAltName=IP:127.0.0.1',
                    '-out', names[0], '-keyout', names[1]], check=True, capture_output=True)
    return names


def answer(review):
    request = review['request']
    shown = request.get('object') or request.get('oldObject') or {}
    notes = (shown.get('metadata') or {}).get('annotations') or {}
    response = {'uid': request['uid'], 'allowed': True, **json.loads(notes.get('answer', '{}'))}
    if 'patch' in response and not isinstance(response['patch'], str):
        response['patch'] = base64.b64encode(json.dumps(response['patch']).encode()).decode()
    result = {'apiVersion': 'admission.k8s.io/v1', 'kind': 'AdmissionReview', 'response': response}
    result.update(json.loads(notes.get('review', '{}')))
    return int(notes.get('status', 200)), notes.get('body') or json.dumps(result)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        status, text = answer(review)
        self.send_response(status)
        self.send_header('Content-Type', 'application/json' if status == 200 else 'text/plain')
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Hook:
    """Serves until stopped. `url` and `ca` are what a webhook's clientConfig needs."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        crt, key = certificate(self.folder.name)
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(crt, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f'https://127.0.0.1:{self.server.server_address[1]}'
        with open(crt, 'rb') as file:
            self.ca = base64.b64encode(file.read()).decode()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.folder.cleanup()
