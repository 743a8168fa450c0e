// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.Patch;

/** What is written to the cluster: strategic merge patches, and new claims as JSON text. */
final class ClaimJson {
    private static final String STATUS = "status";

    private ClaimJson() {}

    /** A patch that has the cluster keep an allocated claim until nobody uses it. */
    static Patch addFinalizer(ResourceClaim claim) {
        return Patch.strategic("{\"metadata\":{\"uid\":" + text(claim.metadata().uid()) + ",\"finalizers\":["
                + text(ResourceClaim.FINALIZER) + "]}}");
    }

    /** A patch that lets the cluster delete a claim. */
    static Patch removeFinalizer(ResourceClaim claim) {
        return Patch.strategic("{\"metadata\":{\"uid\":" + text(claim.metadata().uid())
                + ",\"$deleteFromPrimitiveList/finalizers\":[" + text(ResourceClaim.FINALIZER) + "]}}");
    }

    /** A patch of the status that gives a claim devices, and a pod the claim. */
    static Patch allocate(ResourceClaim claim, DeviceAllocation allocation, Pod pod) {
        return status(claim, "\"allocation\":" + allocation(allocation) + ",\"reservedFor\":[" + consumer(pod) + "]");
    }

    /** A patch of the status that gives a pod a claim that has its devices already. */
    static Patch reserve(ResourceClaim claim, Pod pod) {
        return status(claim, "\"reservedFor\":[" + consumer(pod) + "]");
    }

    /** A patch of the status that takes a claim from a pod. */
    static Patch unreserve(ResourceClaim claim, Pod pod) {
        return status(claim, "\"reservedFor\":[{\"$patch\":\"delete\",\"uid\":" + text(pod.uid()) + "}]");
    }

    /** A patch of the status that takes its devices from a claim. */
    static Patch deallocate(ResourceClaim claim) {
        String version = claim.metadata().resourceVersion();
        String metadata = "\"uid\":" + text(claim.metadata().uid())
                + (version.isEmpty() ? "" : ",\"resourceVersion\":" + text(version));
        return Patch.strategic("{\"metadata\":{" + metadata
                        + "},\"status\":{\"allocation\":null,\"reservedFor\":null,\"devices\":null}}")
                .withPart(STATUS);
    }

    private static Patch status(ResourceClaim claim, String members) {
        return Patch.strategic(
                        "{\"metadata\":{\"uid\":" + text(claim.metadata().uid()) + "},\"status\":{" + members + "}}")
                .withPart(STATUS);
    }

    private static String consumer(Pod pod) {
        return "{\"resource\":\"pods\",\"name\":" + text(pod.name()) + ",\"uid\":" + text(pod.uid()) + "}";
    }

    /** A new claim for the extended resources of a pod. */
    static String extendedResourceClaim(Pod pod, List<DeviceRequest> requests) {
        String owner = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":" + text(pod.name()) + ",\"uid\":"
                + text(pod.uid()) + ",\"controller\":true}";
        return "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceClaim\",\"metadata\":{\"namespace\":"
                + text(pod.namespace()) + ",\"generateName\":" + text(pod.name() + "-extended-resources-")
                + ",\"annotations\":{" + text(ResourceClaim.EXTENDED_RESOURCES) + ":\"true\"},\"ownerReferences\":["
                + owner + "]},\"spec\":{\"devices\":{\"requests\":" + list(requests, ClaimJson::request) + "}}}";
    }

    private static String request(DeviceRequest request) {
        return "{\"name\":" + text(request.name()) + ",\"exactly\":{\"deviceClassName\":" + text(request.deviceClass())
                + ",\"allocationMode\":" + text(request.allocationMode()) + ",\"count\":" + request.count() + "}}";
    }

    /** A patch of a pod's status that says which claim has its extended resources. */
    static Patch extendedResourceStatus(Pod pod, String claimName, List<ExtendedResources.Mapping> mappings) {
        return Patch.strategic(
                        "{\"metadata\":{\"uid\":" + text(pod.uid()) + "},\"status\":{\"extendedResourceClaimStatus\":{"
                                + "\"resourceClaimName\":" + text(claimName) + ",\"requestMappings\":"
                                + list(
                                        mappings,
                                        mapping -> "{\"containerName\":" + text(mapping.container())
                                                + ",\"resourceName\":" + text(mapping.resource()) + ",\"requestName\":"
                                                + text(mapping.request()) + "}")
                                + "}}}")
                .withPart(STATUS);
    }

