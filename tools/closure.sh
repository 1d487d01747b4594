#!/usr/bin/env bash
# Copies a program and the libraries it is linked with into a folder that can be a root file system.
# usage: closure.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder"/{usr/bin,tmp,etc/ssl/certs}
chmod 1777 "$folder/tmp"
install -m 755 "$program" "$folder/usr/bin/coppice"
strip "$folder/usr/bin/coppice"

# "libfoo.so => /path (0x…)" and "/lib64/ld-linux… (0x…)".
ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// {print $3} $1 ~ /^\// {print $1}' | sort -u |
  while read -r library; do install -D -m 755 "$(readlink -f "$library")" "$folder$library"; done

if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
  install -m 644 /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
fi
printf 'coppice:x:65532:65532::/:/usr/bin/coppice\n' >"$folder/etc/passwd"
printf 'coppice:x:65532:\n' >"$folder/etc/group"
