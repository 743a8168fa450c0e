#!/usr/bin/env python3
"""Records what kube-apiserver answers when objects are created, without creating them (dryRun=All).

  record_validation.py KUBECONFIG FILE

FILE has one case a line: {"name": ..., "object": ..., "answer": ...}. The answers are written anew, in place: "created", or why not.
KUBECONFIG is what up.sh has written.
"""
import json
import re
import ssl
import sys
import urllib.error
import urllib.request

KINDS = "../../../framework-objects/src/main/resources/org/moorage/objects/tree/kinds.txt"


def main(kubeconfig, file):
    text = open(kubeconfig).read()
    server = re.search(r'server: "([^"]+)"', text).group(1)
    token = re.search(r"token: (\w+)", text).group(1)
    authority = re.search(r"certificate-authority: ([^}]+)}", text).group(1)
    context = ssl.create_default_context(cafile=authority)
    plurals = {}
    with open(__file__.rsplit("/", 1)[0] + "/" + KINDS) as kinds:
        for line in kinds:
            version, kind, plural, scope = line.split()
            plurals[version, kind] = plural, scope == "namespaced"

    def answer(body):
        plural, namespaced = plurals[body["apiVersion"], body["kind"]]
        # A client takes the path from the object, so that both agree.
        namespace = body["metadata"].get("namespace", "default")
        root = "/apis/" if "/" in body["apiVersion"] else "/api/"
        path = root + body["apiVersion"] + ("/namespaces/" + namespace if namespaced else "") + "/" + plural
        request = urllib.request.Request(
            server + path + "?dryRun=All",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": "Bearer " + token},
        )
        try:
            urllib.request.urlopen(request, context=context).read()
            return "created"
        except urllib.error.HTTPError as refused:
            return json.load(refused)["message"]

    cases = [json.loads(line) for line in open(file)]
    for case in cases:
        case["answer"] = answer(case["object"])
    with open(file, "w") as out:
        for case in cases:
            out.write(json.dumps(case, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
