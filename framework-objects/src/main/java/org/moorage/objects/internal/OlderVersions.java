// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.ObjectDecodeException;

/**
 * The versions of kinds that come before the model's: an API server that does not serve the model's version has the same objects in
 * one of these. Kubernetes 1.34 is the oldest that matters; whatever else the scheduler reads is {@code v1} there and has no other version,
 * but for groups, which servers before 1.37 have in another shape.
 */
public final class OlderVersions {
    private static final String V1BETA1 = "resource.k8s.io/v1beta1";
    private static final String V1BETA2 = "resource.k8s.io/v1beta2";
    private static final String V1ALPHA3 = "resource.k8s.io/v1alpha3";
    private static final String SCHEDULING_V1ALPHA3 = "scheduling.k8s.io/v1alpha3";

    private static final Map<ObjectKind<?>, List<String>> NEWEST_FIRST = Map.of(
            ObjectKind.RESOURCE_CLAIM, List.of(V1BETA2, V1BETA1),
            ObjectKind.RESOURCE_SLICE, List.of(V1BETA2, V1BETA1),
            ObjectKind.DEVICE_CLASS, List.of(V1BETA2, V1BETA1),
            ObjectKind.DEVICE_TAINT_RULE, List.of(V1BETA2, V1ALPHA3),
            ObjectKind.POD_GROUP, List.of(SCHEDULING_V1ALPHA3));

    /** What a request of v1beta1 has itself, and one of the later versions in {@code exactly}. */
    private static final Set<String> OF_EXACT_REQUESTS = Set.of(
            "deviceClassName",
            "selectors",
            "allocationMode",
            "count",
            "adminAccess",
            "tolerations",
            "capacity",
            "derivedAttributes");

    private OlderVersions() {}

    /** A kind in all versions whose objects can be read: the model's, and then the older ones, newest first. */
    public static <T extends ClusterObject> List<ObjectKind<T>> readable(ObjectKind<T> kind) {
        List<String> older = older(kind);
        List<ObjectKind<T>> all = new ArrayList<>();
        all.add(kind);
        for (String version : older) {
            all.add(new ObjectKind<>(version, kind.kind(), kind.plural(), kind.namespaced(), kind.type()));
        }
        return all;
    }

    // Also of a kind whose objects are taken as texts.
    private static List<String> older(ObjectKind<?> kind) {
        for (Map.Entry<ObjectKind<?>, List<String>> entry : NEWEST_FIRST.entrySet()) {
            ObjectKind<?> typed = entry.getKey();
            if (typed.kind().equals(kind.kind()) && typed.apiVersion().equals(kind.apiVersion())) {
                return entry.getValue();
            }
        }
        return List.of();
    }

    /** The kind of the model that has an older version of this name. */
    static Optional<ObjectKind<?>> find(String apiVersion, String kind) {
        for (Map.Entry<ObjectKind<?>, List<String>> entry : NEWEST_FIRST.entrySet()) {
            if (entry.getKey().kind().equals(kind) && entry.getValue().contains(apiVersion)) {
                return Optional.of(entry.getKey());
            }
        }
        return Optional.empty();
    }

    /**
     * An object of any version in the shape that it has in the model's version; the object itself if that is its own shape.
     *
     * @throws ObjectDecodeException if it says something that the model's version cannot
     */
    static ObjectNode upgraded(ObjectNode object) {
        String apiVersion = object.path("apiVersion").asText("");
        String kind = object.path("kind").asText("");
        if (apiVersion.equals(V1BETA1) && kind.equals("ResourceClaim")) {
            return withRequests(object, OlderVersions::upgradedRequest);
        }
        if (apiVersion.equals(V1BETA1) && kind.equals("ResourceSlice")) {
            return with(object, "spec", spec -> withEach(spec, "devices", OlderVersions::upgradedDevice));
        }
        if (apiVersion.equals(V1ALPHA3) && kind.equals("DeviceTaintRule")) {
            refuseClassAndSelectors(object);
        }
        return object;
    }

    /**
     * An object in the shape of the model's version as another version has it, with that version's name.
     *
     * @param kind the object's kind in the other version
     */
    public static ObjectNode inVersion(ObjectNode object, ObjectKind<?> kind) {
        if (kind.apiVersion().equals(object.path("apiVersion").asText(""))) {
            return object;
        }
        ObjectNode other = copy(object).put("apiVersion", kind.apiVersion());
        return kind.apiVersion().equals(V1BETA1) && kind.kind().equals("ResourceClaim")
                ? withRequests(other, OlderVersions::v1beta1Request)
                : other;
    }

    private static ObjectNode withRequests(ObjectNode claim, UnaryOperator<ObjectNode> change) {
        return with(claim, "spec", spec -> with(spec, "devices", devices -> withEach(devices, "requests", change)));
    }

    private static ObjectNode upgradedRequest(ObjectNode request) {
        ObjectNode upgraded = request.objectNode();
        ObjectNode exactly = request.objectNode();
        for (Map.Entry<String, JsonNode> field : request.properties()) {
            (OF_EXACT_REQUESTS.contains(field.getKey()) ? exactly : upgraded).set(field.getKey(), field.getValue());
        }
        // The server writes an empty class to a request that has alternatives.
        boolean isExact = exactly.properties().stream().anyMatch(field -> isSet(field.getValue()));
        return isExact ? upgraded.set("exactly", exactly) : upgraded;
    }

    private static boolean isSet(JsonNode value) {
        return !value.isNull()
                && !(value.isTextual() && value.textValue().isEmpty())
                && !(value.isNumber() && value.asDouble() == 0);
    }

    private static ObjectNode v1beta1Request(ObjectNode request) {
        if (!(request.path("exactly") instanceof ObjectNode exactly)) {
            return request;
        }
        ObjectNode flat = copy(request);
        flat.remove("exactly");
        return flat.setAll(exactly);
    }

    // There is one type of device, so that "basic" says nothing.
    private static ObjectNode upgradedDevice(ObjectNode device) {
        if (!(device.path("basic") instanceof ObjectNode basic)) {
            return device;
        }
        ObjectNode upgraded = copy(device);
        upgraded.remove("basic");
        return upgraded.setAll(basic);
    }

    // Before 1.36 rules could also select by class and by expressions. Without these a rule would taint more than it is
    // meant to.
    private static void refuseClassAndSelectors(ObjectNode rule) {
        JsonNode selector = rule.path("spec").path("deviceSelector");
        for (String field : List.of("deviceClassName", "selectors")) {
            if (!Fields.isAbsent(selector.path(field))) {
                throw new ObjectDecodeException(ObjectKey.of(rule).title() + ": spec.deviceSelector." + field + ": "
                        + Fields.shown(selector.path(field)) + " (expected: nothing but driver, pool and device)");
            }
        }
    }

    // What is no object is left to whoever reads it.
    private static ObjectNode with(ObjectNode object, String field, UnaryOperator<ObjectNode> change) {
        return object.path(field) instanceof ObjectNode value ? copy(object).set(field, change.apply(value)) : object;
    }

    private static ObjectNode withEach(ObjectNode object, String field, UnaryOperator<ObjectNode> change) {
        if (!(object.path(field) instanceof ArrayNode values)) {
            return object;
        }
        ArrayNode changed = values.arrayNode();
        for (JsonNode value : values) {
            changed.add(value instanceof ObjectNode element ? change.apply(element) : value);
        }
        return copy(object).set(field, changed);
    }

    private static ObjectNode copy(ObjectNode object) {
        return object.objectNode().setAll(object);
    }
}
