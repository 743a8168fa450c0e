// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A cluster of some size, as text, whose machines and pods are like those of the openb traces: some kinds of machines,
 * half of them with GPUs, in three zones; services, jobs and trainings, most of which run already and some of which
 * wait, for several reasons.
 */
final class OpenbLikeCluster {
    private static final long SEED = 20230;
    private static final int TRIES = 14;

    /** A kind of machine: how many of a hundred there are, and what pods may have of it. */
    private record Kind(String type, int percent, long milliCpu, long gibibytes, int gpus) {}

    private static final Kind[] KINDS = {
        new Kind("cpu-32", 14, 31_850, 120, 0),
        new Kind("cpu-96", 22, 94_000, 375, 0),
        new Kind("cpu-104", 8, 102_400, 754, 0),
        new Kind("gpu-t4x2", 26, 63_500, 248, 2),
        new Kind("gpu-v100x8", 12, 94_000, 370, 8),
        new Kind("gpu-a10x4", 10, 126_000, 500, 4),
        new Kind("gpu-g3x8", 8, 125_000, 940, 8),
    };

    /** The shape of an application's pods. */
    private record Shape(
            String name, String kind, int percent, long milliCpu, long mebibytes, int gpus, int priority) {}

    private static final Shape[] SHAPES = {
        new Shape("web", "ReplicaSet", 26, 4_000, 12_288, 0, 1_000),
        new Shape("api", "ReplicaSet", 20, 8_000, 24_576, 0, 1_000),
        new Shape("cache", "StatefulSet", 8, 4_000, 65_536, 0, 2_000),
        new Shape("etl", "Job", 20, 16_000, 49_152, 0, 0),
        new Shape("inference", "ReplicaSet", 16, 9_000, 36_864, 1, 2_000),
        new Shape("training", "Job", 4, 40_000, 160_000, 4, 500),
        new Shape("notebook", "StatefulSet", 6, 6_000, 24_576, 1, 0),
    };

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final StringBuilder text = new StringBuilder();
    private final int nodes;
    private final Kind[] kindOf;
    private final long[] freeCpu;
    private final long[] freeMemory;
    private final int[] freeGpus;
    private final boolean[] closed;

    private OpenbLikeCluster(int nodes) {
        this.nodes = nodes;
        kindOf = new Kind[nodes];
        freeCpu = new long[nodes];
        freeMemory = new long[nodes];
        freeGpus = new int[nodes];
        closed = new boolean[nodes];
    }

    /** The cluster in JSON lines, with about that many pods. */
    static String of(int nodes, int pods) {
        OpenbLikeCluster cluster = new OpenbLikeCluster(nodes);
        for (int i = 0; i < nodes; i++) {
            cluster.node(i);
        }
        cluster.pods(pods);
        return cluster.text.toString();
    }

    private void node(int index) {
        int drawn = random.nextInt(100);
        int at = 0;
        while (drawn >= KINDS[at].percent) {
            drawn -= KINDS[at++].percent;
        }
        Kind kind = KINDS[at];
        kindOf[index] = kind;
        freeCpu[index] = kind.milliCpu;
        freeMemory[index] = kind.gibibytes << 10;
        freeGpus[index] = kind.gpus;
        boolean isCordoned = random.nextInt(60) == 0;
        boolean isDedicated = kind.type.equals("gpu-g3x8");
        closed[index] = isCordoned;
        line(
                "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"labels\":{\"topology.kubernetes.io/zone\":"
                        + "\"eu-1%s\",\"node.kubernetes.io/instance-type\":\"%s\",\"kubernetes.io/hostname\":\"%1$s\"}},\"spec\":"
                        + "{\"unschedulable\":%s,\"taints\":[%s]},\"status\":{\"allocatable\":{\"cpu\":\"%dm\",\"memory\":\"%dGi\","
                        + "\"ephemeral-storage\":\"400Gi\",\"pods\":\"110\"%s},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
                String.format(Locale.ROOT, "node-%04d", index),
                "abc".charAt(index % 3),
                kind.type,
                isCordoned,
                isDedicated ? "{\"key\":\"dedicated\",\"value\":\"research\",\"effect\":\"NoSchedule\"}" : "",
                kind.milliCpu,
                kind.gibibytes,
                kind.gpus == 0 ? "" : ",\"nvidia.com/gpu\":\"" + kind.gpus + "\"");
    }

