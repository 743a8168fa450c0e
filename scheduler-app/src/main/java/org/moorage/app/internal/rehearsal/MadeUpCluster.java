// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.rehearsal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Nodes and pods that take the usual ways through a scheduler: pods of several kinds and a gang fit, and a few fit nowhere. */
final class MadeUpCluster {
    private static final int NODES = 100;
    private static final int ZONES = 4;
    private static final int PODS_OF_A_KIND = 120;
    private static final int PODS_OF_THE_GANG = 20;
    private static final int UNSCHEDULABLE = 5;
    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node",
             "metadata": {"name": "node-%1$d", "uid": "node-%1$d", "resourceVersion": "1", "labels": {
               "kubernetes.io/hostname": "node-%1$d", "topology.kubernetes.io/zone": "zone-%2$d"}},
             "spec": {"taints": [%3$s]},
             "status": {"allocatable": {"cpu": "32", "memory": "128Gi", "pods": "110"},
               "conditions": [{"type": "Ready", "status": "True"}],
               "images": [{"names": ["example.com/app:1"], "sizeBytes": 300000000}]}}
            """;
    private static final String TAINT = """
            {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}""";
    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%1$s", "namespace": "default", "uid": "%1$s", "resourceVersion": "1",
               "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"app": "%2$s"},
               "managedFields": [{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:spec": {"f:containers": {}}}}],
               "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "%2$s", "uid": "%2$s", "controller": true}]},
             "spec": {"schedulerName": "default-scheduler", %3$s,
               "containers": [{"name": "main", "image": "example.com/app:1",
                 "resources": {"requests": {"cpu": "%4$s", "memory": "64Mi"}, "limits": {"memory": "128Mi"}}}]},
             "status": {"phase": "Pending"}}
            """;
    private static final String POD_GROUP = """
            {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
             "metadata": {"name": "gang", "namespace": "default", "uid": "gang", "resourceVersion": "1",
               "creationTimestamp": "2026-01-01T00:00:00Z"},
             "spec": {"schedulingPolicy": {"gang": {"minCount": %1$d}},
               "schedulingConstraints": {"topology": [{"key": "topology.kubernetes.io/zone"}]}}}
            """;
    /** What is in a pod's spec, by the name of its kind. */
    private static final List<String[]> KINDS = List.of(
            new String[] {"plain", "\"priority\": 0"},
            new String[] {"batch", """
                "tolerations": [{"key": "dedicated", "operator": "Exists"}],
                "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10,
                  "preference": {"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-1"]}]}}]}}"""},
            new String[] {"spread", """
                "topologySpreadConstraints": [{"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone",
                  "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "spread"}}}]"""},
            new String[] {"apart", """
                "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10,
                  "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "apart"}}}}]}}"""});

    private MadeUpCluster() {}

    /** The nodes, as the API server writes them. */
    static List<String> nodes() {
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            nodes.add(String.format(Locale.ROOT, NODE, i, i % ZONES, i % 10 == 0 ? TAINT : ""));
        }
        return nodes;
    }

    /** The pods that fit, none of which has a node. */
    static List<String> pods() {
        List<String> pods = new ArrayList<>();
        for (int i = 0; i < PODS_OF_A_KIND; i++) {
            for (String[] kind : KINDS) {
                pods.add(pod(kind[0] + "-" + i, kind[0], kind[1], "100m"));
            }
        }
        for (int i = 0; i < PODS_OF_THE_GANG; i++) {
            pods.add(pod("gang-" + i, "gang", "\"schedulingGroup\": {\"podGroupName\": \"gang\"}", "100m"));
        }
        return pods;
    }

    /** The group that some of the pods are of. */
    static List<String> podGroups() {
        return List.of(String.format(Locale.ROOT, POD_GROUP, PODS_OF_THE_GANG));
    }

    /** Pods that fit nowhere. */
    static List<String> unschedulablePods() {
        List<String> pods = new ArrayList<>();
        for (int i = 0; i < UNSCHEDULABLE; i++) {
            pods.add(pod("large-" + i, "large", "\"priority\": 10", "64"));
        }
        return pods;
    }

    private static String pod(String name, String app, String spec, String cpu) {
        return String.format(Locale.ROOT, POD, name, app, spec, cpu);
    }

    /** All objects as one file. */
    static String file() {
        List<String> items = new ArrayList<>(nodes());
        items.addAll(podGroups());
        items.addAll(pods());
        items.addAll(unschedulablePods());
        return list("v1", "List", items);
    }

    /** A list as the API server answers it. */
    static String list(String apiVersion, String kind, List<String> items) {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("apiVersion", apiVersion)
                .put("kind", kind)
                .putObject("metadata")
                .put("resourceVersion", "1");
        String head = list.toString();
        return head.substring(0, head.length() - 1) + ",\"items\":[" + String.join(",", items) + "]}";
    }
}
