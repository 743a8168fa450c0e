// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

/**
 * A plugin's arguments, a record. Its components are the fields of the configuration, by name: {@code int}, {@code long},
 * {@code double}, {@code boolean}, {@link String}, {@link java.time.Duration}, {@link IntOrString}, enums and records, and {@link
 * java.util.Optional}s, {@link java.util.List}s and {@link java.util.Map}s of those.
 *
 * <p>A record has a static {@code DEFAULTS} of its own type; a field that the configuration leaves out has the value that it
 * has there. The compact constructor may fill in more, but does not refuse anything: that is for {@link #validate}.
 */
public interface PluginArgs {
    /** Arguments of a plugin that takes none. */
    record None() implements PluginArgs {
        /** The only value. */
        public static final None DEFAULTS = new None();
    }

    /**
     * The same arguments where these features are on and off: fills in the defaults that a feature brings, and reports what
     * is only allowed with a feature that is off. Called when the configuration is loaded, before {@link #validate}.
     *
     * @param features which features are on
     * @param problems where to report to; paths are relative to the arguments
     * @return arguments of the same type
     */
    default PluginArgs forFeatures(FeatureGates features, Problems problems) {
        return this;
    }

    /**
     * Reports everything that is wrong. Called when the configuration is loaded, before any plugin is made.
     *
     * @param problems where to report to; paths are relative to the arguments
     */
    default void validate(Problems problems) {}
}
