// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceConfig;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.DeviceToleration;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.objects.tree.ObjectStreams;

/** Converts resource claims and their allocations to the API server's JSON. */
final class ResourceClaimJson {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private ResourceClaimJson() {}

    /** Returns a new claim for the extended resources of a pod; the API server generates its name. */
    static ObjectNode forExtendedResources(Pod pod, List<DeviceRequest> requests) {
        ObjectNode claim = JSON.objectNode()
                .put("apiVersion", ObjectKind.RESOURCE_CLAIM.apiVersion())
                .put("kind", ObjectKind.RESOURCE_CLAIM.kind());
        ObjectNode metadata = claim.putObject("metadata")
                .put("namespace", pod.namespace())
                .put("generateName", pod.name() + "-extended-resources-");
        metadata.putObject("annotations").put(ResourceClaim.EXTENDED_RESOURCES, "true");
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", ObjectKind.POD.apiVersion())
                .put("kind", ObjectKind.POD.kind())
                .put("name", pod.name())
                .put("uid", pod.uid())
                .put("controller", true);
        ArrayNode list = claim.putObject("spec").putObject("devices").putArray("requests");
        for (DeviceRequest request : requests) {
            list.addObject()
                    .put("name", request.name())
                    .putObject("exactly")
                    .put("deviceClassName", request.deviceClass())
                    .put("allocationMode", request.allocationMode())
                    .put("count", request.count());
        }
        return claim;
    }

    /** Returns the allocation of a claim. */
    static ObjectNode allocation(DeviceAllocation allocation) {
        ObjectNode json = JSON.objectNode();
        ObjectNode devices = json.putObject("devices");
        ArrayNode results = devices.putArray("results");
        for (DeviceAllocation.Result result : allocation.results()) {
            results.add(result(result));
        }
        if (!allocation.config().isEmpty()) {
            ArrayNode configs = devices.putArray("config");
            for (DeviceAllocation.Config config : allocation.config()) {
                configs.add(config(config));
            }
        }
        allocation.nodeSelector().ifPresent(selector -> {
            ArrayNode terms = json.putObject("nodeSelector").putArray("nodeSelectorTerms");
            for (NodeSelector.Term term : selector.terms()) {
                ObjectNode termJson = terms.addObject();
                termJson.set("matchExpressions", requirements(term.matchExpressions()));
                termJson.set("matchFields", requirements(term.matchFields()));
            }
        });
        allocation
                .time()
                .ifPresent(time -> json.put(
                        "allocationTimestamp",
                        time.truncatedTo(ChronoUnit.SECONDS).toString()));
        return json;
    }

    private static ObjectNode result(DeviceAllocation.Result result) {
        ObjectNode json = JSON.objectNode()
                .put("request", result.request())
                .put("driver", result.driver())
                .put("pool", result.pool())
                .put("device", result.device());
        if (result.adminAccess()) {
            json.put("adminAccess", true);
        }
        if (!result.tolerations().isEmpty()) {
            ArrayNode tolerations = json.putArray("tolerations");
            for (DeviceToleration toleration : result.tolerations()) {
                tolerations.add(parsed(toleration.json()));
            }
        }
        putUnlessEmpty(json, "bindingConditions", result.bindingConditions());
        putUnlessEmpty(json, "bindingFailureConditions", result.bindingFailureConditions());
        if (!result.shareId().isEmpty()) {
            json.put("shareID", result.shareId());
        }
        if (!result.consumedCapacity().isEmpty()) {
            json.set("consumedCapacity", quantities(result.consumedCapacity()));
        }
        putUnlessEmpty(json, "skipNodeOperations", result.skipNodeOperations());
        return json;
    }

    private static void putUnlessEmpty(ObjectNode json, String field, List<String> values) {
        if (!values.isEmpty()) {
            json.set(field, texts(values));
        }
    }

    private static ObjectNode config(DeviceAllocation.Config config) {
        DeviceConfig own = config.config();
        ObjectNode json = JSON.objectNode().put("source", config.isFromClass() ? "FromClass" : "FromClaim");
        json.set("requests", texts(own.requests()));
        json.setAll(parsed(own.json()));
        return json;
    }

    private static ArrayNode requirements(List<NodeSelector.Requirement> requirements) {
        ArrayNode json = JSON.arrayNode();
        for (NodeSelector.Requirement requirement : requirements) {
            json.addObject()
                    .put("key", requirement.key())
                    .put("operator", requirement.operator())
                    .set("values", texts(requirement.values()));
        }
        return json;
    }

    /** Returns quantities by name. */
    static ObjectNode quantities(Map<String, Quantity> quantities) {
        ObjectNode json = JSON.objectNode();
        new TreeMap<>(quantities).forEach((name, quantity) -> json.put(name, quantity.toString()));
        return json;
    }

    private static ArrayNode texts(List<String> values) {
        ArrayNode json = JSON.arrayNode();
        values.forEach(json::add);
        return json;
    }

    // Values that scheduling does not read are kept as the text that the API server sent.
    private static ObjectNode parsed(String text) {
        try {
            return ObjectStreams.object(text);
        } catch (IOException e) {
            throw new IllegalArgumentException("json: " + text + " (expected: a JSON object)", e);
        }
    }
}
