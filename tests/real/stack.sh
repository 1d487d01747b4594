#!/usr/bin/env bash
# The whole scheduler stack on real Kubernetes: kube-apiserver, etcd and kube-controller-manager, two
# processes of ours of which one leads, and simulated nodes in place of kubelets. A set, a Job and a
# reclaim from end to end; then the leader is killed in the middle of its work.
#
# usage: KUBE=BINARY BUILD=FOLDER WORK=FOLDER stack.sh
set -euo pipefail
HERE=$(dirname "$(readlink -f "$0")")
mkdir -p "$WORK"
source "$HERE/cluster.sh"
source "$HERE/steps.sh"
trap stop_all EXIT
RUNTIME_CONFIG=scheduling.k8s.io/v1alpha1=true GATES=GenericWorkload=true

kubectl() { "$KUBE" kubectl --kubeconfig="$WORK/real.kubeconfig" "$@"; }

# NAME: one of two equal processes. LEADER and SPARE get their pids.
ours() {
  start "$1" "$BUILD/coppice" run operator grouper podgroups queues scheduler binder \
    --kubeconfig "$WORK/real.kubeconfig" --leader-elect --lease-namespace coppice-system
}

start_cluster() {
  start_real_apiserver
  start_controller_manager "$WORK/real.kubeconfig" \
    'garbage-collector-controller,namespace-controller,serviceaccount-controller,root-ca-certificate-publisher-controller,job-controller'
  "$BUILD/coppice" crds | kubectl apply --server-side -f - >/dev/null
  kubectl wait --for=condition=Established --timeout=30s crd --all >/dev/null
  kubectl create namespace coppice-system >/dev/null
  kubectl apply -f "$HERE/../../deploy/manifests/one.yaml" >/dev/null
  echo "ok    a real kube-apiserver takes the manifests"
  kubectl apply -f "$HERE/stack/queues.yaml" >/dev/null
  node node-1 4
  node node-2 4
  start nodes "$BUILD/coppice" run nodes --kubeconfig "$WORK/real.kubeconfig"
  ours first
  LEADER=$!
  expect "the first process leads" holder_is "_$LEADER"
  ours second
}

holder_is() { kubectl -n coppice-system get leases -o jsonpath='{.items[*].spec.holderIdentity}' | grep -q -- "$1"; }
running() { kubectl get pods -l "$1" --field-selector=status.phase=Running -o name | wc -l; }

# NAME QUEUE PODS
job() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: batch/v1
kind: Job
metadata: {name: $1, labels: {kai.scheduler/queue: $2}}
spec:
  parallelism: $3
  completions: $3
  template:
    metadata: {labels: {app: $1, kai.scheduler/queue: $2}}
    spec:
      schedulerName: kai-scheduler
      restartPolicy: Never
      containers: [{name: main, image: example.com/work:1, resources: {limits: {nvidia.com/gpu: "1"}}}]
YAML
}

# No node holds more GPUs than it has.
no_overcommit() {
  kubectl get pods -A -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase} {.spec.containers[0].resources.limits.nvidia\.com/gpu}{"\n"}{end}' |
    awk '$2 == "Running" || $2 == "Pending" {used[$1] += $3} END {for (n in used) if (n ~ /^node/ && used[n] > 4) exit 1}'
}

start_cluster
job filler borrower 8
expect "a Job of a queue without quota borrows every GPU" equals 8 running app=filler
kubectl apply -f "$HERE/stack/set.yaml" >/dev/null
expect "a set of the queue that owns them takes three back" equals 3 running app.kubernetes.io/part-of=pair
expect "the queue's status says so" equals 3 \
  kubectl get queue lender -o 'jsonpath={.status.allocated.nvidia\.com/gpu}'
no_overcommit || fail "a node holds more than it has"

job more lender 4
kill -KILL "$LEADER"
job late lender 1
expect "the leader dies, and the other process finishes its work" equals 4 running app=more
expect "and does what comes after" equals 1 running app=late
holder_is "_$LEADER" && fail "the dead process still leads"
no_overcommit || fail "a bind was doubled: a node holds more than it has"
expect "nothing is left to be bound" equals 0 bash -c "$(declare -f kubectl); KUBE=$KUBE WORK=$WORK; kubectl get bindrequests -A -o jsonpath='{range .items[?(@.status.phase!=\"Succeeded\")]}x{end}' | wc -c"
echo "ok    no bind was lost, none was doubled"
