// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A {@link LabelSelector} made ready to look at many objects: looking at one allocates nothing. Immutable. */
public final class LabelMatcher {
    /** Takes every object. */
    public static final LabelMatcher EVERYTHING = new LabelMatcher(List.of(), List.of(), List.of(), false);
    /** Takes no object. */
    public static final LabelMatcher NOTHING = new LabelMatcher(List.of(), List.of(), List.of(), true);

    private final String[] keys;
    private final String[] values;
    private final LabelSelector.Requirement[] requirements;
    private final boolean takesNothing;

    private LabelMatcher(
            List<String> keys,
            List<String> values,
            List<LabelSelector.Requirement> requirements,
            boolean takesNothing) {
        this.keys = keys.toArray(String[]::new);
        this.values = values.toArray(String[]::new);
        this.requirements = requirements.toArray(LabelSelector.Requirement[]::new);
        this.takesNothing = takesNothing;
    }

    /** Takes what the selector selects; nothing if there is none. */
    public static LabelMatcher of(Optional<LabelSelector> selector) {
        return selector.isEmpty() ? NOTHING : of(selector.get());
    }

    /** Takes what the selector selects. */
    public static LabelMatcher of(LabelSelector selector) {
        return of(selector.matchLabels(), selector.matchExpressions());
    }

    /** Takes objects that have all these labels. */
    public static LabelMatcher of(Map<String, String> labels) {
        return of(labels, List.of());
    }

    private static LabelMatcher of(Map<String, String> labels, List<LabelSelector.Requirement> requirements) {
        if (labels.isEmpty() && requirements.isEmpty()) {
            return EVERYTHING;
        }
        List<String> keys = new ArrayList<>(labels.size());
        List<String> values = new ArrayList<>(labels.size());
        labels.forEach((key, value) -> {
            keys.add(key);
            values.add(value);
        });
        return new LabelMatcher(keys, values, requirements, false);
    }

    /** Takes what both take. */
    public LabelMatcher and(LabelMatcher other) {
        if (takesEverything()) {
            return other;
        }
        if (other.takesEverything()) {
            return this;
        }
        if (takesNothing || other.takesNothing) {
            return NOTHING;
        }
        List<String> bothKeys = new ArrayList<>(List.of(keys));
        bothKeys.addAll(List.of(other.keys));
        List<String> bothValues = new ArrayList<>(List.of(values));
        bothValues.addAll(List.of(other.values));
        List<LabelSelector.Requirement> bothRequirements = new ArrayList<>(List.of(requirements));
        bothRequirements.addAll(List.of(other.requirements));
        return new LabelMatcher(bothKeys, bothValues, bothRequirements, false);
    }

    /** Whether it demands nothing. */
    public boolean takesEverything() {
        return !takesNothing && keys.length == 0 && requirements.length == 0;
    }

    /** Whether it takes an object with these labels. */
    public boolean matches(Map<String, String> labels) {
        if (takesNothing) {
            return false;
        }
        for (int i = 0; i < keys.length; i++) {
            if (!values[i].equals(labels.get(keys[i]))) {
                return false;
            }
        }
        for (int i = 0; i < requirements.length; i++) {
            if (!requirements[i].matches(labels)) {
                return false;
            }
        }
        return true;
    }
}
