"""A cluster that is asked without kubectl's proxy in between, which cleans paths and refuses some."""
import base64
import http.client
import json
import ssl
import subprocess
import tempfile
import threading
import urllib.parse


class Direct:
    """Requests as they are, with an administrator's credentials. Threads have a connection each."""

    def __init__(self, kubectl, kubeconfig):
        config = json.loads(subprocess.check_output(
            kubectl + ['--kubeconfig', kubeconfig, 'config', 'view', '--raw', '-o', 'json']))
        user = config['users'][0]['user']
        self.address = urllib.parse.urlsplit(config['clusters'][0]['cluster']['server']).netloc
        self.credentials = {}
        self.tls = ssl._create_unverified_context()
        if 'token' in user:
            self.credentials['Authorization'] = f'Bearer {user["token"]}'
        else:
            self.present(user['client-certificate-data'], user['client-key-data'])
        self.local = threading.local()

    def present(self, certificate, key):
        with tempfile.NamedTemporaryFile() as file:
            for part in (certificate, key):
                file.write(base64.b64decode(part))
            file.flush()
            self.tls.load_cert_chain(file.name)

    def send(self, method, path, body='', headers=None):
        """Status and text. Of a watch, the status alone."""
        for attempt in range(2):
            connection = getattr(self.local, 'connection', None)
            fresh = connection is None
            if fresh:
                connection = http.client.HTTPSConnection(self.address, timeout=30, context=self.tls)
                self.local.connection = connection
            try:
                return self.exchange(connection, method, path, body, headers)
            except (http.client.HTTPException, OSError):
                self.close()
                if fresh:
                    raise

    def exchange(self, connection, method, path, body, headers):
        connection.request(method, path, body.encode() or None,
                           {'Accept': 'application/json', **self.credentials, **(headers or {})})
        response = connection.getresponse()
        endless = response.getheader('Transfer-Encoding') == 'chunked' and 'watch' in path
        if endless and response.status == 200:
            self.close()
            return 200, ''
        text = response.read().decode(errors='replace')
        if response.will_close:
            self.close()
        return response.status, text

    def close(self):
        self.local.connection.close()
        self.local.connection = None
