// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.rehearsal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.moorage.testkit.apiserver.FakeApiServer;

/**
 * Generated nodes and pending pods for a rehearsal: pods of several kinds and a gang are schedulable, and a few are
 * unschedulable.
 */
public final class RehearsalCluster {
    private static final String PODS = "/api/v1/namespaces/default/pods/";
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
    /** Names of kinds of pods, each with a field of their spec. */
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

    private RehearsalCluster() {}

    /** Returns all objects as one list in JSON. */
    public static String manifests() {
        List<String> items = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            items.add(String.format(Locale.ROOT, NODE, i, i % ZONES, i % 10 == 0 ? TAINT : ""));
        }
        items.add(String.format(Locale.ROOT, POD_GROUP, PODS_OF_THE_GANG));
        for (int i = 0; i < PODS_OF_A_KIND; i++) {
            for (String[] kind : KINDS) {
                items.add(pod(kind[0], i, kind[1], "100m"));
            }
        }
        for (int i = 0; i < PODS_OF_THE_GANG; i++) {
            items.add(pod("gang", i, "\"schedulingGroup\": {\"podGroupName\": \"gang\"}", "100m"));
        }
        for (int i = 0; i < UNSCHEDULABLE; i++) {
            items.add(pod("large", i, "\"priority\": 10", "64"));
        }
        return "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [" + String.join(",", items) + "]}";
    }

    private static String pod(String app, int number, String spec, String cpu) {
        return String.format(Locale.ROOT, POD, app + "-" + number, app, spec, cpu);
    }

    /**
     * Waits until each pod is bound or reported as unschedulable.
     *
     * @throws AssertionError if that takes too long
     */
    public static void awaitDecisions(FakeApiServer server) throws InterruptedException {
        for (String[] kind : KINDS) {
            awaitDecisions(server, kind[0], PODS_OF_A_KIND);
        }
        awaitDecisions(server, "gang", PODS_OF_THE_GANG);
        awaitDecisions(server, "large", UNSCHEDULABLE);
    }

    private static void awaitDecisions(FakeApiServer server, String app, int pods) throws InterruptedException {
        for (int i = 0; i < pods; i++) {
            server.await(
                    PODS + app + "-" + i,
                    pod -> pod.string("spec", "nodeName").isPresent()
                            || !pod.objects("status", "conditions").isEmpty());
        }
    }
}
