#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what kube-scheduler answers to requests for /statusz and /flagz with many Accept headers.

    record.py PORT CBOR_PORT > scheduler-app/src/test/resources/zpages.jsonl

Both ports are of a kube-scheduler, the second one with --feature-gates=CBORServingAndStorage=true. No API server is needed:

    kube-scheduler --kubeconfig kubeconfig --authentication-skip-lookup --leader-elect=false --bind-address=127.0.0.1 \
      --secure-port=PORT --cert-dir=certs '--authorization-always-allow-paths=/*'

Each line has a request, and the status, headers and body of the answer. Bodies that only repeat one of an earlier line's kind are left out.
"""
import base64
import http.client
import json
import ssl
import sys

CONTEXT = ssl._create_unverified_context()
JSON = "application/json"
YAML = "application/yaml"
CBOR = "application/cbor"


def ask(port, path, accept, agent):
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=CONTEXT)
    headers = {"User-Agent": agent}
    if accept is not None:
        headers["Accept"] = accept
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response.status, response.getheader("Content-Type"), response.getheader("Warning"), response.read()


def accepts(kind):
    beta = f";v=v1beta1;g=config.k8s.io;as={kind}"
    alpha = f";v=v1alpha1;g=config.k8s.io;as={kind}"
    return [
        "text/plain", JSON + beta, None, "", "  ", "application/xml", JSON, JSON + ";v=v1beta1;g=config.k8s.io", "*/*",
        f"{JSON};v=foo;g=config.k8s.io;as={kind},*/*", YAML + beta, CBOR + beta, f"{JSON}{alpha},{JSON}{beta}",
        f"{JSON}{beta},{JSON}{alpha}", YAML, CBOR, YAML + alpha, CBOR + alpha, "text/*", "text/html", "*", "*/*" + beta,
        "application/*" + beta, "application/*", "text/plain" + beta, f"{JSON};as={kind}", JSON + beta.replace(kind, "Other"),
        JSON + beta.replace("v1beta1", "v1"), JSON + beta.replace("config.k8s.io", "other"), f"{JSON}{beta};q=0.5,{YAML}{beta}",
        f"{JSON}{beta};q=0.5,text/plain;q=0.9", "text/plain;q=0.5,*/*;q=0.1", JSON + beta + ";pretty=1", JSON + beta + ";pretty=0",
        JSON + ";pretty=1", JSON + beta + ";stream=watch", JSON + ";stream=watch", YAML + ";stream=watch", CBOR + ";stream=watch",
        JSON + beta + ";sv=v1", JSON + beta + ";sv=", JSON + beta + ";unknown=x", JSON + beta + ";export=1;profile=x",
        f"{JSON} ; v = v1beta1 ; g=config.k8s.io;as={kind}", "APPLICATION/JSON" + beta, JSON + beta.upper(), JSON + "/x" + beta,
        JSON + "/" + beta, JSON + beta + ";v=v1alpha1", f"{JSON};v=v1beta1;v==x;g=config.k8s.io;as={kind}", "application/" + beta,
        f"{JSON};v=v1beta1=;g=config.k8s.io;as={kind}", "application/vnd.kubernetes.protobuf" + beta,
        "application/vnd.kubernetes.protobuf", "nonsense", ",", ";", "*;", "/", JSON + beta + ",", "text/html,application/xhtml+xml,*/*;q=0.8",
        YAML + ";pretty=1" + beta, CBOR + ";pretty=1" + beta, "text/plain;charset=utf-8", "text/plain;v=v1beta1",
        f"*/*;q=0.9,{JSON}{beta};q=0.1", f"{JSON}{beta};q=x,text/plain;q=0.1", f"text/*;q=0.3,{YAML}{beta};q=0.2,{JSON}{beta};q=0.4",
    ]


def main():
    seen = set()
    for kind in ("Statusz", "Flagz"):
        path = "/" + kind.lower()
        beta = f"{JSON};v=v1beta1;g=config.k8s.io;as={kind}"
        requests = [(path, accept, "test") for accept in accepts(kind)]
        requests += [(path, accept, agent) for accept in (beta, JSON, "application/xml") for agent in ("curl/8", "Wget/1", "Mozilla/5.0 (X)")]
        requests += [(path + query, beta, "curl/8") for query in
                     ("?pretty=true", "?pretty=1", "?pretty=false", "?pretty", "?pretty=x", "?pretty=T", "?a=pretty")]
        for has_cbor, port in ((False, int(sys.argv[1])), (True, int(sys.argv[2]))):
            for path_and_query, accept, agent in requests:
                status, content_type, warning, body = ask(port, path_and_query, accept, agent)
                line = {"path": path_and_query, "accept": accept, "userAgent": agent, "cbor": has_cbor, "status": status,
                        "contentType": content_type, "warning": warning}
                form = (content_type, body[:2]) if status == 200 else (content_type, body)
                if form not in seen:
                    seen.add(form)
                    line["body"] = base64.b64encode(body).decode()
                print(json.dumps(line))


main()
