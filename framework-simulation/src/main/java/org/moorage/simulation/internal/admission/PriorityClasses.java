// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.moorage.objects.tree.Fields;

/** The priority classes of a cluster. Safe for use by several threads. */
final class PriorityClasses {
    static final String PREEMPT_LOWER_PRIORITY = "PreemptLowerPriority";

    record PriorityClass(String name, int value, String preemptionPolicy, boolean isGlobalDefault) {}

    /** The classes that the API server creates in every cluster. */
    private static final List<PriorityClass> SYSTEM_CLASSES = List.of(
            new PriorityClass("system-cluster-critical", 2_000_000_000, PREEMPT_LOWER_PRIORITY, false),
            new PriorityClass("system-node-critical", 2_000_001_000, PREEMPT_LOWER_PRIORITY, false));

    private static final PriorityClass NO_CLASS = new PriorityClass("", 0, PREEMPT_LOWER_PRIORITY, false);

    private final Map<String, PriorityClass> byName = new ConcurrentSkipListMap<>();

    PriorityClasses() {
        SYSTEM_CLASSES.forEach(system -> byName.put(system.name(), system));
    }

    void seen(Fields priorityClass, String name) {
        byName.put(
                name,
                new PriorityClass(
                        name,
                        priorityClass.number("value", 0),
                        priorityClass.node().path("preemptionPolicy").asText(PREEMPT_LOWER_PRIORITY),
                        priorityClass.node().path("globalDefault").asBoolean()));
    }

    void gone(String name) {
        byName.remove(name);
        // These the API server creates again.
        SYSTEM_CLASSES.forEach(system -> byName.putIfAbsent(system.name(), system));
    }

    Optional<PriorityClass> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** Returns the class for objects that do not name one: the lowest of the default classes. */
    PriorityClass globalDefault() {
        return byName.values().stream()
                .filter(PriorityClass::isGlobalDefault)
                .min(Comparator.comparingInt(PriorityClass::value))
                .orElse(NO_CLASS);
    }

    /** The names of all classes, for messages. */
    String names() {
        return String.join(", ", byName.keySet());
    }
}
