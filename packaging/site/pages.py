#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the pages of the site to a folder. Links to files that are not pages become URLs of the repository.

usage: pages.py FOLDER REPOSITORY_URL

Fails if a link has no target, or if a page is missing in the navigation of mkdocs.yml.
"""
import pathlib
import posixpath
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages that are not in docs, and their places in the site.
OTHERS = {
    "ARCHITECTURE.md": "contribute/architecture.md",
    "CONTRIBUTING.md": "contribute/contributing.md",
    "CHANGELOG.md": "about/changelog.md",
}
LINK = re.compile(r"(?<=\]\()([^)\s:#]+)(#[^)\s]*)?(?=\))")
CODE = re.compile(r"`[^`]*`")


def site_path(path):
    """The place of a file in the site, or None."""
    if path in OTHERS:
        return OTHERS[path]
    return path[len("docs/"):] if path.startswith("docs/") and path.endswith((".md", ".png")) else None


def link(path, target, url):
    """A link of the page at a path, for the site."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if not (ROOT / found).exists():
        raise SystemExit(f'{path}: link to "{target}" (expected: a file or folder of the repository)')
    if (ROOT / found).is_dir():
        index = posixpath.join(found, "README.md")
        if not index.startswith("docs/") or not (ROOT / index).exists():
            return f"{url}/tree/main/{found}"
        found = index
    place = site_path(found)
    if place is None:
        return f"{url}/blob/main/{found}"
    return posixpath.relpath(place, posixpath.dirname(site_path(path)) or ".")


def for_site(path, text, url):
    """The text of the page at a path, for the site."""
    lines, fenced, before = [], False, ""
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            codes = CODE.findall(line)
            rest = CODE.sub("\0", line)
            rest = LINK.sub(lambda found: link(path, found[1], url) + (found[2] or ""), rest)
            line = re.sub("\0", lambda _: codes.pop(0), rest)
            # GitHub begins a list after a line of text; Python-Markdown needs an empty line.
            if re.match(r"- |\d+\. ", line) and before and not re.match(r"- |\d+\. |\s", before):
                lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines) + "\n"


def main():
    folder, url = pathlib.Path(sys.argv[1]), sys.argv[2]
    shutil.rmtree(folder, ignore_errors=True)
    files = [file.relative_to(ROOT).as_posix() for file in sorted((ROOT / "docs").rglob("*")) if file.is_file()]
    navigation = (ROOT / "mkdocs.yml").read_text()
    missing = []
    for path in [*files, *OTHERS]:
        place = site_path(path)
        if place is None:
            continue
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".md"):
            target.write_text(for_site(path, (ROOT / path).read_text(), url))
            if not re.search(rf"(?m)[ :]{re.escape(place)}$", navigation):
                missing.append(place)
        else:
            shutil.copy(ROOT / path, target)
    shutil.copy(ROOT / "packaging/site/site.css", folder)
    if missing:
        raise SystemExit(f"mkdocs.yml: pages missing in nav: {', '.join(missing)}")


main()
