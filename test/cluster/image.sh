#!/bin/bash
# image.sh [NAME [STAND-INS [STEPS-TAG]]]: builds the image of this checkout with buildah, on the base image of the rig named by KUBE_RIG, and the
# one of the stand-ins that tests need, litmuschaos/litmus-checker and litmuschaos/k8s of that tag, and loads them into the rig's node when that runs. Nothing is pulled from a registry: stage "bundle" of the Dockerfile is replaced by a folder
# built here, stage "tools" by the rig's base image and what that lacks. Prints the paths of the OCI archives.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${KUBE_RIG:?set KUBE_RIG to the folder with the scripts of the rig (up.sh, image.sh)}"
name=${1:-turnsole.local/turnsole:dev}
stand_ins=${2:-}
steps_tag=${3:-}
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
cache=${KUBE_RIG_CACHE:-$HOME/.cache/kube-rig}
# npm ci brings the right Node.
export PATH=$PWD/node_modules/.bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node build/image-root.ts "$work/root/image" >&2
buildah inspect --type image rig.local/node:24 >/dev/null 2>&1 || "$KUBE_RIG/image.sh" base >&2
base=turnsole.local/base:24-2
if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  # busybox for helpers of workflow steps, nft for the faults on HTTP and DNS; fio because the tests use this image for the targets as well.
  c=$(buildah from --pull=never rig.local/node:24)
  buildah run "$c" -- sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends busybox-static nftables fio' >&2
  buildah commit --quiet "$c" "$base" >&2
  buildah rm "$c" >/dev/null
fi
mkdir -p "$cache/images"
export_image() { # IMAGE NAME FILE
  rm -f "$3"
  buildah push --quiet "$1" "oci-archive:$3:$2" >&2
  if [ -S "${RIG_DIR:-/tmp/kube-rig}/containerd.sock" ]; then "$KUBE_RIG/image.sh" load "$3" >&2; fi
  echo "$3"
}
image=$(buildah build --quiet --layers=false --pull=never --build-arg BASE="$base" \
  --build-context bundle="$work/root" -f deploy/Dockerfile -t "$name" "$work")
export_image "$image" "$name" "$cache/images/turnsole.tar"
if [ -n "$stand_ins" ]; then
  other=$(buildah build --quiet --layers=false --pull=never --build-arg IMAGE="$name" -t "$stand_ins" test/faults/support)
  export_image "$other" "$stand_ins" "$cache/images/stand-ins.tar"
  buildah rmi --force "$other" >/dev/null 2>&1 || true
fi
if [ -n "$steps_tag" ]; then
  for step in litmus-checker k8s; do
    of_step=$(buildah build --quiet --layers=false --pull=never --build-arg IMAGE="$name" --target "$step" \
      -f test/cluster/support/steps.Dockerfile -t "docker.io/litmuschaos/$step:$steps_tag" test/cluster/support)
    export_image "$of_step" "docker.io/litmuschaos/$step:$steps_tag" "$cache/images/$step.tar"
    buildah rmi --force "$of_step" >/dev/null 2>&1 || true
  done
fi
# Each build leaves a whole copy of its layers, so only the archives are kept.
buildah rmi --force "$image" >/dev/null 2>&1 || true
