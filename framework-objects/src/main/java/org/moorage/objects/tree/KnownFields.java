// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.objects.Suggestions;

/**
 * The fields of the kinds that scheduling reads, as of Kubernetes v1.37, to find those of an object that are misspelt.
 * A newer API server has more, so an unknown one is no more than a doubt.
 */
final class KnownFields {
    private static final String OF_VALUES = "{}";

    private static final Map<String, Map<String, String>> FIELDS_BY_TYPE = new HashMap<>();
    private static final Map<String, String> TYPE_BY_KIND = new HashMap<>();

    static {
        for (String line : BuiltInKinds.lines("fields.txt")) {
            int equals = line.indexOf(" = ");
            if (equals >= 0) {
                TYPE_BY_KIND.put(line.substring(0, equals), line.substring(equals + " = ".length()));
            } else {
                int colon = line.indexOf(": ");
                FIELDS_BY_TYPE.put(line.substring(0, colon), fields(line.substring(colon + ": ".length())));
            }
        }
    }

    /** Kinds with a status that kubelets and controllers write, not users. */
    private static final Set<String> STATUSES_READ = Set.of("v1/Node");

    /**
     * A field that its type does not have.
     *
     * @param path where it is
     * @param hint ends a message with what may have been meant; empty if nothing is like it
     */
    record UnknownField(String path, String hint) {}

    private KnownFields() {}

    private static Map<String, String> fields(String line) {
        Map<String, String> typeByName = new HashMap<>();
        for (String field : line.split(" ", -1)) {
            int equals = field.indexOf('=');
            typeByName.put(
                    equals < 0 ? field : field.substring(0, equals), equals < 0 ? "" : field.substring(equals + 1));
        }
        return typeByName;
    }

    /** Returns whether scheduling reads objects of a kind. */
    static boolean areOf(String apiVersion, String kind) {
        return TYPE_BY_KIND.containsKey(known(apiVersion, kind));
    }

    private static String kindOf(ObjectNode object) {
        return known(object.path("apiVersion").asText(""), object.path("kind").asText(""));
    }

    /** Returns whether the kind of an object has all of its fields, or nothing is known of the kind. */
    static boolean areAllKnown(ObjectNode object) {
        String kind = kindOf(object);
        String type = TYPE_BY_KIND.get(kind);
        return type == null || areAllKnown(object, type, !STATUSES_READ.contains(kind));
    }

    /** Returns the fields of an object that its kind does not have; none if nothing is known of the kind. */
    static List<UnknownField> unknownIn(ObjectNode object) {
        String kind = kindOf(object);
        String type = TYPE_BY_KIND.get(kind);
        List<UnknownField> unknown = new ArrayList<>();
        if (type != null && !areAllKnown(object, type, !STATUSES_READ.contains(kind))) {
            Map<String, String> fields = FIELDS_BY_TYPE.getOrDefault(type, Map.of());
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                if (!field.getKey().equals("status") || STATUSES_READ.contains(kind)) {
                    check("", field, fields, unknown);
                }
            }
        }
        return unknown;
    }

    // Most objects have known fields only; then no path is needed.
    private static boolean areAllKnown(JsonNode value, String type, boolean skipsStatus) {
        if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                if (!areAllKnown(value.path(i), type, false)) {
                    return false;
                }
            }
            return true;
        }
        boolean isMap = type.startsWith(OF_VALUES);
        Map<String, String> known = isMap ? Map.of() : FIELDS_BY_TYPE.getOrDefault(type, Map.of());
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            String typeOfField = isMap ? type.substring(OF_VALUES.length()) : known.get(field.getKey());
            boolean isSkipped = skipsStatus && field.getKey().equals("status");
            if (!isSkipped
                    && (typeOfField == null
                            || (isMap || !typeOfField.isEmpty())
                                    && !areAllKnown(field.getValue(), typeOfField, false))) {
                return false;
            }
        }
        return true;
    }

    // Versions that these fields are not taken from have those of the model's version.
    private static String known(String apiVersion, String kind) {
        String exact = apiVersion + "/" + kind;
        return TYPE_BY_KIND.containsKey(exact)
                        || !KindVersions.isNewer(apiVersion, KindVersions.known(apiVersion, kind))
                ? exact
                : KindVersions.known(apiVersion, kind) + "/" + kind;
    }

    private static void check(
            String path, Map.Entry<String, JsonNode> field, Map<String, String> known, List<UnknownField> unknown) {
        String name = field.getKey();
        String type = known.get(name);
        if (type == null) {
            unknown.add(new UnknownField(path + name, Suggestions.hint(name, known.keySet())));
        } else if (!type.isEmpty()) {
            checkValue(path + name, field.getValue(), type, unknown);
        }
    }

    private static void checkValue(String path, JsonNode value, String type, List<UnknownField> unknown) {
        if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                checkValue(path + "[" + i + "]", value.path(i), type, unknown);
            }
        } else if (type.startsWith(OF_VALUES)) {
            for (Map.Entry<String, JsonNode> entry : value.properties()) {
                checkValue(path + "." + entry.getKey(), entry.getValue(), type.substring(OF_VALUES.length()), unknown);
            }
        } else {
            Map<String, String> known = FIELDS_BY_TYPE.getOrDefault(type, Map.of());
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                check(path + ".", field, known, unknown);
            }
        }
    }
}
