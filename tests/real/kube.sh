# Building real Kubernetes; sourced. build_kube sets KUBE, the path of the one binary that holds all
# of it. It lies in build-real/, keyed by what it is made of, and is built once.

declare -A KUBERNETES_VERSIONS=([1.35]=v1.35.4 [1.36]=v1.36.3)

# Fails with 77 where the modules are not at hand and cannot be downloaded.
build_kube() { # ROOT [RELEASE]
  local here=$1/tests/real release=${2:-1.35} modules=go key version=k8s.io/component-base/version
  [ "$release" = 1.35 ] || modules=go$release
  key=$(cat "$here/$modules.mod" "$here/$modules.sum" "$here"/*.go "$here/kube.sh" | sha256sum | cut -c1-16)
  KUBE=$1/build-real/$key/kube
  [ -x "$KUBE" ] && return
  echo "Building Kubernetes $release into build-real/$key (a few minutes the first time)"
  (cd "$here" && timeout 300 go mod download -modfile="$modules.mod") || return 77
  (cd "$here" && go build -trimpath -modfile="$modules.mod" -o "$KUBE.new" -ldflags="-s -w \
    -X $version.gitVersion=${KUBERNETES_VERSIONS[$release]} \
    -X $version.gitMajor=1 -X $version.gitMinor=${release#1.}" .) || return 1
  mv "$KUBE.new" "$KUBE"
}

# Debian's kubectl, from the system or its package archive: sets DEBIAN_KUBECTL, empty if there is
# none to be had.
find_debian_kubectl() { # ROOT
  local folder=$1/build-real/debian
  DEBIAN_KUBECTL=$folder/usr/bin/kubectl
  [ -x "$DEBIAN_KUBECTL" ] && return
  if [[ $(command kubectl version --client 2>/dev/null) == *v1.20* ]]; then
    DEBIAN_KUBECTL=$(command -v kubectl)
    return
  fi
  mkdir -p "$folder"
  if (cd "$folder" && timeout 60 apt-get download -qq kubernetes-client &&
    dpkg-deb -x kubernetes-client_*.deb .) >/dev/null 2>&1; then
    rm -f "$folder"/*.deb
  else
    DEBIAN_KUBECTL=
  fi
}