    private void pods(int pods) {
        int made = 0;
        // Some are pending, since they need resources that do not exist.
        int waiting = Math.max(4, Math.min(200, pods / 40));
        for (int app = 0; made < pods - waiting; app++) {
            int drawn = random.nextInt(100);
            int at = 0;
            while (drawn >= SHAPES[at].percent) {
                drawn -= SHAPES[at++].percent;
            }
            int replicas = Math.min(pods - waiting - made, 1 + random.nextInt(Math.max(2, pods / 90)));
            application(SHAPES[at], app, replicas);
            made += replicas;
        }
        int share = Math.max(1, waiting / 8);
        String selector = "%d node(s) didn't match Pod's node affinity/selector";
        waiting(
                new Shape("search", "ReplicaSet", 0, 2_000, 4_096, 0, 1_000),
                share * 2,
                ",\"nodeSelector\":{\"disk\":\"nvme\"}",
                "Unschedulable",
                selector);
        waiting(
                new Shape("llm", "Job", 0, 90_000, 300_000, 8, 500),
                share * 2,
                "",
                "Unschedulable",
                "%d Insufficient nvidia.com/gpu");
        waiting(
                new Shape("warehouse", "StatefulSet", 0, 100_000, 700_000, 0, 0),
                share,
                "",
                "Unschedulable",
                "%d Insufficient memory");
        waiting(
                new Shape("nightly", "Job", 0, 4_000, 8_192, 0, 0),
                share * 2,
                ",\"schedulingGates\":[{\"name\":\"example.com/quota\"}]",
                "SchedulingGated",
                "");
        waiting(
                new Shape("render", "Job", 0, 8_000, 16_384, 2, 0),
                share,
                ",\"nodeSelector\":{\"disk\":\"nvme\"}",
                "Unschedulable",
                selector);
    }

    // As they stand in the dump of a cluster whose scheduler has tried them.
    private void waiting(Shape shape, int replicas, String more, String reason, String message) {
        for (int i = 0; i < replicas; i++) {
            int cordoned = 1 + random.nextInt(1 + nodes / 100);
            String said = reason.equals("SchedulingGated")
                    ? "Scheduling is blocked due to non-empty scheduling gates"
                    : "0/" + nodes + " nodes are available: " + cordoned + " node(s) were unschedulable, "
                            + String.format(Locale.ROOT, message, nodes - cordoned)
                            + ". preemption: 0/" + nodes + " nodes are available: " + nodes
                            + " Preemption is not helpful for scheduling.";
            String status =
                    ",\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\""
                            + reason + "\",\"message\":\"" + said + "\"}]}";
            pod(shape, 900 + i % 3, i, "", more, status);
        }
    }

    private void application(Shape shape, int app, int replicas) {
        for (int i = 0; i < replicas; i++) {
            int node = place(shape);
            // Now and then a node was lost, and its pods wait.
            boolean isBound = node >= 0 && random.nextInt(120 + replicas / 4) != 0;
            pod(shape, app, i, isBound ? String.format(Locale.ROOT, "node-%04d", node) : "", "", "");
            if (isBound) {
                freeCpu[node] -= shape.milliCpu;
                freeMemory[node] -= shape.mebibytes;
                freeGpus[node] -= shape.gpus;
            }
        }
    }

    // Of some that have room, the fullest half of the time, and else the emptiest.
    private int place(Shape shape) {
        boolean packs = random.nextBoolean();
        int best = -1;
        for (int i = 0; i < TRIES; i++) {
            int node = random.nextInt(nodes);
            boolean fits = !closed[node]
                    && freeCpu[node] >= shape.milliCpu
                    && freeMemory[node] >= shape.mebibytes
                    && freeGpus[node] >= shape.gpus
                    && (shape.gpus > 0 || kindOf[node].gpus == 0 || random.nextInt(3) > 0);
            if (fits && (best < 0 || packs == (freeCpu[node] < freeCpu[best]))) {
                best = node;
            }
        }
        return best;
    }

    private void pod(Shape shape, int app, int index, String node, String more, String status) {
        String name = shape.name + "-" + app;
        boolean isReplicaSet = shape.kind.equals("ReplicaSet");
        String suffix = shape.kind.equals("StatefulSet")
                ? Integer.toString(index)
                : Integer.toString(random.nextInt(1296, 46656), 36) + Integer.toString(36 + index, 36);
        line(
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s-%s\",\"namespace\":\"%s\",\"labels\":{\"app\":\"%s\"%s},"
                        + "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"%s\",\"name\":\"%1$s\",\"uid\":\"%1$s\","
                        + "\"controller\":true}]},\"spec\":{%s\"priority\":%d,\"tolerations\":[{\"key\":\"dedicated\",\"operator\":"
                        + "\"Exists\"}],\"containers\":[{\"name\":\"main\",\"image\":\"%s\",\"resources\":{\"requests\":{\"cpu\":"
                        + "\"%dm\",\"memory\":\"%dMi\"%s}}}]%s}%s}",
                name + (isReplicaSet ? "-6f7d9c" : ""),
                suffix,
                "team-" + (char) ('a' + app % 12),
                shape.name,
                isReplicaSet ? ",\"pod-template-hash\":\"6f7d9c\"" : "",
                shape.kind,
                node.isEmpty() ? "" : "\"nodeName\":\"" + node + "\",",
                shape.priority,
                shape.name,
                shape.milliCpu,
                shape.mebibytes,
                shape.gpus == 0 ? "" : ",\"nvidia.com/gpu\":\"" + shape.gpus + "\"",
                more,
                status);
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
