#!/usr/bin/env bash
# Builds the site into target/site: by Material for MkDocs, and by Zensical, which reads the same mkdocs.yml. Warnings are errors.
#   REPOSITORY_URL  the repository, for links to files; the URL of pom.xml if not set
#   SITE_VERSION    the version that the pages are about; "latest" if not set
#   SITE_TOOLS      a folder with both tools, in place of what requirements.txt names
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export REPOSITORY_URL=${REPOSITORY_URL:-$(sed -n 's|^  <url>\(.*\)</url>$|\1|p' pom.xml | head -n 1)}
# No URL is known yet. The domain "invalid" never exists.
REPOSITORY_URL=${REPOSITORY_URL:-https://repository.invalid/moorage}
version=${SITE_VERSION:-latest}

tools=${SITE_TOOLS-}
if [ -z "$tools" ]; then
  folder=target/site-tools-$(cksum <packaging/site/requirements.txt | cut -d ' ' -f 1)
  tools=$folder/bin
  if [ ! -e "$folder/complete" ]; then
    python3 -m venv --clear "$folder"
    "$tools/pip" install -q --disable-pip-version-check --require-hashes -r packaging/site/requirements.txt
    touch "$folder/complete"
  fi
fi

python3 packaging/site/pages.py target/site-pages "$REPOSITORY_URL"
log=target/site-build.log
export NO_MKDOCS_2_WARNING=1
"$tools/mkdocs" build --strict --site-dir "target/site/$version" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
# Only to see that it can: the pages of Material are the ones to publish.
"$tools/zensical" build --strict --clean >"$log" 2>&1 || { cat "$log" >&2; exit 1; }

# What the selector of versions reads.
{
  separator=
  printf '['
  for folder in target/site/*/; do
    name=$(basename "$folder")
    printf '%s{"version": "%s", "title": "%s", "aliases": []}' "$separator" "$name" "$name"
    separator=', '
  done
  printf ']\n'
} >target/site/versions.json
printf '<meta http-equiv="refresh" content="0; url=%s/">\n' "$version" >target/site/index.html
echo "target/site/$version/index.html"
