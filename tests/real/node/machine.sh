# The machine that a real node is: its own processes, mounts and network; sourced by the first process
# of those namespaces, with which everything ends. Needs KUBE, WORK, IMAGES and CGROUP.

ADDRESS=10.88.0.1 # The node's and the API server's, on a bridge that exists in here alone.
NODE=real-node

# What programs write outside of WORK stays in here.
private_mounts() {
  mount -t tmpfs tmpfs /run
  mkdir -p "$WORK"/var.{upper,work}
  mount -t overlay overlay -o "lowerdir=/var,upperdir=$WORK/var.upper,workdir=$WORK/var.work" /var
  # The kubelet wants these values and would write them; they are the whole machine's.
  local setting
  for setting in vm/overcommit_memory=1 kernel/panic=10 kernel/panic_on_oops=1 \
    kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
    mkdir -p "$WORK/sys/$(dirname "$setting")"
    echo "${setting#*=}" >"$WORK/sys/${setting%=*}"
    mount --bind "$WORK/sys/${setting%=*}" "/proc/sys/${setting%=*}"
  done
}

network() {
  ip link set lo up
  ip link add cni0 type bridge
  ip addr add "$ADDRESS/16" dev cni0
  ip link set cni0 up
  ip route add default dev cni0
  echo 1 >/proc/sys/net/ipv4/ip_forward
}

# A template of ours with its placeholders filled in.
fill() { sed "s|@WORK@|$WORK|g; s|@CGROUP@|$CGROUP|g; s|@ADDRESS@|$ADDRESS|g" "$HERE/node/$1"; }

ctr() { command ctr --address /run/containerd/containerd.sock --namespace k8s.io "$@"; }

start_containerd() {
  local image
  mkdir -p "$WORK"/{cni,opt}
  cp "$HERE/node/bridge.conflist" "$WORK/cni/"
  # With a last mount, and limits of processes that this machine allows.
  command ctr oci spec | python3 -c '
import json, sys
spec = json.load(sys.stdin)
spec["process"].pop("rlimits", None)
spec["mounts"].append({"destination": "/usr/lib64/libnvidia-ml.so.1", "type": "bind",
                       "source": sys.argv[1], "options": ["rbind", "ro"]})
json.dump(spec, sys.stdout)' "$IMAGES/libnvidia-ml.so.1" >"$WORK/nvidia.json"
  fill containerd.toml >"$WORK/containerd.toml"
  start containerd containerd --config "$WORK/containerd.toml"
  wait_until 30 ctr version
  for image in example.com/pause example.com/busybox docker.io/library/coppice; do
    ctr images import --base-name "$image" "$IMAGES/$(basename "$image").tar" >>"$WORK/import.log" 2>&1
  done
}

# A certificate authority for clients in WORK/pki, or the one that is there, and the node's certificate.
node_certificate() {
  local pki=$WORK/pki
  mkdir -p "$pki"
  [ -f "$pki/ca.key" ] ||
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$pki/ca.key" -out "$pki/ca.crt" \
      -subj /CN=clients -days 1 2>/dev/null
  openssl req -newkey rsa:2048 -nodes -keyout "$pki/node.key" -out "$pki/node.csr" \
    -subj "/O=system:nodes/CN=system:node:$NODE" 2>/dev/null
  openssl x509 -req -in "$pki/node.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -CAcreateserial \
    -days 1 -out "$pki/node.crt" 2>/dev/null
}

start_kubelet() { # SERVER
  cat >"$WORK/kubelet.kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: node
contexts: [{name: node, context: {cluster: node, user: node}}]
clusters: [{name: node, cluster: {server: "$1", insecure-skip-tls-verify: true}}]
users: [{name: node, user: {client-certificate: $WORK/pki/node.crt, client-key: $WORK/pki/node.key}}]
YAML
  fill kubelet.yaml >"$WORK/kubelet.yaml"
  start kubelet "$KUBE" kubelet --config="$WORK/kubelet.yaml" --kubeconfig="$WORK/kubelet.kubeconfig" \
    --root-dir="$WORK/kubelet" --cert-dir="$WORK/pki" --node-ip="$ADDRESS" --hostname-override="$NODE" \
    --node-labels=nvidia.com/gpu.memory=81920,nvidia.com/gpu.count=2
}

# Its Service addresses; for a server that tells where Services are.
start_proxy() { # KUBECONFIG
  start kube-proxy "$KUBE" kube-proxy --kubeconfig="$1" --hostname-override="$NODE" \
    --proxy-mode=iptables --cluster-cidr=10.88.0.0/16 --conntrack-max-per-core=0 --conntrack-min=0 \
    --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0
}

# The node is there and has two GPUs that nobody looks for.
node_with_gpus() {
  expect "the node is ready" equals True kubectl get node "$NODE" \
    -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
  kubectl patch node "$NODE" --subresource=status --type=merge \
    -p '{"status":{"capacity":{"nvidia.com/gpu":"2"}}}' >/dev/null
  expect "the kubelet takes over its two GPUs" equals 2 kubectl get node "$NODE" \
    -o 'jsonpath={.status.allocatable.nvidia\.com/gpu}'
}
