// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.feature.EffectiveVersion;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.feature.MinorVersion;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.Suggestions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Feature gates and the version of Kubernetes that sets their defaults, as for kube-scheduler. */
@OptionGroup(Heading.SCHEDULER)
public final class FeatureGateOptions {
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");
    private static final Set<String> FALSE = Set.of("0", "f", "F", "false", "FALSE", "False");
    private static final Set<String> KNOWN = known();

    @Option(
            names = "--feature-gates",
            paramLabel = "NAME=true|false,...",
            description = "Feature gates to enable or disable, as for kube-scheduler; may be repeated.")
    private List<String> settings = new ArrayList<>();

    @Mixin
    private VersionOptions versions = new VersionOptions();

    private static Set<String> known() {
        Set<String> known = new TreeSet<>(FeatureGates.DEFAULTS.all().keySet());
        known.addAll(List.of("AllAlpha", "AllBeta"));
        return known;
    }

    /**
     * The features.
     *
     * @throws CommandException in kube-scheduler's words if a setting is not possible
     */
    public FeatureGates gates() {
        return gates(versions.effective());
    }

    /**
     * Returns the features in another version than the one that the flags select.
     *
     * @throws CommandException in kube-scheduler's words if a setting is not possible
     */
    public FeatureGates gatesIn(MinorVersion version) {
        return gates(EffectiveVersion.emulating(version));
    }

    // A gate that is refused comes first, as with kube-scheduler.
    private FeatureGates gates(EffectiveVersion version) {
        return of(version, settings);
    }

    /**
     * The features of a version with some settings, as if these were the flag's.
     *
     * @throws CommandException in kube-scheduler's words if a setting is not possible
     */
    public static FeatureGates of(EffectiveVersion version, List<String> settings) {
        FeatureGates gates = parse(version, settings);
        VersionOptions.checkRange(version);
        return gates;
    }

    /** Reads the values of the flag; of several settings of one feature the last counts. */
    private static FeatureGates parse(EffectiveVersion version, List<String> values) {
        Map<String, Boolean> byName = new LinkedHashMap<>();
        Set<Boolean> prefixed = new HashSet<>();
        for (String value : values) {
            for (String setting : value.split(",", -1)) {
                if (!setting.isBlank()) {
                    prefixed.add(put(setting.strip(), byName));
                }
            }
        }
        if (prefixed.size() > 1) {
            throw new CommandException(
                    "--feature-gates: set kube feature gates with default empty prefix or kube: prefix"
                            + " consistently, do not mix use");
        }
        try {
            return FeatureGates.of(version, byName);
        } catch (IllegalArgumentException refused) {
            throw new CommandException("--feature-gates: " + refused.getMessage(), refused);
        }
    }

    private static String hint(String name) {
        String hint = Suggestions.hint(name, KNOWN);
        return hint.isEmpty() ? "" : "." + hint;
    }

    // Whether the setting names the component.
    private static boolean put(String setting, Map<String, Boolean> byName) {
        String pair = setting;
        int colon = setting.indexOf(':');
        if (colon >= 0) {
            String component = setting.substring(0, colon);
            if (!component.equals(VersionOptions.COMPONENT)) {
                throw new CommandException("--feature-gates: component not registered: " + component + " (expected: "
                        + VersionOptions.COMPONENT + ")");
            }
            pair = setting.substring(colon + 1);
        }
        int equals = pair.indexOf('=');
        if (equals < 0) {
            String hint = KNOWN.contains(pair) ? "" : hint(pair);
            throw new CommandException("--feature-gates: missing bool value for " + pair + hint);
        }
        String name = pair.substring(0, equals).strip();
        if (!KNOWN.contains(name)) {
            throw new CommandException("--feature-gates: unrecognized feature gate: " + name + hint(name));
        }
        String value = pair.substring(equals + 1).strip();
        if (!TRUE.contains(value) && !FALSE.contains(value)) {
            throw new CommandException(
                    "--feature-gates: invalid value of " + name + "=" + value + " (expected: true or false)");
        }
        byName.put(name, TRUE.contains(value));
        return colon >= 0;
    }
}
