#!/usr/bin/env bash
# ./dev and its packages, with the machine's package tools and user replaced: what is missing is
# installed by root and named to anybody else; what is there is left alone.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
export CALLS=$tools/calls MISSING= USER_ID=1000

tool() { # NAME SCRIPT
  printf '#!/bin/sh\n%s\n' "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}
# shellcheck disable=SC2016
tool dpkg-query 'for name; do :; done
case " $MISSING " in *" $name "*) exit 1 ;; esac
echo "install ok installed"'
# shellcheck disable=SC2016
tool id 'echo "$USER_ID"'
# shellcheck disable=SC2016
tool apt-get 'echo "apt-get $*" >>"$CALLS"'

check() { # WHAT EXPECTED GOT
  [ "$2" = "$3" ] && return
  echo "FAIL: $1: expected '$2', got '$3'" >&2
  exit 1
}
run_dev() { # sets said, code, calls
  : >"$CALLS"
  code=0
  said=$(PATH=$tools:$PATH ./dev install 2>&1) || code=$?
  calls=$(cat "$CALLS")
}

run_dev
check 'with every package, as anybody' "0||" "$code|$said|$calls"

MISSING='libre2-dev mold'
run_dev
check 'without root nothing is installed' '' "$calls"
check 'and the exit code says so' 1 "$code"
check 'the one command is printed' \
  '  sudo apt-get install -y --no-install-recommends mold libre2-dev' "$(tail -1 <<<"$said")"

USER_ID=0
run_dev
check 'root installs it' 0 "$code"
check 'and only what is missing' \
  'apt-get install -y -qq --no-install-recommends mold libre2-dev' "$(tail -1 <<<"$calls")"

MISSING=
run_dev
check 'with every package, as root: no network' "0||" "$code|$said|$calls"
echo "ok"
