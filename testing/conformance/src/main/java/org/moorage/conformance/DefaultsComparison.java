// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.conformance.Comparison.Match;
import org.moorage.objects.tree.Fields;

/**
 * Compares an object with the API server's form of it by meaning: the server writes quantities and times in a canonical
 * form, drops most empty fields, and always writes a few others.
 */
final class DefaultsComparison {

    private static final Set<String> QUANTITIES = Set.of(
            "capacity",
            "capacityMultiplier",
            "deviceMultiplier",
            "divisor",
            "maximumVolumeSize",
            "perContainer",
            "perPod",
            "sizeLimit");

    private static final Set<String> MAPS_OF_QUANTITIES = Set.of(
            "allocatable", "allocatedResources", "capacity", "consumedCapacity", "limits", "overhead", "requests");

    /** Maps in devices whose entries have a quantity in their "value". */
    private static final Set<String> MAPS_OF_VALUES = Set.of("capacity", "counters");

    private static final Set<String> TIMES = Set.of(
            "creationTimestamp", "deletionTimestamp", "lastProbeTime", "lastTransitionTime", "startTime", "timeAdded");

    /** Fields that Go serializes even if they are empty. */
    private static final Set<String> ALWAYS_WRITTEN = Set.of(
            "deviceClassName",
            "devices",
            "lastState",
            "loadBalancer",
            "metadata",
            "resources",
            "source",
            "spec",
            "state",
            "strategy",
            "template",
            "updateStrategy");

    /** Structs with fields that Go serializes even if they are zero; a zero value in them is not a default. */
    private static final Set<String> WRITTEN_WHOLE = Set.of("daemonEndpoints", "nodeInfo", "status");

    private final List<String> path = new ArrayList<>();
    private final List<Comparison> differences = new ArrayList<>();

    private DefaultsComparison() {}

    /**
     * Returns the fields in which the object differs from the API server's form; empty if they mean the same.
     *
     * @param actual Moorage's form; it may contain empty values that the server drops, and may lack a taint's time,
     *     which the server sets from its clock
     * @param expected the server's form
     */
    static List<Comparison> differences(JsonNode actual, JsonNode expected) {
        DefaultsComparison comparison = new DefaultsComparison();
        comparison.compare(actual, expected);
        return List.copyOf(comparison.differences);
    }

    private void compare(JsonNode actual, JsonNode expected) {
        if (actual.isObject() && expected.isObject()) {
            Set<String> keys = new TreeSet<>();
            actual.fieldNames().forEachRemaining(keys::add);
            expected.fieldNames().forEachRemaining(keys::add);
            keys.forEach(key -> compareAt(key, actual.path(key), expected.path(key)));
        } else if (actual.isArray() && expected.isArray() && actual.size() == expected.size()) {
            for (int i = 0; i < actual.size(); i++) {
                compareAt("[" + i + "]", actual.path(i), expected.path(i));
            }
        } else if (!meansTheSame(actual, expected)) {
            String field = String.join(".", path).replace(".[", "[");
            differences.add(new Comparison(field, shown(expected), shown(actual), Match.DIFFERENT, ""));
        }
    }

    private void compareAt(String step, JsonNode actual, JsonNode expected) {
        path.add(step);
        compare(actual, expected);
        path.remove(path.size() - 1);
    }

    private boolean meansTheSame(JsonNode actual, JsonNode expected) {
        if (Fields.isAbsent(expected)) {
            return isZero(actual);
        }
        if (Fields.isAbsent(actual)) {
            return key(0).equals("timeAdded")
                    || isAlwaysWritten(key(0), expected)
                    || (WRITTEN_WHOLE.contains(key(1)) && isZero(expected));
        }
        return actual.equals(expected)
                || (actual.isNumber() && expected.isNumber() && sameNumber(actual, expected))
                || (isQuantity() && sameAmount(actual, expected))
                || (TIMES.contains(key(0)) && sameSecond(actual.asText(), expected.asText()));
    }

    private boolean isQuantity() {
        return QUANTITIES.contains(key(0))
                || MAPS_OF_QUANTITIES.contains(key(1))
                || (key(0).equals("value") && MAPS_OF_VALUES.contains(key(2)));
    }

    /** Returns the last element of the path, or the one that many elements before it. */
    private String key(int stepsBefore) {
        int index = path.size() - 1 - stepsBefore;
        return index < 0 ? "" : path.get(index);
    }

    private static boolean isAlwaysWritten(String key, JsonNode expected) {
        if (WRITTEN_WHOLE.contains(key)) {
            return isZero(expected);
        }
        if (ALWAYS_WRITTEN.contains(key) && expected.isObject()) {
            return expected.properties().stream().allMatch(field -> isAlwaysWritten(field.getKey(), field.getValue()));
        }
        return Fields.isAbsent(expected) || (ALWAYS_WRITTEN.contains(key) && isZero(expected));
    }

    /** Returns whether a value consists only of Go's zero values, at all levels. */
    private static boolean isZero(JsonNode value) {
        if (value.isObject()) {
            return value.properties().stream().allMatch(field -> isZero(field.getValue()));
        }
        return Fields.isAbsent(value)
                || (value.isArray() && value.isEmpty())
                || (value.isTextual() && value.textValue().isEmpty())
                || (value.isBoolean() && !value.booleanValue())
                || (value.isNumber() && value.decimalValue().signum() == 0);
    }

    // Compares numbers of different types, such as int and long.
    private static boolean sameNumber(JsonNode actual, JsonNode expected) {
        return actual.decimalValue().compareTo(expected.decimalValue()) == 0;
    }

    private static boolean sameAmount(JsonNode actual, JsonNode expected) {
        try {
            return Fields.quantity(actual).equals(Fields.quantity(expected));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean sameSecond(String actual, String expected) {
        try {
            return second(actual).equals(second(expected));
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private static Instant second(String time) {
        return OffsetDateTime.parse(time).toInstant().truncatedTo(ChronoUnit.SECONDS);
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "absent" : Fields.shown(value);
    }
}
