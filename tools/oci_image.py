#!/usr/bin/env python3
"""Writes a folder as an OCI image archive, without any daemon.

The archive is the same bytes for the same folder: times are zero, owners are root.
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import platform
import tarfile

ARCHITECTURES = {'x86_64': 'amd64', 'aarch64': 'arm64'}


def entry(name, size, mode=0o644, kind=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.type = size, mode, kind
    return info


def layer(folder):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.GNU_FORMAT) as tar:
        for parent, folders, files in os.walk(folder):
            folders.sort()
            for name in folders:
                path = os.path.join(parent, name)
                mode = os.stat(path).st_mode & 0o7777
                tar.addfile(entry(os.path.relpath(path, folder), 0, mode, tarfile.DIRTYPE))
            for name in sorted(files):
                path = os.path.join(parent, name)
                if os.path.islink(path):
                    link = entry(os.path.relpath(path, folder), 0, 0o777, tarfile.SYMTYPE)
                    link.linkname = os.readlink(path)
                    tar.addfile(link)
                    continue
                info = entry(os.path.relpath(path, folder), os.path.getsize(path),
                             os.stat(path).st_mode & 0o7777)
                with open(path, 'rb') as content:
                    tar.addfile(info, content)
    return out.getvalue()


class Archive:
    def __init__(self, path):
        self.tar = tarfile.open(path, 'w', format=tarfile.GNU_FORMAT)

    def add(self, name, data):
        self.tar.addfile(entry(name, len(data)), io.BytesIO(data))

    def blob(self, media_type, data):
        """Adds content by its digest; returns its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.add(f'blobs/sha256/{digest}', data)
        return {'mediaType': media_type, 'digest': f'sha256:{digest}', 'size': len(data)}


def to_json(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':')).encode()


def write(folder, path, tag, entrypoint):
    content = layer(folder)
    archive = Archive(path)
    packed = archive.blob('application/vnd.oci.image.layer.v1.tar+gzip',
                          gzip.compress(content, 9, mtime=0))
    config = archive.blob('application/vnd.oci.image.config.v1+json', to_json({
        'architecture': ARCHITECTURES.get(platform.machine(), platform.machine()),
        'os': 'linux',
        'config': {'Entrypoint': [entrypoint], 'User': '65532:65532', 'WorkingDir': '/'},
        'rootfs': {'type': 'layers', 'diff_ids': ['sha256:' + hashlib.sha256(content).hexdigest()]},
    }))
    manifest = archive.blob('application/vnd.oci.image.manifest.v1+json', to_json({
        'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.manifest.v1+json',
        'config': config, 'layers': [packed]}))
    manifest['annotations'] = {'org.opencontainers.image.ref.name': tag}
    archive.add('index.json', to_json({
        'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.index.v1+json',
        'manifests': [manifest]}))
    archive.add('oci-layout', to_json({'imageLayoutVersion': '1.0.0'}))
    archive.tar.close()
    print(f'{path}: {os.path.getsize(path) / 1e6:.1f} MB, {manifest["digest"]}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder')
    parser.add_argument('archive')
    parser.add_argument('tag')
    parser.add_argument('--entrypoint', default='/usr/bin/coppice')
    args = parser.parse_args()
    write(args.folder, args.archive, args.tag, args.entrypoint)