    /** A patch of a pod's status that says what its claims take of its node. */
    static Patch nodeResourceStatus(Pod pod, List<PodStatus.NodeResourceClaim> claims) {
        String members = claims.isEmpty()
                ? "null"
                : list(
                        claims,
                        claim -> "{\"resourceClaimName\":" + text(claim.claimName()) + ",\"containers\":"
                                + list(claim.containers(), ClaimJson::text) + ",\"resources\":"
                                + quantities(claim.resources()) + "}");
        return Patch.strategic("{\"metadata\":{\"uid\":" + text(pod.uid())
                        + "},\"status\":{\"nodeAllocatableResourceClaimStatuses\":" + members + "}}")
                .withPart(STATUS);
    }

    private static String allocation(DeviceAllocation allocation) {
        StringBuilder json =
                new StringBuilder("{\"devices\":{\"results\":").append(list(allocation.results(), ClaimJson::result));
        if (!allocation.config().isEmpty()) {
            json.append(",\"config\":").append(list(allocation.config(), ClaimJson::config));
        }
        json.append('}');
        allocation
                .nodeSelector()
                .ifPresent(selector -> json.append(",\"nodeSelector\":{\"nodeSelectorTerms\":")
                        .append(list(selector.terms(), ClaimJson::term))
                        .append('}'));
        allocation
                .time()
                .ifPresent(time -> json.append(",\"allocationTimestamp\":")
                        .append(text(time.truncatedTo(ChronoUnit.SECONDS).toString())));
        return json.append('}').toString();
    }

    private static String result(DeviceAllocation.Result result) {
        StringBuilder json = new StringBuilder("{\"request\":")
                .append(text(result.request()))
                .append(",\"driver\":")
                .append(text(result.driver()))
                .append(",\"pool\":")
                .append(text(result.pool()))
                .append(",\"device\":")
                .append(text(result.device()));
        if (result.adminAccess()) {
            json.append(",\"adminAccess\":true");
        }
        if (!result.tolerations().isEmpty()) {
            json.append(",\"tolerations\":").append(list(result.tolerations(), toleration -> toleration.json()));
        }
        if (!result.bindingConditions().isEmpty()) {
            json.append(",\"bindingConditions\":").append(list(result.bindingConditions(), ClaimJson::text));
        }
        if (!result.bindingFailureConditions().isEmpty()) {
            json.append(",\"bindingFailureConditions\":")
                    .append(list(result.bindingFailureConditions(), ClaimJson::text));
        }
        if (!result.shareId().isEmpty()) {
            json.append(",\"shareID\":").append(text(result.shareId()));
        }
        if (!result.consumedCapacity().isEmpty()) {
            json.append(",\"consumedCapacity\":").append(quantities(result.consumedCapacity()));
        }
        return json.append('}').toString();
    }

    // The text of a configuration is an object, and the other fields go in front of its own.
    private static String config(DeviceAllocation.Config config) {
        String own = config.config().json().substring(1);
        return "{\"source\":" + (config.isFromClass() ? "\"FromClass\"" : "\"FromClaim\"") + ",\"requests\":"
                + list(config.config().requests(), ClaimJson::text) + (own.equals("}") ? own : "," + own);
    }

    private static String term(NodeSelector.Term term) {
        return "{\"matchExpressions\":" + list(term.matchExpressions(), ClaimJson::requirement) + ",\"matchFields\":"
                + list(term.matchFields(), ClaimJson::requirement) + "}";
    }

    private static String requirement(NodeSelector.Requirement requirement) {
        return "{\"key\":" + text(requirement.key()) + ",\"operator\":" + text(requirement.operator()) + ",\"values\":"
                + list(requirement.values(), ClaimJson::text) + "}";
    }

    private static String quantities(Map<String, Quantity> quantities) {
        StringBuilder json = new StringBuilder("{");
        new TreeMap<>(quantities)
                .forEach((name, quantity) -> json.append(json.length() == 1 ? "" : ",")
                        .append(text(name))
                        .append(':')
                        .append(text(quantity.toString())));
        return json.append('}').toString();
    }

    private static <T> String list(List<T> values, Function<T, String> writer) {
        StringBuilder json = new StringBuilder("[");
        for (T value : values) {
            json.append(json.length() == 1 ? "" : ",").append(writer.apply(value));
        }
        return json.append(']').toString();
    }

    private static String text(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
