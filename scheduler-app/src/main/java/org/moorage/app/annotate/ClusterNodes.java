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
import org.moorage.api.plugin.ClusterException;
import org.moorage.app.kubernetes.ApiRequests;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecoder;

/** The nodes and pods of a cluster, as the API server has them when it is asked. */
public final class ClusterNodes {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ApiRequests requests;
    private final ObjectDecoder decoder = new ObjectDecoder();

    /** Those of the cluster that requests go to. */
    public ClusterNodes(ApiRequests requests) {
        this.requests = requests;
    }

    /**
     * A node and where it is reached.
     *
     * @param internalIp its address of type InternalIP; empty if it has none
     */
    record AddressedNode(Node node, Optional<String> internalIp) {}

    List<AddressedNode> nodes() {
        List<AddressedNode> nodes = new ArrayList<>();
        for (ObjectNode item : list("nodes")) {
            nodes.add(new AddressedNode(
                    decoder.decode(ObjectKind.NODE, item, KeptJson.NONE), internalIp(item.at("/status/addresses"))));
        }
        return nodes;
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
        List<Pod> pods = new ArrayList<>();
        for (ObjectNode item : list("pods")) {
            if (!item.at("/spec/nodeName").asText().isEmpty()) {
                pods.add(decoder.decode(ObjectKind.POD, item, KeptJson.NONE));
            }
        }
        return pods;
    }

    private List<ObjectNode> list(String plural) {
        String what = "list " + plural;
        ObjectNode list = requests.get(what, "/api/v1/" + plural, TIMEOUT)
                .orElseThrow(
                        () -> new ClusterException(what + ": the server has none (expected: an API server)", 0, null));
        List<ObjectNode> items = new ArrayList<>();
        for (JsonNode item : list.path("items")) {
            if (item instanceof ObjectNode object) {
                items.add(object);
            }
        }
        return items;
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
