# The images that the node's pods run, as OCI archives; sourced. Nothing is pulled: pause is compiled,
# busybox is Debian's, ours is what ./dev image writes.

# Everything the node needs into FOLDER: NAME.tar per image, and the stand-in for NVIDIA's library.
make_images() { # ROOT PROGRAM FOLDER
  local root=$1 program=$2 out=$3
  mkdir -p "$out"/{pause,busybox/bin,busybox/tmp}
  gcc -static -Os -o "$out/pause/pause" "$root/tests/real/node/pause.c"
  gcc -shared -fPIC -Os -o "$out/libnvidia-ml.so.1" "$root/tests/real/node/nvml.c"
  cp /bin/busybox "$out/busybox/bin/"
  chmod 1777 "$out/busybox/tmp"
  local name
  for name in $(/bin/busybox --list); do
    [ "$name" = busybox ] || ln -s busybox "$out/busybox/bin/$name"
  done
  "$root/tools/closure.sh" "$program" "$out/coppice"
  python3 "$root/tools/oci_image.py" "$out/pause" "$out/pause.tar" 1 --entrypoint /pause >/dev/null
  python3 "$root/tools/oci_image.py" "$out/busybox" "$out/busybox.tar" 1 --entrypoint /bin/sh >/dev/null
  python3 "$root/tools/oci_image.py" "$out/coppice" "$out/coppice.tar" "$(version_of "$program")" >/dev/null
}

version_of() { "$1" version | sed 's/^coppice //'; } # PROGRAM
