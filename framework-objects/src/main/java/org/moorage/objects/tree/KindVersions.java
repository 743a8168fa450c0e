// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.ObjectDecodeException;

/**
 * The versions of kinds that can be read, alongside the model's. An API server that does not serve the model's version
 * has the same objects in an older one; a newer API server may serve a newer one. Kubernetes 1.34 is the oldest that
 * matters; the other kinds that the scheduler reads have no other version there. Groups of pods are {@code v1} as of
 * 1.38, with the fields that they have in {@code v1beta1}.
 */
public final class KindVersions {
    private static final String V1BETA1 = "resource.k8s.io/v1beta1";
    private static final String V1ALPHA3 = "resource.k8s.io/v1alpha3";
    private static final List<String> OF_DEVICES = List.of("v1", "v1beta2", "v1beta1");
    private static final List<String> OF_GROUPS = List.of("v1", "v1beta1", "v1alpha3");

    /** By group and kind, the versions that are asked for, newest first. */
    private static final Map<String, List<String>> NEWEST_FIRST = Map.of(
            "resource.k8s.io/ResourceClaim", OF_DEVICES,
            "resource.k8s.io/ResourceSlice", OF_DEVICES,
            "resource.k8s.io/DeviceClass", OF_DEVICES,
            "resource.k8s.io/ResourceClaimTemplate", OF_DEVICES,
            "resource.k8s.io/DeviceTaintRule", List.of("v1", "v1beta2", "v1alpha3"),
            "scheduling.k8s.io/PodGroup", OF_GROUPS,
            "scheduling.k8s.io/CompositePodGroup", OF_GROUPS,
            "scheduling.k8s.io/Workload", OF_GROUPS);

    /** A version of an API: its number, how stable it is, and the number of its alpha or beta. */
    private static final Pattern VERSION = Pattern.compile("v([0-9]{1,9})(?:(alpha|beta)([0-9]{1,9}))?");

    /** Fields that a request has itself in v1beta1, and in {@code exactly} in later versions. */
    private static final Set<String> OF_EXACT_REQUESTS = Set.of(
            "deviceClassName",
            "selectors",
            "allocationMode",
            "count",
            "adminAccess",
            "tolerations",
            "capacity",
            "derivedAttributes");

    private KindVersions() {}

    /**
     * Returns a kind in all versions whose objects are asked for, newest first: the kind alone if there is no other.
     */
    public static <T extends ClusterObject> List<ObjectKind<T>> readable(ObjectKind<T> kind) {
        List<ObjectKind<T>> all = new ArrayList<>();
        for (String version : NEWEST_FIRST.getOrDefault(kind.group() + "/" + kind.kind(), List.of())) {
            String apiVersion = kind.group() + "/" + version;
            all.add(
                    apiVersion.equals(kind.apiVersion())
                            ? kind
                            : new ObjectKind<>(apiVersion, kind.kind(), kind.plural(), kind.namespaced(), kind.type()));
        }
        return all.contains(kind) ? all : List.of(kind);
    }

    /** Returns whether objects of a version are read as those of the model's version, and no doubt is left. */
    static boolean isReadable(String apiVersion, String kind) {
        String group = ObjectKind.groupOf(apiVersion);
        return NEWEST_FIRST.getOrDefault(group + "/" + kind, List.of()).contains(versionOf(apiVersion));
    }

    /**
     * Returns the kind of the model that has another version of this name: one that is {@linkplain #readable}, or any
     * newer one.
     */
    static Optional<ObjectKind<?>> find(String apiVersion, String kind) {
        for (ObjectKind<?> typed : ObjectKind.TYPED) {
            if (typed.kind().equals(kind)
                    && typed.group().equals(ObjectKind.groupOf(apiVersion))
                    && (isReadable(apiVersion, kind) || isNewer(apiVersion, typed.apiVersion()))) {
                return Optional.of(typed);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the API version that a kind is known in: the model's for a kind that the model has and a version that is
     * read as that, or else the version itself.
     */
    public static String known(String apiVersion, String kind) {
        for (ObjectKind<?> typed : ObjectKind.TYPED) {
            if (typed.kind().equals(kind) && typed.apiVersion().equals(apiVersion)) {
                return apiVersion;
            }
        }
        return find(apiVersion, kind).<String>map(ObjectKind::apiVersion).orElse(apiVersion);
    }

    /**
     * Returns whether a version of a group is newer than another one, as Kubernetes orders them: {@code v1alpha3,
     * v1beta1, v1, v2alpha1, v2}.
     */
    public static boolean isNewer(String apiVersion, String than) {
        Matcher version = VERSION.matcher(versionOf(apiVersion));
        Matcher other = VERSION.matcher(versionOf(than));
        return version.matches() && other.matches() && order(version) > order(other);
    }

    private static long order(Matcher version) {
        String stability = Objects.requireNonNullElse(version.group(2), "");
        long level = stability.isEmpty() ? 2 : stability.equals("beta") ? 1 : 0;
        long last = stability.isEmpty() ? 0 : Long.parseLong(version.group(3));
        return ((Long.parseLong(version.group(1)) * 3 + level) << 30) + last;
    }

    private static String versionOf(String apiVersion) {
        return apiVersion.substring(apiVersion.indexOf('/') + 1);
    }

    /**
     * Returns an object of any version in the shape that it has in the model's version; the object itself if that is
     * its own shape.
     *
     * @throws ObjectDecodeException if it contains something that the model's version cannot express
     */
    static ObjectNode upgraded(ObjectNode object) {
        String apiVersion = object.path("apiVersion").asText("");
        String kind = object.path("kind").asText("");
        if (apiVersion.equals(V1BETA1) && kind.equals("ResourceClaim")) {
            return withRequests(object, KindVersions::upgradedRequest);
        }
        if (apiVersion.equals(V1BETA1) && kind.equals("ResourceSlice")) {
            return with(object, "spec", spec -> withEach(spec, "devices", KindVersions::upgradedDevice));
        }
        if (apiVersion.equals(V1ALPHA3) && kind.equals("DeviceTaintRule")) {
            refuseClassAndSelectors(object);
        }
        return object;
    }

    /**
     * Returns an object in the shape of the model's version as another version has it, with that version's name.
     *
     * @param kind the object's kind in the other version
     */
    public static ObjectNode inVersion(ObjectNode object, ObjectKind<?> kind) {
        if (kind.apiVersion().equals(object.path("apiVersion").asText(""))) {
            return object;
        }
        ObjectNode other = copy(object).put("apiVersion", kind.apiVersion());
        return kind.apiVersion().equals(V1BETA1) && kind.kind().equals("ResourceClaim")
                ? withRequests(other, KindVersions::v1beta1Request)
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

    // There is only one type of device, so "basic" carries no information.
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

    // The decoder reports a value that is not an object.
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
