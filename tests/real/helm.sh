#!/usr/bin/env bash
# The chart's life on real Kubernetes with the real helm: installed, upgraded to other forms,
# uninstalled. Simulated nodes stand in for kubelets, so that pods run without their images.
#
# usage: KUBE=BINARY HELM=BINARY BUILD=FOLDER WORK=FOLDER helm.sh
set -euo pipefail
HERE=$(dirname "$(readlink -f "$0")")
mkdir -p "$WORK"
source "$HERE/cluster.sh"
source "$HERE/steps.sh"
trap stop_all EXIT

kubectl() { "$KUBE" kubectl --kubeconfig="$WORK/real.kubeconfig" "$@"; }
# The Jobs of hooks end after a second of simulated work.
chart() { # COMMAND [FLAG…]
  "$HELM" --kubeconfig "$WORK/real.kubeconfig" -n coppice-system "$1" coppice "$WORK/chart" \
    --set-string 'hooks.podAnnotations.sim\.coppice\.dev/run-seconds=1' --wait --timeout 120s "${@:2}" >>"$WORK/helm.log" 2>&1
}

start_cluster() {
  start_real_apiserver
  start_controller_manager "$WORK/real.kubeconfig" \
    'garbage-collector-controller,namespace-controller,serviceaccount-controller,root-ca-certificate-publisher-controller,deployment-controller,replicaset-controller,job-controller'
  start_scheduler "$WORK/real.kubeconfig"
  node node-1 4
  node node-2 4
  start nodes "$BUILD/coppice" run nodes --kubeconfig "$WORK/real.kubeconfig"
  cp -r "$HERE/../../deploy/chart" "$WORK/chart"
  mkdir "$WORK/chart/crds"
  "$BUILD/coppice" crds >"$WORK/chart/crds/all.yaml"
}

has() { kubectl -n coppice-system get "$@" >/dev/null 2>&1; }
lacks() { ! has "$@"; }
of_ours() { kubectl get clusterroles,clusterrolebindings,validatingwebhookconfigurations,mutatingwebhookconfigurations -o name | grep -c coppice; }
none_of_ours() { [ "$(of_ours)" = 0 ]; }

start_cluster
chart install --create-namespace
expect "helm installs a process per component" has deployment coppice-scheduler
expect "with the default queue and shard" has queue/default-queue schedulingshard/default
expect "webhooks that nobody answers yet refuse nothing" \
  kubectl create -f "$HERE/stack/queues.yaml" --dry-run=server
kubectl patch queue default-queue --type=merge -p '{"spec":{"displayName":"ours"}}' >/dev/null
chart upgrade --set form=one
expect "an upgrade brings all into one process" has deployment coppice-all
expect "and takes the others away" lacks deployment coppice-scheduler
expect "the queue keeps what its administrator changed" \
  grep -q ours <(kubectl get queue default-queue -o jsonpath='{.spec.displayName}')
chart upgrade --set form=platform,config.render=true,config.deployer=false
expect "another one leaves the stack to the platform operator" has deployment coppice-platform
expect "which has its Config" has config.kai.scheduler/kai-config
"$HELM" --kubeconfig "$WORK/real.kubeconfig" -n coppice-system uninstall coppice --wait >>"$WORK/helm.log" 2>&1
expect "an uninstall takes the processes along" lacks deployment coppice-platform
expect "and every right" none_of_ours
expect "but no queue and no shard" has queue/default-queue schedulingshard/default
chart install
expect "which a second install takes over" has deployment coppice-scheduler
