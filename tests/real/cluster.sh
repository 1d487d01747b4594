# Starting and stopping real Kubernetes on loopback; sourced by run. Needs KUBE (the binary) and
# WORK (a folder). Everything started is in PIDS and ends with stop_all.

PIDS=()
# Pods need no service account, and nodes no controller that takes their first taint away.
DISABLED_PLUGINS=ServiceAccount,TaintNodesByCondition

# The gang API of a Kubernetes release: its feature gates, version and kinds.
use_release() { # RELEASE
  case $1 in
    1.35)
      RUNTIME_CONFIG=scheduling.k8s.io/v1alpha1=true
      GATES=GenericWorkload=true,GangScheduling=true
      GANG_KINDS=workloads.scheduling.k8s.io
      GANG_CONTROLLERS=
      ;;
    1.36)
      RUNTIME_CONFIG=scheduling.k8s.io/v1alpha2=true
      GATES=GenericWorkload=true,GangScheduling=true,TopologyAwareWorkloadScheduling=true,WorkloadAwarePreemption=true
      GANG_KINDS=workloads.scheduling.k8s.io,podgroups.scheduling.k8s.io
      GANG_CONTROLLERS=,podgroup-protection-controller
      ;;
    *)
      echo "tests/real: no Kubernetes $1 here: 1.35 and 1.36 are" >&2
      return 2
      ;;
  esac
}
use_release 1.35

# A port that nobody listens on right now.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# NAME COMMAND…: in the background, output to WORK/NAME.log.
start() {
  local name=$1
  shift
  "$@" >"$WORK/$name.log" 2>&1 &
  PIDS+=($!)
}

# Asks all of them to end, and ends those that take longer than a few seconds.
stop_all() {
  local pid deadline=$((SECONDS + 5))
  for pid in "${PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${PIDS[@]}"; do
    while kill -0 "$pid" 2>/dev/null && [ $SECONDS -lt $deadline ]; do sleep 0.1; done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  PIDS=()
}

# SECONDS COMMAND…: until it succeeds.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $deadline ]; then
      echo "gave up waiting for: $*" >&2
      return 1
    fi
    sleep 0.2
  done
}

# FILE SERVER TOKEN: a kubeconfig for a server whose certificate is its own.
write_kubeconfig() {
  cat >"$1" <<YAML
apiVersion: v1
kind: Config
current-context: real
contexts: [{name: real, context: {cluster: real, user: admin}}]
clusters: [{name: real, cluster: {server: "$2", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: "$3"}}]
YAML
}

# [FLAG…]: a kube-apiserver with its etcd; the kubeconfig is WORK/real.kubeconfig.
start_real_apiserver() {
  local etcd="http://127.0.0.1:$(free_port)" port
  port=$(free_port)
  openssl genrsa -out "$WORK/sa.key" 2048 2>/dev/null
  openssl rsa -in "$WORK/sa.key" -pubout -out "$WORK/sa.pub" 2>/dev/null
  echo 'real-admin-token,admin,admin,system:masters' >"$WORK/tokens.csv"
  start etcd "$KUBE" etcd --data-dir "$WORK/etcd" --listen "$etcd"
  start kube-apiserver "$KUBE" kube-apiserver --etcd-servers="$etcd" --secure-port="$port" \
    --bind-address=127.0.0.1 --cert-dir="$WORK/apiserver" \
    --service-account-key-file="$WORK/sa.pub" --service-account-signing-key-file="$WORK/sa.key" \
    --service-account-issuer=https://kubernetes.default.svc --token-auth-file="$WORK/tokens.csv" \
    --authorization-mode=RBAC --service-cluster-ip-range=10.96.0.0/16 \
    --disable-admission-plugins="$DISABLED_PLUGINS" \
    --feature-gates="$GATES" --runtime-config="$RUNTIME_CONFIG" "$@"
  write_kubeconfig "$WORK/real.kubeconfig" "https://127.0.0.1:$port" real-admin-token
  wait_until 90 "$KUBE" kubectl --kubeconfig="$WORK/real.kubeconfig" get --raw /readyz
}

# KUBECONFIG CONTROLLERS [FLAG…]: a real kube-controller-manager.
start_controller_manager() {
  # A signer for service account tokens, of any cluster: only real ones share it with the server.
  [ -f "$WORK/sa.key" ] || openssl genrsa -out "$WORK/sa.key" 2048 2>/dev/null
  start "controller-manager-$(basename "$1")" "$KUBE" kube-controller-manager --kubeconfig="$1" \
    --authentication-kubeconfig="$1" --authorization-kubeconfig="$1" --leader-elect=false \
    --secure-port="$(free_port)" --bind-address=127.0.0.1 --cert-dir="$WORK/controller-manager" \
    --service-account-private-key-file="$WORK/sa.key" --controllers="$2" \
    --kube-api-content-type=application/json --kube-api-qps=200 --kube-api-burst=400 \
    --feature-gates="$GATES" "${@:3}"
}

# KUBECONFIG: a real kube-scheduler.
start_scheduler() {
  start "scheduler-$(basename "$1")" "$KUBE" kube-scheduler --kubeconfig="$1" \
    --authentication-kubeconfig="$1" --authorization-kubeconfig="$1" --leader-elect=false \
    --secure-port="$(free_port)" --bind-address=127.0.0.1 --cert-dir="$WORK/scheduler" \
    --kube-api-content-type=application/json \
    --feature-gates="$GATES"
}

# [FLAG…]: the embedded server, in memory unless told otherwise; the kubeconfig is
# WORK/embedded.kubeconfig.
start_embedded() {
  start embedded "$BUILD/coppice" up --listen "127.0.0.1:$(free_port)" \
    --write-kubeconfig "$WORK/embedded.kubeconfig" --nodes 0 --components none "$@"
  wait_until 20 "$KUBE" kubectl --kubeconfig="$WORK/embedded.kubeconfig" get --raw /readyz
}
