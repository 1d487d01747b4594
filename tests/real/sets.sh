#!/usr/bin/env bash
# PodCliqueSets on real Kubernetes: kube-apiserver, kube-controller-manager and kube-scheduler with
# the gang feature gates on, our operator with its default backend beside them, and our simulated
# nodes in place of kubelets. Kubernetes' own scheduler binds gangs all or nothing through the
# objects that we write for it.
#
# usage: KUBE=BINARY BUILD=FOLDER WORK=FOLDER sets.sh 1.35|1.36
set -euo pipefail
HERE=$(dirname "$(readlink -f "$0")")
RELEASE=$1
mkdir -p "$WORK"
source "$HERE/cluster.sh"
source "$HERE/steps.sh"
trap stop_all EXIT

use_release "$RELEASE"

kubectl() { "$KUBE" kubectl --kubeconfig="$WORK/real.kubeconfig" --namespace=sets "$@"; }

# KIND NAME JSONPATH: one field of an object.
field() { kubectl get "$1" "$2" -o jsonpath="$3"; }
# GANG CONDITION: "True PodGangScheduled".
condition() {
  field podgang "$1" "{range .status.conditions[?(@.type==\"$2\")]}{.status} {.reason}{end}"
}
# SET: the nodes of its pods, sorted.
nodes_of() {
  kubectl get pods -l "app.kubernetes.io/part-of=$1" \
    -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | grep . | sort | xargs || true
}
gated() { # SET: how many of its pods have gates
  kubectl get pods -l "app.kubernetes.io/part-of=$1" \
    -o jsonpath='{range .items[*]}{.spec.schedulingGates[*].name}{"\n"}{end}' | grep -c . || true
}
# How much there is of what the operator and the backend make.
leftovers() {
  kubectl get "podcliquesets,podcliques,podcliquescalinggroups,podgangs,pods,services,roles,rolebindings,secrets,$GANG_KINDS" \
    -o name >"$WORK/leftovers" && wc -l <"$WORK/leftovers"
}

# SECONDS: for that long, no pod is bound.
binds_nothing() {
  local deadline=$((SECONDS + $1))
  while [ $SECONDS -lt $deadline ]; do
    [ "$(bound "app.kubernetes.io/part-of=$2")" = 0 ] || fail "a part of $2 was bound"
    sleep 0.5
  done
}

start_cluster() {
  start_real_apiserver
  start_controller_manager "$WORK/real.kubeconfig" \
    "garbage-collector-controller,namespace-controller,serviceaccount-controller,serviceaccount-token-controller$GANG_CONTROLLERS"
  start_scheduler "$WORK/real.kubeconfig"
  "$BUILD/coppice" crds | kubectl apply --server-side -f - >/dev/null
  kubectl wait --for=condition=Established --timeout=30s crd --all >/dev/null
  kubectl create namespace sets >/dev/null
  start operator "$BUILD/coppice" run operator --kubeconfig "$WORK/real.kubeconfig" \
    --config "$HERE/sets/operator.yaml"
  start nodes "$BUILD/coppice" run nodes --kubeconfig "$WORK/real.kubeconfig"
}

all_or_nothing() {
  node node-1 2
  kubectl apply -f "$HERE/sets/trio.yaml" >/dev/null
  expect "the set becomes four pods" equals 4 count -l app.kubernetes.io/part-of=trio
  expect "and a gang of one leader and two workers for kube-scheduler" equals 3 \
    field workload trio-0 "$1"
  expect "the gang is handed over" equals "True Synced" condition trio-0 BackendSynced
  expect "the gates of all but the surplus pod are opened" equals 1 gated trio
  binds_nothing 5 trio
  echo "ok    no pod of a gang that does not fit is bound"
  expect "its PodGang says so" equals "False Unschedulable" condition trio-0 Scheduled
  node node-2 2
  expect "with a second node the whole gang is bound, and the surplus pod follows" \
    equals "node-1 node-1 node-2 node-2" nodes_of trio
  expect "the PodGang is scheduled" equals "True PodGangScheduled" condition trio-0 Scheduled
  expect "then ready" equals "True PodGangReady" condition trio-0 Ready
  expect "and running" equals Running field podgang trio-0 '{.status.phase}'
  kubectl delete podcliqueset trio --wait=false >/dev/null
  expect "deleting the set removes every object" equals 0 leftovers
  kubectl delete nodes --all >/dev/null 2>&1
}

