#!/usr/bin/env bash
# Writes the image, unpacks it as a registry client would, and runs the program in it.
# usage: image_test.sh PROGRAM
set -euo pipefail
program=$(readlink -f "$1")
cd "$(dirname "$(readlink -f "$0")")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools/closure.sh "$program" "$work/root"
python3 tools/oci_image.py "$work/root" "$work/coppice.oci.tar" test
mkdir "$work/oci" "$work/unpacked"
tar -xf "$work/coppice.oci.tar" -C "$work/oci"

digest() { python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval("d"+sys.argv[2]).split(":")[1])' "$@"; }
manifest=$work/oci/blobs/sha256/$(digest "$work/oci/index.json" '["manifests"][0]["digest"]')
layer=$work/oci/blobs/sha256/$(digest "$manifest" '["layers"][0]["digest"]')
[ "$(sha256sum "$layer" | cut -d' ' -f1)" = "$(basename "$layer")" ]
tar -xzf "$layer" -C "$work/unpacked"

if [ "$(id -u)" -ne 0 ]; then
  echo "skipped: image: running the image needs root for chroot; run sudo ./dev test image"
  exit 77
fi
chroot --userspec=65532:65532 "$work/unpacked" /usr/bin/coppice version
chroot --userspec=65532:65532 "$work/unpacked" /usr/bin/coppice demo --exit >/dev/null
echo "the program runs in its image"
