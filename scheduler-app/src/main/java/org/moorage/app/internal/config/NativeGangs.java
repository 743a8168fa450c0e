// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;

/**
 * Replaces Coscheduling in a configuration by what pod groups of Kubernetes need: the queue sort PrioritySort, and
 * GangScheduling, which the feature GenericWorkload adds to the default plugins.
 */
final class NativeGangs {
    private static final String COSCHEDULING = "Coscheduling";
    private static final String GANG_SCHEDULING = "GangScheduling";
    private static final String PRIORITY_SORT = "PrioritySort";
    private static final String ALL = "*";
    private static final String MULTI_POINT = "multiPoint";
    private static final String QUEUE_SORT = "queueSort";
    private static final String ENABLED = "enabled";
    private static final String DISABLED = "disabled";

    private final Consumer<String> notes;

    private NativeGangs(Consumer<String> notes) {
        this.notes = notes;
    }

    /**
     * Returns the settings of a configuration without Coscheduling.
     *
     * @param source the settings, of maps and lists
     * @param notes receives what differs, one line each
     * @throws CommandException if no profile enables Coscheduling
     */
    static Map<String, Object> convert(Map<String, Object> source, Consumer<String> notes) {
        Map<String, Object> copy = map(copy(source));
        NativeGangs conversion = new NativeGangs(notes);
        int converted = 0;
        List<Object> profiles = list(copy.get("profiles"));
        for (int i = 0; i < profiles.size(); i++) {
            converted += conversion.profile(map(profiles.get(i)), i) ? 1 : 0;
        }
        if (converted == 0) {
            throw new CommandException(
                    "profiles: none enables Coscheduling (expected with --native-gangs: a profile that does)");
        }
        notes.accept("run the scheduler and the API server with --feature-gates=GenericWorkload=true, and the API"
                + " server with --runtime-config=scheduling.k8s.io/v1beta1=true");
        return copy;
    }

    private boolean profile(Map<String, Object> profile, int index) {
        Map<String, Object> plugins = map(profile.get("plugins"));
        boolean had = false;
        for (Object set : plugins.values()) {
            had |= remove(map(set), ENABLED, Set.of(COSCHEDULING));
        }
        if (!had) {
            return false;
        }
        Map<String, Object> multiPoint = map(plugins.get(MULTI_POINT));
        boolean hasNoDefaults = names(multiPoint, DISABLED).contains(ALL);
        Map<String, Object> queueSort = map(plugins.get(QUEUE_SORT));
        if (names(queueSort, ENABLED).isEmpty()) {
            boolean ignored = remove(queueSort, DISABLED, Set.of(PRIORITY_SORT, ALL));
            ignored = remove(multiPoint, DISABLED, Set.of(PRIORITY_SORT));
            if (hasNoDefaults && !names(multiPoint, ENABLED).contains(PRIORITY_SORT)) {
                plugins.put(QUEUE_SORT, queueSort);
                enable(queueSort, PRIORITY_SORT);
            }
        }
        if (hasNoDefaults) {
            enable(multiPoint, GANG_SCHEDULING);
        }
        plugins.values().removeIf(set -> set instanceof Map<?, ?> points && points.isEmpty());
        if (plugins.isEmpty()) {
            profile.remove("plugins");
        }
        removeArgs(profile, index);
        return true;
    }

    private void removeArgs(Map<String, Object> profile, int index) {
        List<Object> configs = list(profile.get("pluginConfig"));
        for (Object config : List.copyOf(configs)) {
            if (COSCHEDULING.equals(map(config).get("name"))) {
                configs.remove(config);
                map(map(config).get("args")).keySet().stream()
                        .filter(name -> !name.equals("apiVersion") && !name.equals("kind"))
                        .forEach(name -> notes.accept("profiles[" + index + "].pluginConfig: Coscheduling's " + name
                                + " is not converted; GangScheduling has no arguments"));
            }
        }
        if (configs.isEmpty()) {
            profile.remove("pluginConfig");
        }
    }

    private static boolean remove(Map<String, Object> set, String list, Set<String> names) {
        List<Object> plugins = list(set.get(list));
        boolean isRemoved = plugins.removeIf(
                plugin -> names.contains(String.valueOf(map(plugin).get("name"))));
        if (plugins.isEmpty()) {
            set.remove(list);
        }
        return isRemoved;
    }

    private static List<String> names(Map<String, Object> set, String list) {
        List<String> names = new ArrayList<>();
        list(set.get(list))
                .forEach(plugin -> names.add(String.valueOf(map(plugin).get("name"))));
        return names;
    }

    private static void enable(Map<String, Object> set, String plugin) {
        List<Object> enabled = list(set.get(ENABLED));
        if (!names(set, ENABLED).contains(plugin)) {
            enabled.add(new LinkedHashMap<>(Map.of("name", plugin)));
        }
        set.put(ENABLED, enabled);
    }

    // Mutable.
    private static Object copy(Object value) {
        if (value instanceof Map<?, ?> fields) {
            Map<String, Object> copy = new LinkedHashMap<>();
            fields.forEach((name, field) -> copy.put(String.valueOf(name), copy(Objects.requireNonNull(field))));
            return copy;
        }
        if (value instanceof List<?> items) {
            List<Object> copy = new ArrayList<>();
            items.forEach(item -> copy.add(copy(Objects.requireNonNull(item))));
            return copy;
        }
        return value;
    }

    @SuppressWarnings("unchecked") // made by copy
    private static Map<String, Object> map(@Nullable Object value) {
        return value instanceof Map<?, ?> ? (Map<String, Object>) value : new LinkedHashMap<>();
    }

    @SuppressWarnings("unchecked") // made by copy
    private static List<Object> list(@Nullable Object value) {
        return value instanceof List<?> ? (List<Object>) value : new ArrayList<>();
    }
}
