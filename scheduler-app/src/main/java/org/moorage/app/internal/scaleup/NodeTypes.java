// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scaleup;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.Device;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.Taint;
import org.moorage.app.internal.answer.NodeLabels;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.objects.Suggestions;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.whatif.NodeTemplate;
import org.moorage.simulation.whatif.RemovalRules;

/** Finds node types by name: a file with a node, a node of the cluster, or the instance type of a node. */
public final class NodeTypes {
    private static final String FILE = ".*(?:/.*|\\.(?:yaml|yml|json))";

    private final AskedCluster asked;
    private final List<Node> nodes;
    private final List<String> zones;
    private final Set<String> temporaryTaints;

    /**
     * Creates the node types that are known in a cluster.
     *
     * @param zones the zones to spread new nodes among; empty for the zone of the node that they are like
     * @param temporaryTaints the keys of taints that new nodes do not have
     */
    public NodeTypes(AskedCluster asked, List<String> zones, Collection<String> temporaryTaints) {
        this.asked = asked;
        this.zones = zones;
        this.temporaryTaints = Set.copyOf(temporaryTaints);
        nodes = asked.nodes();
    }

    /**
     * Returns the type with a name.
     *
     * @throws CommandException if there is none
     */
    public NodeTemplate find(String name) {
        if (asked.readsFiles() && name.matches(FILE)) {
            return ofFile(name);
        }
        Optional<Node> node = nodes.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .or(() -> nodes.stream()
                        .filter(known -> NodeLabels.instanceType(known).equals(name))
                        .findFirst());
        if (node.isPresent()) {
            return copying(name, node.get());
        }
        if (asked.readsFiles() && isFile(name)) {
            return ofFile(name);
        }
        Set<String> known = new LinkedHashSet<>();
        for (Node other : nodes) {
            known.add(other.name());
            known.add(NodeLabels.instanceType(other));
        }
        known.remove("");
        String kinds = asked.readsFiles()
                ? "no node, no instance type of a node, and no file"
                : "no node and no instance type of a node";
        throw new CommandException(
                "\"" + name + "\" is " + kinds + " (expected: one of these)." + Suggestions.hint(name, known));
    }

    private static boolean isFile(String name) {
        try {
            return Files.isRegularFile(Path.of(name));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private NodeTemplate ofFile(String file) {
        List<ClusterObject> objects = new ClusterDumpReader(asked.config(), asked.registry())
                .read(List.of(file), InputStream.nullInputStream())
                .objects();
        if (objects.size() != 1 || !(objects.get(0) instanceof Node node)) {
            List<String> found = new ArrayList<>();
            objects.stream()
                    .limit(3)
                    .forEach(object -> found.add(ObjectKind.of(object).kind() + " " + object.key()));
            throw new CommandException(file + ": " + String.join(", ", found) + (objects.size() > 3 ? ", ..." : "")
                    + " (expected: one Node)");
        }
        String name = String.valueOf(Path.of(file).getFileName());
        NodeTemplate type =
                new NodeTemplate(name, prefix(node.name()), withoutTemporary(node), List.of(), List.of(), zones);
        return type.withDaemonPods(asked.daemonPods(type.newNode(1)));
    }

    private Node withoutTemporary(Node node) {
        List<Taint> taints = new ArrayList<>(node.taints());
        taints.removeIf(taint -> temporaryTaints.contains(taint.key()));
        return node.toBuilder().taints(taints).build();
    }

    private NodeTemplate copying(String name, Node node) {
        NodeTemplate type =
                new NodeTemplate(name, prefix(name), withoutTemporary(node), beside(node), List.of(), zones);
        List<Pod> daemonPods = new ArrayList<>(podsOf(node));
        if (asked.hasDaemonSets()) {
            daemonPods.removeIf(RecreatedPod::isOfDaemonSet);
            daemonPods.addAll(asked.daemonPods(type.newNode(1)));
        }
        return type.withDaemonPods(daemonPods);
    }

    private List<ClusterObject> beside(Node node) {
        List<ClusterObject> beside = new ArrayList<>();
        Set<String> storageClasses = new HashSet<>();
        List<CsiStorageCapacity> capacities = new ArrayList<>();
        List<ResourceSlice> slices = new ArrayList<>();
        for (ClusterObject object : asked.dump().objects()) {
            if (object instanceof CsiNode && object.name().equals(node.name())) {
                beside.add(object);
            } else if (object instanceof ResourceSlice slice) {
                slices.add(slice);
            } else if (object instanceof CsiStorageCapacity capacity) {
                capacities.add(capacity);
                capacity.nodeTopology()
                        .filter(topology -> topology.matches(node.labels()))
                        .ifPresent(topology -> storageClasses.add(capacity.storageClassName()));
            }
        }
        beside.addAll(slices(node, slices));
        capacities.removeIf(capacity -> !storageClasses.contains(capacity.storageClassName()));
        beside.addAll(capacities);
        return beside;
    }

    // Slices of the node, and what slices that select nodes per device have of it.
    private static List<ResourceSlice> slices(Node node, List<ResourceSlice> all) {
        List<ResourceSlice> slices = new ArrayList<>();
        Map<List<String>, List<ResourceSlice>> shared = new LinkedHashMap<>();
        for (ResourceSlice slice : all) {
            List<Device> devices = new ArrayList<>(slice.devices());
            devices.removeIf(device -> !device.nodeSelection().nodeName().equals(node.name()));
            if (slice.nodeSelection().nodeName().equals(node.name())) {
                slices.add(slice);
            } else if (slice.perDeviceNodeSelection() && !devices.isEmpty()) {
                shared.computeIfAbsent(pool(slice), any -> new ArrayList<>()).add(slice.withDevices(devices));
            }
        }
        shared.forEach((pool, parts) -> {
            List<ResourceSlice> copied = new ArrayList<>(parts);
            all.stream()
                    .filter(slice -> slice.hasCounters() && pool(slice).equals(pool))
                    .forEach(copied::add);
            copied.forEach(slice -> slices.add(withSliceCount(slice, copied.size())));
        });
        return slices;
    }

    private static ResourceSlice withSliceCount(ResourceSlice slice, int count) {
        return new ResourceSlice(
                slice.metadata(),
                slice.driver(),
                new ResourceSlice.Pool(slice.pool().name(), slice.pool().generation(), count),
                slice.nodeSelection(),
                slice.perDeviceNodeSelection(),
                slice.devices(),
                slice.sharedCounters(),
                slice.skipNodeOperations());
    }

    private static List<String> pool(ResourceSlice slice) {
        return List.of(
                slice.driver(), slice.pool().name(), Long.toString(slice.pool().generation()));
    }

    // Returns the pods that each such node has: static pods and those of DaemonSets.
    private List<Pod> podsOf(Node node) {
        List<Pod> pods = new ArrayList<>();
        for (Pod pod : asked.dump().pods()) {
            if (pod.nodeName().equals(node.name())
                    && (RecreatedPod.isMirror(pod) || RemovalRules.isDaemon(pod))
                    && !pod.status().isTerminal()
                    && !pod.metadata().isDeleting()) {
                pods.add(pod);
            }
        }
        return pods;
    }

    private String prefix(String name) {
        String prefix = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]", "-") + "-new-";
        while (startsAny(prefix)) {
            prefix += "new-";
        }
        return prefix;
    }

    private boolean startsAny(String prefix) {
        return nodes.stream().anyMatch(node -> node.name().startsWith(prefix));
    }
}
