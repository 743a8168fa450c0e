// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.moorage.api.feature.FeatureGates;
import org.moorage.config.LoadedConfig;

/** The differences in the effect of one configuration between two versions of Kubernetes. */
public final class VersionDifferences {
    private static final List<String> NAMES = List.of("name", "schedulerName", "urlPrefix");

    private final List<String> lines = new ArrayList<>();

    private VersionDifferences() {}

    /**
     * One line for each gate that changes what a scheduler does and for each setting that differs, in the order of the
     * newer form.
     */
    public static List<String> between(LoadedConfig before, LoadedConfig after) {
        VersionDifferences differences = new VersionDifferences();
        for (String name : FeatureGates.readByScheduler()) {
            differences.add(
                    "feature gate " + name,
                    onOrOff(before.featureGates().isEnabled(name)),
                    onOrOff(after.featureGates().isEnabled(name)));
        }
        differences.compare("", before.effective(), after.effective());
        return differences.lines;
    }

    private static String onOrOff(boolean isOn) {
        return isOn ? "on" : "off";
    }

    private void compare(String path, @Nullable Object before, @Nullable Object after) {
        if (before instanceof Map<?, ?> first && after instanceof Map<?, ?> second) {
            compareFields(path.isEmpty() ? "" : path + ".", "", first, second);
        } else if (isNamed(before) && isNamed(after)) {
            Map<String, Object> first = byName(before);
            Map<String, Object> second = byName(after);
            compareFields(path + "[", "]", first, second);
            if (first.keySet().equals(second.keySet())
                    && !List.copyOf(first.keySet()).equals(List.copyOf(second.keySet()))) {
                lines.add(path + ": another order");
            }
        } else {
            add(path, before, after);
        }
    }

    private void compareFields(String start, String end, Map<?, ?> before, Map<?, ?> after) {
        for (Object key : after.keySet()) {
            compare(start + key + end, before.get(key), after.get(key));
        }
        for (Object key : before.keySet()) {
            if (!after.containsKey(key)) {
                compare(start + key + end, before.get(key), null);
            }
        }
    }

    // Whether the value is a list of plugins, profiles or other elements that are identified by name.
    private static boolean isNamed(@Nullable Object value) {
        return value instanceof List<?> list && !list.isEmpty() && byName(list).size() == list.size();
    }

    private static Map<String, Object> byName(@Nullable Object value) {
        Map<String, Object> byName = new LinkedHashMap<>();
        if (value instanceof List<?> list) {
            for (Object item : list) {
                for (String field : NAMES) {
                    if (item instanceof Map<?, ?> map && map.get(field) instanceof String name) {
                        byName.put(name, item);
                    }
                }
            }
        }
        return byName;
    }

    private void add(String what, @Nullable Object before, @Nullable Object after) {
        if (!Objects.equals(before, after)) {
            lines.add(what + ": " + text(before) + " -> " + text(after));
        }
    }

    private static String text(@Nullable Object value) {
        return value == null ? "unset" : value.toString();
    }
}
