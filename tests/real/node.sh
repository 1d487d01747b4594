#!/usr/bin/env bash
# A real node on this machine: kubelet, containerd and runc run what our scheduler binds, in namespaces
# of their own. With the argument "embedded" the node joins `coppice up`, with "manifests" a real
# kube-apiserver where deploy/manifests/one.yaml is installed, so that the product itself runs in pods.
#
# usage: KUBE=BINARY BUILD=FOLDER WORK=FOLDER [IMAGES=FOLDER] node.sh embedded|manifests
#
# Images are written into IMAGES unless they are there already, from an earlier run of the same build.
# STEPS chooses among what is tried; by default all of it.
#
# Says "skipped: …" and ends with 0 where the machine does not allow it. Whatever happens, nothing is
# left behind: processes, mounts and network go with the namespaces, cgroups are removed.
set -euo pipefail
HERE=$(dirname "$(readlink -f "$0")")
ROOT=$(readlink -f "$HERE/../..")
PACKAGES=(containerd runc containernetworking-plugins busybox-static iptables conntrack socat ethtool iproute2)
NAMESPACES=(unshare --net --mount --pid --ipc --uts --fork --mount-proc --kill-child)
source "$HERE/cluster.sh"
source "$HERE/steps.sh"
source "$HERE/node/images.sh"
source "$HERE/node/machine.sh"
source "$HERE/node/workloads.sh"

kubectl() { "$KUBE" kubectl --kubeconfig="$CONFIG" "$@"; }

# ---- Outside of the namespaces ----------------------------------------------------------------

have_packages() {
  local name
  for name in "${PACKAGES[@]}"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || return 1
  done
}
install_packages() {
  have_packages || {
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends "${PACKAGES[@]}"
  } >/dev/null 2>&1
}

# The folders in which a control group has to be made: one per hierarchy.
hierarchies() {
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then echo /sys/fs/cgroup; else ls -d /sys/fs/cgroup/*/; fi
}
make_cgroups() {
  local folder file
  for folder in $(hierarchies); do
    mkdir "$folder/$CGROUP" || return 1
    # A new cpuset is empty, and so would be all below it.
    for file in cpuset.cpus cpuset.mems; do
      [ ! -f "$folder/$file" ] || [ -f "$folder/cgroup.controllers" ] || cat "$folder/$file" >"$folder/$CGROUP/$file"
    done
  done
}
# A group can be removed once the last of its processes is gone, a moment after it was killed.
remove_cgroups() {
  local folder tries
  for folder in $(hierarchies); do
    for tries in {1..50}; do
      [ -d "$folder/$CGROUP" ] || break
      find "$folder/$CGROUP" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    done
  done
}

# Why it cannot run here; nothing when it can.
obstacle() {
  [ "$(id -u)" -eq 0 ] || { echo "it needs root" && return; }
  install_packages || { echo "these packages cannot be installed: ${PACKAGES[*]}" && return; }
  "${NAMESPACES[@]}" true 2>/dev/null || { echo "this machine allows no namespaces" && return; }
  make_cgroups 2>/dev/null || { echo "control groups cannot be made in /sys/fs/cgroup" && return; }
  mkdir -p "$WORK"/probe/{lower,upper,work,merged}
  "${NAMESPACES[@]}" mount -t overlay overlay -o \
    "lowerdir=$WORK/probe/lower,upperdir=$WORK/probe/upper,workdir=$WORK/probe/work" \
    "$WORK/probe/merged" 2>/dev/null || { echo "overlayfs cannot be mounted on $WORK" && return; }
  "${NAMESPACES[@]}" iptables -t nat -L >/dev/null 2>&1 || echo "iptables has no table nat here"
}

outside() {
  local why
  export CGROUP=coppice-node-$$ IMAGES=${IMAGES:-$WORK/images} KUBE BUILD WORK
  mkdir -p "$WORK"
  trap 'remove_cgroups' EXIT
  trap 'exit 143' INT TERM
  why=$(obstacle)
  if [ -n "$why" ]; then
    echo "skipped: node: $why"
    return 0
  fi
  [ -d "$IMAGES" ] || make_images "$ROOT" "$BUILD/coppice" "$IMAGES"
  "${NAMESPACES[@]}" "$0" inside "$1" &
  machine=$! # Not local: the trap runs when this function is over.
  trap 'kill -KILL "$machine" 2>/dev/null || true; wait "$machine" 2>/dev/null || true; remove_cgroups' EXIT
  wait "$machine"
}

# ---- Inside: the first process of the namespaces ------------------------------------------------

# `coppice up` on the bridge's address. It tells nobody where Services are: the API's is the only one.
embedded_cluster() {
  CONFIG=$WORK/embedded.kubeconfig
  start embedded "$BUILD/coppice" up --listen 0.0.0.0:6443 --data "$WORK/data" --nodes 0 \
    --write-kubeconfig "$CONFIG"
  wait_until 30 kubectl get --raw /readyz
  mkdir -p "$WORK/pki"
  cp "$(find "$WORK/data" -name ca.crt)" "$(find "$WORK/data" -name ca.key)" "$WORK/pki/"
  iptables -t nat -A PREROUTING -d 10.96.0.1 -p tcp --dport 443 -j DNAT --to-destination "$ADDRESS:6443"
  node_certificate
  start_kubelet "https://$ADDRESS:6443"
  node_with_gpus
}

# kube-apiserver with everything that pods in the cluster need, and our manifests as they are.
manifests_cluster() {
  CONFIG=$WORK/real.kubeconfig
  node_certificate
  DISABLED_PLUGINS=TaintNodesByCondition start_real_apiserver --bind-address=0.0.0.0 \
    --advertise-address="$ADDRESS" --authorization-mode=Node --client-ca-file="$WORK/pki/ca.crt"
  start_controller_manager "$CONFIG" \
    'deployment-controller,replicaset-controller,job-controller,garbage-collector-controller,namespace-controller,serviceaccount-controller,serviceaccount-token-controller,root-ca-certificate-publisher-controller,endpoints-controller,endpointslice-controller,node-lifecycle-controller,pod-garbage-collector-controller' \
    --root-ca-file="$WORK/apiserver/apiserver.crt"
  start_scheduler "$CONFIG"
  start_kubelet "$(kubectl config view -o 'jsonpath={.clusters[0].cluster.server}')"
  start_proxy "$CONFIG"
  node_with_gpus
  "$BUILD/coppice" crds --install --kubeconfig "$CONFIG" >/dev/null
  kubectl create namespace coppice-system >/dev/null
  kubectl create -f - >/dev/null <<YAML
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}
YAML
  kubectl apply -f "$ROOT/deploy/manifests/one.yaml" >/dev/null
  expect "the product runs in pods, as its manifests install it" equals 2 \
    kubectl -n coppice-system get deployment coppice-all -o 'jsonpath={.status.readyReplicas}'
}

inside() {
  local began=$SECONDS step
  private_mounts
  network
  start_containerd
  "$1_cluster"
  echo "-- ready after $((SECONDS - began)) s"
  for step in ${STEPS:-startup_order gang_restart rolling_update jobs_and_deployments gpu_fraction}; do
    "$step"
  done
  echo "-- done after $((SECONDS - began)) s"
}

case $1 in
  inside) inside "$2" ;;
  embedded | manifests)
    echo "== a real node: $1"
    outside "$1"
    ;;
  *) echo "usage: node.sh embedded|manifests" >&2 && exit 2 ;;
esac
