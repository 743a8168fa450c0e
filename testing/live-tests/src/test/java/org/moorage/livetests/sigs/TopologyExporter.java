// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.sigs;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.PodVersions;

/**
 * Stands for the topology managers and the topology exporters of all nodes: gives each started pod cpus and as many Gi
 * of memory of one NUMA node, as the policy {@code single-numa-node} does, and writes what is left to the NodeResourceTopology of the node.
 */
final class TopologyExporter {
    private static final String API_VERSION = "topology.node.k8s.io/v1alpha2";
    static final String TOPOLOGIES = "/apis/" + API_VERSION + "/noderesourcetopologies";

    private final ApiAccess api;
    private final Map<String, Topology> topologies = new HashMap<>();
    private final List<String> refused = new ArrayList<>();

    /** The NUMA nodes of a node. */
    private static final class Topology {
        private final int cpus;
        private final int[] cpusLeft;
        private final List<String> pods = new ArrayList<>();

        Topology(int numaNodes, int cpus) {
            this.cpus = cpus;
            cpusLeft = new int[numaNodes];
            Arrays.fill(cpusLeft, cpus);
        }
    }

    TopologyExporter(ApiAccess api) {
        this.api = api;
    }

    /** Creates the topology of a node without pods. */
    synchronized void add(String node, int numaNodes, int cpusOfEach) {
        Topology topology = new Topology(numaNodes, cpusOfEach);
        topologies.put(node, topology);
        api.create(TOPOLOGIES, json(node, topology));
    }

    /** Aligns a pod that has started. */
    synchronized void started(JsonNode pod) {
        String node = PodVersions.nodeName(pod);
        Topology topology = topologies.get(node);
        if (topology == null) {
            return;
        }
        int cpus = pod.at("/spec/containers/0/resources/requests/cpu").asInt();
        int chosen = 0;
        while (chosen < topology.cpusLeft.length && topology.cpusLeft[chosen] < cpus) {
            chosen++;
        }
        if (chosen == topology.cpusLeft.length) {
            refused.add(PodVersions.name(pod) + " on " + node);
            return;
        }
        topology.cpusLeft[chosen] -= cpus;
        topology.pods.add(PodVersions.name(pod));
        api.patch(TOPOLOGIES + "/" + node, json(node, topology));
    }

    /** The pods that fitted into no NUMA node of the node that they were scheduled to. */
    synchronized List<String> refused() {
        return List.copyOf(refused);
    }

    /** The cpus that are left in all NUMA nodes. */
    synchronized int cpusLeft() {
        int left = 0;
        for (Topology topology : topologies.values()) {
            for (int cpus : topology.cpusLeft) {
                left += cpus;
            }
        }
        return left;
    }

    /** The number of pods that the topologies include. */
    synchronized int pods() {
        return topologies.values().stream()
                .mapToInt(topology -> topology.pods.size())
                .sum();
    }

    private static String json(String node, Topology topology) {
        StringJoiner zones = new StringJoiner(", ", "[", "]");
        for (int i = 0; i < topology.cpusLeft.length; i++) {
            zones.add("""
                    {"name": "node-%d", "type": "Node", "resources": [
                      {"name": "cpu", "capacity": "%2$d", "allocatable": "%2$d", "available": "%3$d"},
                      {"name": "memory", "capacity": "%2$dGi", "allocatable": "%2$dGi", "available": "%3$dGi"}]}""".formatted(i, topology.cpus, topology.cpusLeft[i]));
        }
        return """
                {"apiVersion": "%s", "kind": "NodeResourceTopology", "metadata": {"name": "%s"},
                 "attributes": [{"name": "topologyManagerPolicy", "value": "single-numa-node"},
                   {"name": "topologyManagerScope", "value": "pod"},
                   {"name": "nodeTopologyPodsFingerprint", "value": "%s"}],
                 "zones": %s}""".formatted(API_VERSION, node, fingerprint(topology.pods), zones);
    }

    /** Returns the fingerprint by which a scheduler knows which pods a topology includes. */
    private static String fingerprint(List<String> pods) {
        ByteBuffer hashes = ByteBuffer.allocate(Long.BYTES * pods.size()).order(ByteOrder.LITTLE_ENDIAN);
        pods.stream()
                .map(pod -> pod.split("/"))
                .map(names -> hash(names[1].getBytes(UTF_8), hash(names[0].getBytes(UTF_8), 0)))
                .sorted(Long::compareUnsigned)
                .forEach(hashes::putLong);
        return "pfp0v001%016x".formatted(hash(hashes.array(), 0));
    }

    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;

    /** XXH64. */
    private static long hash(byte[] bytes, long seed) {
        ByteBuffer input = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long hash = seed + PRIME_5;
        if (bytes.length >= 4 * Long.BYTES) {
            long[] lanes = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
            while (input.remaining() >= 4 * Long.BYTES) {
                for (int i = 0; i < lanes.length; i++) {
                    lanes[i] = mixed(lanes[i], input.getLong());
                }
            }
            hash = Long.rotateLeft(lanes[0], 1)
                    + Long.rotateLeft(lanes[1], 7)
                    + Long.rotateLeft(lanes[2], 12)
                    + Long.rotateLeft(lanes[3], 18);
            for (long lane : lanes) {
                hash = (hash ^ mixed(0, lane)) * PRIME_1 + PRIME_4;
            }
        }
        hash += bytes.length;
        while (input.remaining() >= Long.BYTES) {
            hash = Long.rotateLeft(hash ^ mixed(0, input.getLong()), 27) * PRIME_1 + PRIME_4;
        }
        if (input.remaining() >= Integer.BYTES) {
            long next = Integer.toUnsignedLong(input.getInt());
            hash = Long.rotateLeft(hash ^ next * PRIME_1, 23) * PRIME_2 + PRIME_3;
        }
        while (input.hasRemaining()) {
            hash = Long.rotateLeft(hash ^ Byte.toUnsignedLong(input.get()) * PRIME_5, 11) * PRIME_1;
        }
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long mixed(long lane, long value) {
        return Long.rotateLeft(lane + value * PRIME_2, 31) * PRIME_1;
    }
}
