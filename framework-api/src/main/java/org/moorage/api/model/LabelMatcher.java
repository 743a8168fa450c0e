// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A {@link LabelSelector} in a form whose matching allocates nothing. Immutable. */
public final class LabelMatcher {
    /** Matches all labels. */
    public static final LabelMatcher EVERYTHING = new LabelMatcher(List.of(), List.of(), List.of(), false);
    /** Matches no labels. */
    public static final LabelMatcher NOTHING = new LabelMatcher(List.of(), List.of(), List.of(), true);

    private final String[] keys;
    private final String[] values;
    private final LabelSelector.Requirement[] requirements;
    private final boolean matchesNothing;

    private LabelMatcher(
            List<String> keys,
            List<String> values,
            List<LabelSelector.Requirement> requirements,
            boolean matchesNothing) {
        this.keys = keys.toArray(String[]::new);
        this.values = values.toArray(String[]::new);
        this.requirements = requirements.toArray(LabelSelector.Requirement[]::new);
        this.matchesNothing = matchesNothing;
    }

    /** Returns a matcher for a selector; it matches nothing if there is none. */
    public static LabelMatcher of(Optional<LabelSelector> selector) {
        return selector.isEmpty() ? NOTHING : of(selector.get());
    }

    /** Returns a matcher for a selector. */
    public static LabelMatcher of(LabelSelector selector) {
        return of(selector.matchLabels(), selector.matchExpressions());
    }

    /** Returns a matcher for labels that contain all of these. */
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

    /** Returns a matcher for labels that both match. */
    public LabelMatcher and(LabelMatcher other) {
        if (matchesEverything()) {
            return other;
        }
        if (other.matchesEverything()) {
            return this;
        }
        if (matchesNothing || other.matchesNothing) {
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

    /** Returns whether the other one has the same requirements in the same order. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LabelMatcher that
                && matchesNothing == that.matchesNothing
                && Arrays.equals(keys, that.keys)
                && Arrays.equals(values, that.values)
                && Arrays.equals(requirements, that.requirements);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(keys) + Arrays.hashCode(values)) + Arrays.hashCode(requirements);
    }

    /** Returns whether it has no requirements. */
    public boolean matchesEverything() {
        return !matchesNothing && keys.length == 0 && requirements.length == 0;
    }

    /** Returns whether it matches these labels. */
    public boolean matches(Map<String, String> labels) {
        if (matchesNothing) {
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
