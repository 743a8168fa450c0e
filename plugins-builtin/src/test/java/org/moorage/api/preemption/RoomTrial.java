// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.group.PodGroupTrial;

/**
 * Tries a group on nodes that have room for so many pods. The pods of the group go to one node after the other,
 * beginning anew after the last one. A pod takes as much room as its label {@code size} says, 1 without one.
 */
final class RoomTrial implements PodGroupTrial {
    private static final String SIZE = "size";
    private static final Status TOO_FEW = Status.unschedulable("too few");

    private final Map<String, Integer> roomByNode;
    private final PodGroupLister groups;
    private final PodGroupInfo waiting;
    private final Map<String, List<Pod>> podsByNode = new LinkedHashMap<>();
    private final Deque<Runnable> undo = new ArrayDeque<>();
    private List<ProposedAssignment> assignments = List.of();
    private Optional<Status> failure = Optional.empty();

    RoomTrial(Map<String, Integer> roomByNode, List<Pod> pods, PodGroupLister groups, PodGroupInfo waiting) {
        this.roomByNode = roomByNode;
        this.groups = groups;
        this.waiting = waiting;
        roomByNode.keySet().forEach(node -> podsByNode.put(node, new ArrayList<>()));
        for (Pod pod : pods) {
            if (roomByNode.containsKey(pod.nodeName())) {
                on(pod.nodeName()).add(pod);
            }
        }
    }

    /** This trial, in which the group cannot be scheduled at all. */
    RoomTrial failing(String message) {
        failure = Optional.of(Status.error(message));
        return this;
    }

    private List<Pod> on(String node) {
        return podsByNode.getOrDefault(node, List.of());
    }

    @Override
    public Snapshot snapshot() {
        List<NodeInfo> nodes = podsByNode.keySet().stream().map(this::node).toList();
        return (Snapshot) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Snapshot.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "nodes" -> nodes;
                    case "node" ->
                        nodes.stream()
                                .filter(node -> node.name().equals(arguments[0]))
                                .findFirst();
                    case "podGroups" -> groups;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private NodeInfo node(String name) {
        return (NodeInfo) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {NodeInfo.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "name" -> name;
                    case "pods" -> List.copyOf(on(name));
                    case "lowestPriority" -> InvocationHandler.invokeDefault(proxy, method);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Override
    public void assume(Pod added, String nodeName) {
        on(nodeName).add(added);
        undo.push(() -> on(nodeName).remove(added));
    }

    @Override
    public void remove(Collection<Pod> removed, String nodeName) {
        List<Pod> before = List.copyOf(on(nodeName));
        if (!before.containsAll(removed)) {
            throw new IllegalArgumentException("pods: " + removed + " (expected: pods on node " + nodeName + ")");
        }
        on(nodeName).removeAll(removed);
        undo.push(() -> {
            on(nodeName).clear();
            on(nodeName).addAll(before);
        });
    }

    @Override
    public int changes() {
        return undo.size();
    }

    @Override
    public void revertTo(int changesLeft) {
        while (undo.size() > changesLeft) {
            undo.pop().run();
        }
    }

    @Override
    public Result schedule() {
        if (failure.isPresent()) {
            return Result.of(failure.get(), List.of());
        }
        int changes = changes();
        List<String> nodes = List.copyOf(podsByNode.keySet());
        List<ProposedAssignment> found = new ArrayList<>();
        int next = 0;
        for (Pod pod : waiting.unscheduledPods()) {
            for (int step = 0; step < nodes.size(); step++) {
                int place = (next + step) % nodes.size();
                if (hasRoom(nodes.get(place), pod)) {
                    assume(pod, nodes.get(place));
                    found.add(ProposedAssignment.of(pod, nodes.get(place), new CycleState()));
                    next = place + 1;
                    break;
                }
            }
        }
        revertTo(changes);
        if (found.size() < waiting.group().minimum()) {
            return Result.of(TOO_FEW, List.of());
        }
        assignments = List.copyOf(found);
        return Result.of(Status.success(), found);
    }

    @Override
    public boolean holds() {
        int changes = changes();
        boolean holds = true;
        for (ProposedAssignment assignment : assignments) {
            holds &= hasRoom(assignment.nodeName(), assignment.pod());
            assume(assignment.pod(), assignment.nodeName());
        }
        revertTo(changes);
        return holds;
    }

    private boolean hasRoom(String node, Pod added) {
        int taken = size(added);
        for (Pod pod : on(node)) {
            taken += size(pod);
        }
        return taken <= Optional.ofNullable(roomByNode.get(node)).orElse(0);
    }

    private static int size(Pod pod) {
        return Integer.parseInt(pod.labels().getOrDefault(SIZE, "1"));
    }
}
