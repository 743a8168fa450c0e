#!/usr/bin/env bash
# Adds a recorded start to an image, for faster starts where the root file system is read-only: records one with the
# image's own Java and jars, and appends the recording as a layer. Needs root, and the processor that the image is for.
#   packaging/record-start.sh IMAGE.tar NEW.tar
# A recording differs from run to run, so the images of a release, which are reproducible, have none.
set -euo pipefail
image=$(realpath -e "${1:?IMAGE.tar}")
new=$(realpath "${2:?NEW.tar}")
cd "$(dirname "${BASH_SOURCE[0]}")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

./run-image.sh --root "$folder/unpacked" --user 0:0 --writable /opt/moorage/cache "$image" rehearse
mkdir "$folder/image"
tar -x -C "$folder/image" -f "$image"
config=$folder/image/$(jq -r '.[0].Config' "$folder/image/manifest.json")
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w --mtime="$(jq -r .created "$config")" \
  -C "$folder/unpacked/root" opt/moorage/cache >"$folder/layer.tar"
digest=$(sha256sum <"$folder/layer.tar" | cut -d ' ' -f 1)
gzip -n <"$folder/layer.tar" >"$folder/image/$digest.tar.gz"
edit() { # FILE FILTER
  jq -c --arg digest "$digest" "$2" "$1" >"$folder/edited.json"
  mv "$folder/edited.json" "$1"
}
edit "$config" '.rootfs.diff_ids += ["sha256:" + $digest]
  | if .history then .history += [{created: .created, created_by: "packaging/record-start.sh"}] else . end'
edit "$folder/image/manifest.json" '.[0].Layers += [$digest + ".tar.gz"]'
(cd "$folder/image" && tar --create --sort=name --owner=0 --group=0 --numeric-owner -- *) >"$new"
