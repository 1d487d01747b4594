#!/usr/bin/env bash
# The real controllers and scheduler do their work on the cluster of KUBECONFIG: a Deployment rolls
# out, a Job completes, garbage is collected, a gang is bound all or nothing. No kubelet runs, so
# this script says on its behalf that pods run.
set -euo pipefail
HERE=$(dirname "$(readlink -f "$0")")

kubectl() { "$KUBE" kubectl --namespace=components "$@"; }

source "$HERE/steps.sh"

alive() { # SELECTOR: how many pods nobody has deleted
  kubectl get pods -l "$1" -o jsonpath='{range .items[*]}{.metadata.deletionTimestamp}{"\n"}{end}' |
    grep -c '^$' || true
}

# SELECTOR PHASE: what the kubelet would say.
say() {
  local pod
  for pod in $(kubectl get pods -l "$1" -o name); do
    local ready=False
    [ "$2" = Running ] && ready=True
    kubectl patch "$pod" --subresource=status --type=merge -p "{\"status\":{\"phase\":\"$2\",
      \"conditions\":[{\"type\":\"Ready\",\"status\":\"$ready\"}]}}" >/dev/null
  done
}

kubectl create namespace components >/dev/null
node node-1 2

kubectl apply -f "$HERE/kubectl/deployment.yaml" >/dev/null
expect "the deployment gets its pods" equals 2 count -l app=web
expect "the scheduler binds them" equals 2 bound app=web
say app=web Running
expect "the deployment is available" kubectl wait --for=condition=Available deployment/web --timeout=1s
kubectl set image deployment/web main=example.com/web:2 >/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.5
  say app=web Running
done
expect "the new version is rolled out" kubectl rollout status deployment/web --timeout=1s

kubectl create job once --image=example.com/job:1 >/dev/null
expect "the job gets its pod" equals 1 count -l job-name=once
say job-name=once Succeeded
expect "the job completes" kubectl wait --for=condition=Complete job/once --timeout=1s

kubectl delete deployment web --wait=false >/dev/null
expect "the deployment's pods are collected" equals 0 alive app=web
# The kubelet would end them.
kubectl delete pods -l app=web --grace-period=0 --force >/dev/null 2>&1

kubectl apply -f "$HERE/gang.yaml" >/dev/null
sleep 3
[ "$(bound gang=trio)" = 0 ] || fail "a part of the gang was bound"
echo "ok    no part of a gang that does not fit is bound"
node node-2 2
expect "the whole gang is bound when there is room" equals 3 bound gang=trio
