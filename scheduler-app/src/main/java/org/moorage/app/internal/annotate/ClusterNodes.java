// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ObjectLists;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.ObjectTrees;

/** The nodes and pods of a cluster, read from the API server at each call. */
public final class ClusterNodes {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ApiRequests requests;
    private final ObjectLists<Node> nodes;
    private final ObjectLists<Node> nodesWithJson;
    private final ObjectLists<Pod> pods;

    /** Creates a reader for the cluster that the requests go to. */
    public ClusterNodes(ApiRequests requests) {
        this.requests = requests;
        nodes = new ObjectLists<>(requests, ObjectKind.NODE, KeptJson.NONE, TIMEOUT);
        nodesWithJson = new ObjectLists<>(requests, ObjectKind.NODE, EnumSet.of(KeptJson.NODES), TIMEOUT);
        pods = new ObjectLists<>(requests, ObjectKind.POD, KeptJson.NONE, TIMEOUT);
    }

    List<Node> nodes() {
        return read(nodes, Optional::of);
    }

    /**
     * A node and where it is reached.
     *
     * @param name its name
     * @param allocatable what pods may take of it
     * @param internalIp its address of type InternalIP; empty if it has none
     */
    record AddressedNode(String name, Map<String, Quantity> allocatable, Optional<String> internalIp) {}

    List<AddressedNode> addressedNodes() {
        return read(
                nodesWithJson,
                node -> Optional.of(new AddressedNode(
                        node.name(),
                        node.allocatable(),
                        internalIp(ObjectTrees.of(node.json().orElseThrow()).at("/status/addresses")))));
    }

    private static Optional<String> internalIp(JsonNode addresses) {
        for (JsonNode address : addresses) {
            if (address.path("type").asText().equals("InternalIP")) {
                return Optional.of(address.path("address").asText());
            }
        }
        return Optional.empty();
    }

    /** The pods that have a node. */
    List<Pod> boundPods() {
        return read(pods, pod -> Optional.of(pod).filter(Pod::isBound));
    }

    private static <T extends ClusterObject, R> List<R> read(ObjectLists<T> lists, Function<T, Optional<R>> part) {
        List<R> all = new ArrayList<>();
        lists.read(new ObjectLists.Taker<>() {
            @Override
            public void begin() {
                all.clear();
            }

            @Override
            public void add(T object) {
                part.apply(object).ifPresent(all::add);
            }
        });
        return all;
    }

    /**
     * Sets annotations of a node.
     *
     * @param annotations the values by key; those that are empty are removed
     */
    void annotate(String node, Map<String, Optional<String>> annotations) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode values = patch.putObject("metadata").putObject("annotations");
        annotations.forEach((key, value) -> values.put(key, value.orElse(null)));
        String ignored = requests.patch("annotate Node " + node, "/api/v1/nodes/" + node, patch.toString(), TIMEOUT);
    }
}
