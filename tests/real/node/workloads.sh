# What must work on a real node, whichever API server it belongs to; sourced. Needs a function kubectl,
# steps.sh and machine.sh.

# SELECTOR JSONPATH: a field of each pod, sorted, in one line.
of_pods() { kubectl get pods -l "$1" -o "jsonpath={range .items[*]}{$2}{\"\n\"}{end}" | sort | xargs; }
phases() { of_pods "$1" .status.phase; }
# SELECTOR CONTAINER: what the containers of pods have logged, from the files that the kubelet keeps.
logs_of() {
  local uid
  for uid in $(of_pods "$1" .metadata.uid); do
    find /var/log/pods -path "*_$uid/$2/*.log" -exec cat {} +
  done
}
says() { logs_of "$1" "$2" | grep -- "$3"; } # SELECTOR CONTAINER TEXT
all_ready() { # SELECTOR COUNT: so many pods, all ready, none on its way out
  local wanted
  wanted=$(yes True | head -n "$2" | xargs)
  equals "$wanted" of_pods "$1" '.status.conditions[?(@.type=="Ready")].status' &&
    equals "" of_pods "$1" .metadata.deletionTimestamp
}

# What the pods of the set wrote into the node's file since it was emptied: the leader first.
in_order() { # VERSION
  local expected
  expected=$(printf 'leader ready %s\nworker started %s\nworker started %s\n' "$1" "$1" "$1")
  [ "$(grep " $1\$" "$WORK/shared/order")" = "$expected" ] || {
    cat "$WORK/shared/order" >&2
    fail "$2"
  }
  echo "ok    $2"
}

SET=app.kubernetes.io/part-of=ordered
apply_filled() { fill "$1" | kubectl apply -f - >/dev/null; }
startup_order() {
  mkdir -p "$WORK/shared"
  : >"$WORK/shared/order"
  chmod -R 777 "$WORK/shared"
  # kube-proxy may take a moment to route to the webhooks of an operator that is ready.
  expect "a set is accepted" apply_filled ordered.yaml
  expect "a set with a startup order runs" all_ready "$SET" 3
  in_order 1 "its workers started once its leader was ready"
  expect "the init containers say what they waited for" \
    says "$SET" grove-initc 'waiting for other cliques.*ordered-0-leader: 0 of 1 ready'
  expect "and that the wait was over" says "$SET" grove-initc 'all cliques to start after are ready'
}

# Workers that are not ready for longer than the delay end the gang; it starts again, in order, although
# the old leader is still ready while it ends.
gang_restart() {
  local before worker
  before=$(of_pods "$SET" .metadata.uid)
  : >"$WORK/shared/order"
  for worker in $(of_pods "$SET,grove.io/podclique=ordered-0-worker" .metadata.name); do
    touch "$WORK/shared/broken-$worker"
  done
  expect "a gang below its minimum is terminated after the delay" none_of "$SET" "$before"
  expect "and starts again" all_ready "$SET" 3
  in_order 1 "in order, not beside the old leader"
}
# SELECTOR UIDS: every pod is another one.
none_of() {
  local uid now
  now=$(of_pods "$1" .metadata.uid)
  [ -n "$now" ] || return 1
  for uid in $2; do [[ " $now " != *" $uid "* ]] || return 1; done
}

rolling_update() {
  : >"$WORK/shared/order"
  kubectl patch podcliqueset ordered --type=json -p '[
    {"op": "replace", "path": "/spec/template/cliques/0/spec/podSpec/containers/0/env/0/value", "value": "2"},
    {"op": "replace", "path": "/spec/template/cliques/1/spec/podSpec/containers/0/env/0/value", "value": "2"}]' >/dev/null
  expect "a rolling update replaces every pod" updated
  in_order 2 "new workers start after the new leader"
  kubectl delete podcliqueset ordered --wait=false >/dev/null
  expect "deleting the set ends its pods" equals 0 count -l "$SET"
}
updated() {
  all_ready "$SET" 3 && equals "2 2 2" of_pods "$SET" '.spec.containers[0].env[?(@.name=="VERSION")].value'
}

jobs_and_deployments() {
  kubectl apply -f "$HERE/node/plain.yaml" >/dev/null
  expect "a Job completes" equals 2 kubectl get job sum -o 'jsonpath={.status.succeeded}'
  says app=sum main 42 >/dev/null || fail "its pods have not printed what they should"
  expect "a Deployment is available" equals 2 kubectl get deployment web -o 'jsonpath={.status.availableReplicas}'
  expect "a pod that names no scheduler runs" equals Running kubectl get pod plain -o 'jsonpath={.status.phase}'
  kubectl delete -f "$HERE/node/plain.yaml" --wait=false >/dev/null
}

GPU=GPU-00000000-0000-0000-0000-000000000001 # See nvml.c.
gpu_fraction() {
  kubectl apply -f "$HERE/node/fraction.yaml" >/dev/null
  expect "two halves of a GPU run" equals "Running Running" phases app=half
  reserved() {
    kubectl -n kai-resource-reservation get pods -o \
      'jsonpath={range .items[*]}{.metadata.annotations.run\.ai/reserve_for_gpu_index}{end}'
  }
  expect "one reservation pod holds it and tells which it is" equals "$GPU" reserved
  expect "both were given that one" equals 2 given
  kubectl delete -f "$HERE/node/fraction.yaml" --wait=false >/dev/null
  expect "without them the reservation ends" equals "" reserved
}
given() { logs_of app=half main | grep -c "given $GPU"; }