# NODE: a pod that makes it less attractive than an empty one.
crowd() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: crowd}
spec:
  nodeName: $1
  containers: [{name: main, image: example.com/crowd:1, resources: {requests: {cpu: "12"}}}]
YAML
}

# SET: the image of its only pod, and its node.
image_and_node() {
  kubectl get pods -l "app.kubernetes.io/part-of=$1" --field-selector=status.phase=Running \
    -o jsonpath='{.items[*].spec.containers[0].image} {.items[*].spec.nodeName}'
}

back_to_the_same_node() {
  local home
  node node-1 2
  node node-2 2
  kubectl apply -f "$HERE/sets/roll.yaml" >/dev/null
  expect "a set of one pod is ready" equals "True PodGangReady" condition roll-0 Ready
  home=$(nodes_of roll)
  crowd "$home"
  kubectl patch podcliqueset roll --type=json -p '[{"op": "replace", "value": "example.com/train:2",
    "path": "/spec/template/cliques/0/spec/podSpec/containers/0/image"}]' >/dev/null
  expect "its new pod returns to the node of the old one, though another is emptier" \
    equals "example.com/train:2 $home" image_and_node roll
  expect "the gang asks for its former places no longer" equals "" \
    field podgang roll-0 '{.spec.reuseReservationRef}'
  kubectl delete podcliqueset roll --wait=false >/dev/null
  kubectl delete pod crowd --wait=false >/dev/null
  expect "deleting the set removes every object" equals 0 leftovers
  kubectl delete nodes --all >/dev/null 2>&1
}

one_rack() {
  kubectl apply -f "$HERE/sets/racks.yaml" >/dev/null
  node r1-a 2 example.com/rack=r1
  node r2-a 1 example.com/rack=r2
  node r3-a 8 example.com/rack=r3
  kubectl taint node r3-a example.com/broken=:NoSchedule >/dev/null
  kubectl apply -f "$HERE/sets/packed.yaml" >/dev/null
  expect "the rack is part of what kube-scheduler reads" equals example.com/rack \
    field podgroups.v1alpha2.scheduling.k8s.io packed-0 '{.spec.schedulingConstraints.topology[0].key}'
  expect "every gate is opened" equals 0 gated packed
  binds_nothing 5 packed
  echo "ok    three free GPUs in two racks are not enough for a gang that needs one rack"
  node r2-b 2 example.com/rack=r2
  expect "with another node the gang lands in the one rack that fits" \
    equals "r2-a r2-b r2-b" nodes_of packed
  expect "kube-scheduler says that the group is scheduled" equals True \
    field podgroups.v1alpha2.scheduling.k8s.io packed-0 \
    '{.status.conditions[?(@.type=="PodGroupScheduled")].status}'
  expect "the PodGang is scheduled" equals "True PodGangScheduled" condition packed-0 Scheduled
  expect "then ready" equals "True PodGangReady" condition packed-0 Ready
  expect "its placement is perfect" equals 1 field podgang packed-0 '{.status.placementScore}'
  kubectl delete podcliqueset packed --wait=false >/dev/null
  expect "deleting the set removes every object" equals 0 leftovers
}

echo "== sets on Kubernetes $RELEASE"
start_cluster
case $RELEASE in
  1.35)
    all_or_nothing '{.spec.podGroups[?(@.name=="gang")].policy.gang.minCount}'
    back_to_the_same_node
    ;;
  1.36)
    all_or_nothing '{.spec.podGroupTemplates[0].schedulingPolicy.gang.minCount}'
    one_rack
    ;;
esac
echo "== what coppice doctor says"
"$BUILD/coppice" doctor --kubeconfig "$WORK/real.kubeconfig" --config "$HERE/sets/operator.yaml"
