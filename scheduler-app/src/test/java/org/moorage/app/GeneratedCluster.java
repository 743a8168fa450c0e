// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import java.util.Locale;

/**
 * A cluster of some size, as text: of ten nodes seven are general, two take batch pods only and one has GPUs; every
 * 40th is cordoned. Each team, one per ten nodes up to 40, has some Deployments and Jobs.
 */
final class GeneratedCluster {
    private static final int MOST_TEAMS = 40;

    private final StringBuilder text = new StringBuilder();

    private GeneratedCluster() {}

    /** The cluster in JSON lines. */
    static String of(int nodes) {
        GeneratedCluster cluster = new GeneratedCluster();
        for (int i = 0; i < nodes; i++) {
            cluster.node(i);
        }
        int teams = Math.max(1, Math.min(MOST_TEAMS, nodes / 10));
        int share = nodes / teams;
        for (int team = 0; team < teams; team++) {
            cluster.deployment(team, "web", 2 * share, "\"cpu\": \"1\", \"memory\": \"2Gi\"", "");
            cluster.deployment(team, "api", share, "\"cpu\": \"2\", \"memory\": \"8Gi\"", "");
            cluster.deployment(
                    team,
                    "batch",
                    share / 2,
                    "\"cpu\": \"8\", \"memory\": \"16Gi\"",
                    ", \"tolerations\": [{\"key\": \"dedicated\", \"value\": \"batch\"}]");
            cluster.deployment(
                    team,
                    "train",
                    1 + share / 4,
                    "\"cpu\": \"8\", \"memory\": \"64Gi\", \"example.com/gpu\": \"4\"",
                    ", \"tolerations\": [{\"key\": \"example.com/gpu\", \"operator\": \"Exists\"}]");
            if (team % 3 == 0) {
                cluster.deployment(
                        team,
                        "cache",
                        2,
                        "\"cpu\": \"1\", \"memory\": \"4Gi\"",
                        ", \"nodeSelector\": {\"disk\": \"nvme\"}");
            }
            if (team % 5 == 4) {
                cluster.deployment(
                        team,
                        "report",
                        3,
                        "\"cpu\": \"1\"",
                        ", \"schedulingGates\": [{\"name\": \"example.com/quota\"}]");
            }
        }
        return cluster.text.toString();
    }

    private void node(int index) {
        int kind = index % 10;
        String amounts = "\"cpu\": \"16\", \"memory\": \"64Gi\"";
        String taints = "";
        if (kind == 9) {
            amounts = "\"cpu\": \"32\", \"memory\": \"256Gi\", \"example.com/gpu\": \"8\"";
            taints = "{\"key\": \"example.com/gpu\", \"effect\": \"NoSchedule\"}";
        } else if (kind >= 7) {
            amounts = "\"cpu\": \"64\", \"memory\": \"128Gi\"";
            taints = "{\"key\": \"dedicated\", \"value\": \"batch\", \"effect\": \"NoSchedule\"}";
        }
        line(
                "{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"%s\", \"labels\": "
                        + "{\"topology.kubernetes.io/zone\": \"%s\"}}, \"spec\": {\"unschedulable\": %s, \"taints\": [%s]}, "
                        + "\"status\": {\"allocatable\": {%s, \"pods\": \"110\"}}}",
                String.format(Locale.ROOT, "%s-%d", kind == 9 ? "gpu" : kind >= 7 ? "batch" : "node", index),
                "zone-" + (char) ('a' + index % 3),
                index % 40 == 5 ? "true" : "false",
                taints,
                amounts);
    }

    private void deployment(int team, String name, int replicas, String requests, String more) {
        for (int i = 0; i < replicas; i++) {
            line(
                    "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"%1$s-6f7d-%2$d\", \"namespace\": "
                            + "\"team-%3$d\", \"labels\": {\"app\": \"%1$s\", \"pod-template-hash\": \"6f7d\"}, "
                            + "\"ownerReferences\": [{\"apiVersion\": \"apps/v1\", \"kind\": \"ReplicaSet\", \"name\": "
                            + "\"%1$s-6f7d\", \"uid\": \"team-%3$d-%1$s\", \"controller\": true}]}, \"spec\": {\"containers\": "
                            + "[{\"name\": \"main\", \"image\": \"%1$s\", \"resources\": {\"requests\": {%4$s}}}]%5$s}}",
                    name, i, team, requests, more);
        }
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
