// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.feature.FeatureGates;

/**
 * A plugin's arguments, implemented by a record. The record's components are the fields of the configuration, by name.
 * Their types are {@code int}, {@code long}, {@code double}, {@code boolean}, {@link String},
 * {@link java.time.Duration}, {@link IntOrString}, enums and records, and {@link java.util.Optional}s,
 * {@link java.util.List}s and {@link java.util.Map}s of those.
 *
 * <p>The record has a static field {@code DEFAULTS} of the record's type, whose values apply to fields that the
 * configuration omits. The compact constructor may fill in further values, but must not reject any: {@link #validate}
 * does.
 */
public interface PluginArgs {
    /** The arguments of a plugin without arguments. */
    record None() implements PluginArgs {
        /** The only value. */
        public static final None DEFAULTS = new None();
    }

    /**
     * Adapts the arguments to the feature gates: fills in the defaults of features that are on, and reports values that
     * require a feature that is off. Called when the configuration is loaded, before {@link #validate}.
     *
     * @param features the feature gates
     * @param problems collects the problems; paths are relative to the arguments
     * @return arguments of the same type
     */
    default PluginArgs forFeatures(FeatureGates features, Problems problems) {
        return this;
    }

    /**
     * Reports all invalid values. Called when the configuration is loaded, before any plugin is created.
     *
     * @param problems collects the problems; paths are relative to the arguments
     */
    default void validate(Problems problems) {}
}
