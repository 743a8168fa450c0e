// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.annotate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ObjectLists;
import org.moorage.objects.ObjectDecoder;

/** The nodes and pods of a cluster, as the API server has them when it is asked. */
public final class ClusterNodes {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ApiRequests requests;
    private final ObjectLists<Node> nodes;
    private final ObjectLists<Pod> pods;

    /** Those of the cluster that requests go to. */
    public ClusterNodes(ApiRequests requests) {
        this.requests = requests;
        ObjectDecoder decoder = new ObjectDecoder();
        nodes = new ObjectLists<>(requests, ObjectKind.NODE, decoder, TIMEOUT);
        pods = new ObjectLists<>(requests, ObjectKind.POD, decoder, TIMEOUT);
    }

    /**
     * A node and where it is reached.
     *
     * @param internalIp its address of type InternalIP; empty if it has none
     */
    record AddressedNode(Node node, Optional<String> internalIp) {}

    List<AddressedNode> nodes() {
        List<AddressedNode> all = new ArrayList<>();
        nodes.read(new ObjectLists.Taker<>() {
            @Override
            public void begin() {
                all.clear();
            }

            @Override
            public void add(Node node, ObjectNode json) {
                all.add(new AddressedNode(node, internalIp(json.at("/status/addresses"))));
            }
        });
        return all;
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
        List<Pod> bound = new ArrayList<>();
        pods.read(new ObjectLists.Taker<>() {
            @Override
            public void begin() {
                bound.clear();
            }

            @Override
            public void add(Pod pod, ObjectNode json) {
                if (pod.isBound()) {
                    bound.add(pod);
                }
            }
        });
        return bound;
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
        ObjectNode ignored = requests.patch("annotate Node " + node, "/api/v1/nodes/" + node, patch, TIMEOUT);
    }
}
