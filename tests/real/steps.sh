# Steps of a test that looks at a cluster from outside; sourced. Needs a function kubectl.

fail() {
  echo "FAIL  $*" >&2
  kubectl get pods -A -o wide >&2 || true
  kubectl get replicasets,deployments,jobs -o wide >&2 || true
  kubectl get events -A >&2 || true
  exit 1
}

# DESCRIPTION COMMAND…: until the command succeeds.
expect() {
  local what=$1 deadline=$((SECONDS + 60))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || fail "$what"
    sleep 0.3
  done
  echo "ok    $what"
}

# VALUE COMMAND…: whether the command prints the value.
equals() { [ "$("${@:2}")" = "$1" ]; }

# NAME GPUS [LABEL=VALUE]: a node that is ready.
node() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Node
metadata:
  name: $1
  labels: {kubernetes.io/hostname: $1${3:+, ${3/=/: }}}
  annotations: {sim.coppice.dev/simulated: "true"}
YAML
  kubectl patch node "$1" --subresource=status --type=merge -p "{\"status\":{
    \"allocatable\":{\"cpu\":\"16\",\"memory\":\"64Gi\",\"pods\":\"110\",\"nvidia.com/gpu\":\"$2\"},
    \"capacity\":{\"cpu\":\"16\",\"memory\":\"64Gi\",\"pods\":\"110\",\"nvidia.com/gpu\":\"$2\"},
    \"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"Simulated\"}]}}" >/dev/null
}

count() { kubectl get pods "$@" -o name | wc -l; }
bound() { # SELECTOR: how many pods have a node
  kubectl get pods -l "$1" -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | grep -c . || true
}
