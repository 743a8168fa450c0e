// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Container;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Extender;
import org.moorage.config.ExtenderConfig;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.tree.GoStruct;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.internal.cache.ClusterSnapshot;

/**
 * One extender, called over HTTP. Same requests, same reading of answers and same failures as kube-scheduler's
 * HTTPExtender, with one difference: each node in an answer must be one of the request, even in answers with whole
 * nodes.
 */
public final class HttpExtender implements Extender {
    private static final Set<KeptJson> NODES = Set.of(KeptJson.NODES);

    private final ExtenderConfig config;
    private final ExtenderConnection connection;
    private final Supplier<Snapshot> snapshot;
    private final Set<String> managedResources;
    private final TreeDecoder decoder = new TreeDecoder();

    HttpExtender(ExtenderConfig config, ExtenderConnection connection, Supplier<Snapshot> snapshot) {
        this.config = config;
        this.connection = connection;
        this.snapshot = snapshot;
        managedResources = config.managedResources().stream()
                .map(ExtenderConfig.ManagedResource::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public String name() {
        return config.urlPrefix();
    }

    @Override
    public boolean isIgnorable() {
        return config.ignorable();
    }

    @Override
    public boolean supportsPreemption() {
        return !config.preemptVerb().isEmpty();
    }

    boolean isFilter() {
        return !config.filterVerb().isEmpty();
    }

    boolean isPrioritizer() {
        return !config.prioritizeVerb().isEmpty();
    }

    boolean isBinder() {
        return !config.bindVerb().isEmpty();
    }

    @Override
    public boolean isInterested(Pod pod) {
        return managedResources.isEmpty()
                || usesManaged(pod.spec().containers())
                || usesManaged(pod.spec().initContainers());
    }

    private boolean usesManaged(List<Container> containers) {
        for (Container container : containers) {
            for (String resource : managedResources) {
                if (container.requests().containsKey(resource)
                        || container.limits().containsKey(resource)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Requests which of these nodes are feasible.
     *
     * @param statuses receives the status of each node that the extender reports as failed; other nodes get none
     * @return the feasible nodes, without duplicates. If the extender answers with whole nodes, they have no pods, as
     *     in kube-scheduler
     * @throws ExtenderException if the request fails
     */
    List<NodeInfo> filter(Pod pod, List<NodeInfo> nodes, Map<String, Status> statuses) {
        byte[] body = ExtenderBodies.args(pod, nodes, config.nodeCacheCapable());
        return read(
                ask(config.filterVerb(), body),
                "ExtenderFilterResult",
                answer -> filtered(answer.asObject(), nodes, statuses));
    }

    private List<NodeInfo> filtered(GoStruct answer, List<NodeInfo> nodes, Map<String, Status> statuses) {
        Optional<List<ObjectNode>> whole = answer.objects("Nodes", "v1.NodeList");
        Optional<List<String>> names = answer.texts("NodeNames");
        Map<String, String> failed = answer.textByName("FailedNodes", "v1.FailedNodesMap");
        Map<String, String> unresolvable = answer.textByName("FailedAndUnresolvableNodes", "v1.FailedNodesMap");
        String error = answer.text("Error");
        if (!error.isEmpty()) {
            throw new ExtenderException(error);
        }
        List<NodeInfo> left = left(nodes, whole, names);
        failed.forEach((name, message) -> statuses.put(name, Status.unschedulable(message)));
        unresolvable.forEach((name, message) -> statuses.put(name, Status.unresolvable(message)));
        return left;
    }

    private List<NodeInfo> left(List<NodeInfo> nodes, Optional<List<ObjectNode>> whole, Optional<List<String>> names) {
        Map<String, NodeInfo> byName = new HashMap<>();
        for (NodeInfo node : nodes) {
            byName.put(node.name(), node);
        }
        Map<String, NodeInfo> left = new LinkedHashMap<>();
        if (config.nodeCacheCapable() && names.isPresent()) {
            for (String name : names.get()) {
                left.putIfAbsent(name, sent(name, byName));
            }
        } else if (whole.isPresent()) {
            for (ObjectNode object : whole.get()) {
                Node node = decoder.node(object, NODES);
                left.putIfAbsent(node.name(), ClusterSnapshot.withoutPods(sent(node.name(), byName), node));
            }
        }
        return List.copyOf(left.values());
    }

    private NodeInfo sent(String name, Map<String, NodeInfo> byName) {
        NodeInfo node = byName.get(name);
        if (node == null) {
            throw new ExtenderException("extender \"" + name() + "\" claims a filtered node \"" + name
                    + "\" which is not found in the input node list");
        }
        return node;
    }

    // An unreadable answer is a failure of the extender.
    private static <T> T read(ExtenderConnection.Call call, String struct, Function<GoStruct, T> reading) {
        byte[] answer = call.await();
        try {
            return reading.apply(GoStruct.read(struct, answer));
        } catch (ObjectDecodeException malformed) {
            throw new ExtenderException(String.valueOf(malformed.getMessage()), false, malformed);
        }
    }

    /** Starts a request for scores. */
    ExtenderConnection.Call startPrioritize(Pod pod, List<NodeInfo> nodes) {
        return ask(config.prioritizeVerb(), ExtenderBodies.args(pod, nodes, config.nodeCacheCapable()));
    }

    /**
     * Waits for scores.
     *
     * @return the weighted scores by node
     * @throws ExtenderException if the request fails
     */
    Map<String, Long> awaitPrioritize(ExtenderConnection.Call call) {
        return read(call, "HostPriorityList", hosts -> {
            Map<String, Long> scores = new LinkedHashMap<>();
            for (GoStruct host : hosts.items("HostPriority")) {
                // Extenders score up to 10, plugins up to 100.
                scores.merge(host.text("Host"), host.number("Score") * config.weight() * 10, Long::sum);
            }
            return scores;
        });
    }

    /**
     * Binds the pod.
     *
     * @throws ExtenderException if the request fails
     */
    void bind(Pod pod, String nodeName) {
        ExtenderConnection.Call call = connection.post(
                config.bindVerb(),
                url(config.bindVerb()),
                ExtenderBodies.bindingArgs(pod, nodeName),
                config.httpTimeout());
        String error =
                read(call, "ExtenderBindingResult", answer -> answer.asObject().text("Error"));
        if (!error.isEmpty()) {
            throw new ExtenderException(error, true, null);
        }
    }

    @Override
    public Map<String, Victims> processPreemption(Pod pod, Map<String, Victims> victimsByNode) {
        byte[] body = ExtenderBodies.preemptionArgs(pod, victimsByNode, config.nodeCacheCapable());
        return read(ask(config.preemptVerb(), body), "ExtenderPreemptionResult", answer -> {
            Map<String, Victims> left = new LinkedHashMap<>();
            answer.asObject()
                    .structByName("NodeNameToMetaVictims", "MetaVictims")
                    .forEach((nodeName, victims) -> left.put(nodeName, victims(nodeName, victims)));
            return left;
        });
    }

    private Victims victims(String nodeName, GoStruct answer) {
        NodeInfo node = snapshot.get()
                .node(nodeName)
                .orElseThrow(() -> new ExtenderException("nodeinfo not found for node name \"" + nodeName + "\""));
        List<Pod> pods = new ArrayList<>();
        for (GoStruct victim : answer.structs("Pods", "MetaPod")) {
            pods.add(pod(victim.text("UID"), node));
        }
        return Victims.of(pods, answer.number("NumPDBViolations"));
    }

    private Pod pod(String uid, NodeInfo node) {
        for (Pod pod : node.pods()) {
            if (pod.uid().equals(uid)) {
                return pod;
            }
        }
        throw new ExtenderException("extender: " + name() + " claims to preempt pod (UID: &{" + uid + "}) on node: "
                + node.name() + ", but the pod is not found on that node");
    }

    private ExtenderConnection.Call ask(String verb, byte[] body) {
        return connection.ask(verb, url(verb), body, config.httpTimeout());
    }

    private String url(String verb) {
        return name().replaceFirst("/+$", "") + "/" + verb;
    }
}
