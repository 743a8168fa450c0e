#!/usr/bin/env bash
# Runs the process of an image without a container runtime, as a pod of the chart would: the image's layers are the root
# file system, which is read-only, and the process is the image's user, without capabilities.
#   packaging/run-image.sh [OPTION...] IMAGE.tar [ARGUMENT...]    the arguments follow the image's entry point
#     --mount FILE:PATH   a file or folder of this machine, read-only
#     --env NAME=VALUE    a variable of the environment
#     --host-network      this machine's network; otherwise a loopback interface is all that there is
#     --root FOLDER       where the layers are unpacked; a later run uses them again. By default a temporary folder.
#     --writable PATH     a folder of the image that the process can write to; what it writes stays in --root
#     --user UID:GID      in place of the image's user
# An image without a base (of a dry run) gets this machine's /usr, with its shell and the Java of JAVA_HOME. Needs root.
set -euo pipefail

fail() {
  echo "run-image: $1" >&2
  exit 2
}

mounts=() variables=() namespaces=(--mount --net) root='' writable='' user=''
while [[ ${1-} == --* ]]; do
  case $1 in
    --mount) mounts+=("$(realpath -e "${2%:*}"):${2##*:}") && shift 2 ;;
    --env) variables+=("$2") && shift 2 ;;
    --host-network) namespaces=(--mount) && shift ;;
    --root) root=$2 && shift 2 ;;
    --writable) writable=$2 && shift 2 ;;
    --user) user=$2 && shift 2 ;;
    *) fail "$1: unknown option (expected: --mount, --env, --host-network, --root, --writable or --user)" ;;
  esac
done
image=${1:?IMAGE.tar}
shift
[ "$(id -u)" = 0 ] || fail "user $(id -u) (expected: root, who may mount)"

# Unpacks the layers, with the files that later layers delete deleted.
unpack() { # FOLDER
  local layer name deleted
  rm -rf "$1"
  mkdir -p "$1/layers" "$1/root"
  tar -x -C "$1/layers" -f "$image"
  for layer in $(jq -r '.[0].Layers[]' "$1/layers/manifest.json"); do
    tar -t --warning=no-unknown-keyword -f "$1/layers/$layer" >"$1/names"
    ! grep -E '(^|/)\.\.(/|$)' "$1/names" || fail "$layer: a name with \"..\" (expected: names below the root)"
    { grep -E '(^|/)\.wh\.' "$1/names" || true; } | while IFS= read -r name; do
      name=/$name
      deleted=${name##*/.wh.}
      case $deleted in
        .wh..opq) find "$1/root${name%/*}" -mindepth 1 -delete ;;
        *) rm -rf "$1/root${name%/*}/${deleted:?}" ;;
      esac
    done
    tar -x -p -C "$1/root" --exclude='.wh.*' --warning=no-unknown-keyword -f "$1/layers/$layer"
  done
  jq . "$1/layers/$(jq -r '.[0].Config' "$1/layers/manifest.json")" >"$1/config.json"
  rm -r "$1/layers" "$1/names"
  [ -e "$1/root/usr" ] || touch "$1/without-base"
  mkdir -p "$1"/root/{dev,etc,proc,tmp}
  touch "$1/complete"
}

if [ -z "$root" ]; then
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
fi
[ "$root/complete" -nt "$image" ] || unpack "$root"
config=$root/config.json
if [ -e "$root/without-base" ]; then
  home=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}
  echo "run-image: the image has no base: it gets this machine's /usr, and the Java in $home" >&2
  # Debian has links to /etc in its Java.
  for folder in /usr "$home" /etc/java*; do
    [ ! -e "$folder" ] || mounts+=("$folder:$folder")
  done
  for name in bin lib lib64; do
    ln -sfn "usr/$name" "$root/root/$name"
  done
  variables+=("JAVA_HOME=$home")
fi
for mount in ${mounts[@]+"${mounts[@]}"}; do
  if [ -d "${mount%:*}" ]; then
    mkdir -p "$root/root${mount##*:}"
  else
    mkdir -p "$(dirname "$root/root${mount##*:}")"
    touch "$root/root${mount##*:}"
  fi
done
[ -z "$writable" ] || mkdir -p "$root/root$writable"

# shellcheck disable=SC2016 # for the inner shell
inside='
set -eu
root=$1 writable=$2 user=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
while [ "$1" != -- ]; do
  mount --rbind "${1%:*}" "$root${1##*:}"
  mount -o remount,bind,ro "$root${1##*:}"
  shift
done
shift
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
[ -z "$writable" ] || mount --bind "$root$writable" "$root$writable"
mount -o remount,bind,ro "$root"
ip link set lo up
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"
'
mapfile -t command < <(jq -r '(.config.Entrypoint // [])[], (.config.Cmd // [])[]' "$config")
mapfile -t own < <(jq -r '(.config.Env // [])[]' "$config")
[ -n "$user" ] || user=$(jq -r .config.User "$config")
run=(unshare "${namespaces[@]}" sh -c "$inside" run-image "$root/root" "$writable" "$user"
  ${mounts[@]+"${mounts[@]}"} -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  ${own[@]+"${own[@]}"} ${variables[@]+"${variables[@]}"} "${command[@]}" "$@")
# Signals to this process reach the image's, unless there is a folder to remove afterwards.
[ -n "$(trap -p EXIT)" ] || exec "${run[@]}"
"${run[@]}"
