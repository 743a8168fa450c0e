// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.moorage.api.feature.EffectiveVersion;
import org.moorage.api.feature.MinorVersion;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import picocli.CommandLine.Option;

/** The version of Kubernetes whose feature gates hold, as for kube-scheduler. */
@OptionGroup(Heading.SCHEDULER)
public final class VersionOptions {
    private static final Pattern WITH_PATCH = Pattern.compile("v?\\d+\\.\\d+\\.0*[1-9]\\d*");
    /** The name of kube-scheduler's component in versions and feature gates. */
    static final String COMPONENT = "kube";

    @Option(
            names = "--emulated-version",
            paramLabel = "[kube=]MAJOR.MINOR",
            description = "Kubernetes version whose feature gates and defaults apply, as for kube-scheduler; options"
                    + " are: kube=1.34..1.37 (default: 1.37).")
    private List<String> emulated = new ArrayList<>();

    @Option(
            names = "--min-compatibility-version",
            paramLabel = "[kube=]MAJOR.MINOR",
            description =
                    "The oldest version of the other parts of the control plane, as for kube-scheduler; options are:"
                            + " kube=1.34..1.37, up to the emulated version (default: the one before that).")
    private List<String> minCompatibility = new ArrayList<>();

    /**
     * Returns the version; the newest if the flags select none.
     *
     * @throws CommandException in kube-scheduler's words if a flag names no version
     */
    public EffectiveVersion effective() {
        EffectiveVersion version = emulated("--emulated-version", emulated);
        return version("--min-compatibility-version", minCompatibility)
                .map(oldest -> new EffectiveVersion(version.emulated(), oldest))
                .orElse(version);
    }

    /**
     * Returns the version that values of {@code --emulated-version} select; the newest if there are none.
     *
     * @param flag the flag that they were given by
     * @throws CommandException in kube-scheduler's words if one names no version
     */
    public static EffectiveVersion emulated(String flag, List<String> values) {
        return EffectiveVersion.emulating(version(flag, values).orElse(EffectiveVersion.BINARY));
    }

    /**
     * Refuses a version that cannot be had.
     *
     * @throws CommandException in kube-scheduler's words
     */
    public static void checkRange(EffectiveVersion version) {
        List<String> problems = version.problems();
        if (!problems.isEmpty()) {
            throw new CommandException(
                    "--emulated-version, --min-compatibility-version: " + String.join("; ", problems));
        }
    }

    private static Optional<MinorVersion> version(String flag, List<String> values) {
        Optional<MinorVersion> version = Optional.empty();
        for (String value : values) {
            for (String entry : value.split(",", -1)) {
                MinorVersion named = version(flag, entry);
                if (version.isPresent()) {
                    throw new CommandException(flag + ": duplicate version flag, " + COMPONENT + "=" + version.get()
                            + " and " + COMPONENT + "=" + named);
                }
                version = Optional.of(named);
            }
        }
        return version;
    }

    private static MinorVersion version(String flag, String entry) {
        int equals = entry.indexOf('=');
        String component = equals < 0 ? COMPONENT : entry.substring(0, equals).strip();
        String text = entry.substring(equals + 1).strip();
        if (WITH_PATCH.matcher(text).matches()) {
            throw new CommandException(flag + ": patch version not allowed, got: " + component + "=" + text);
        }
        MinorVersion version;
        try {
            version = MinorVersion.parse(text);
        } catch (IllegalArgumentException refused) {
            throw new CommandException(flag + ": " + refused.getMessage(), refused);
        }
        if (!component.equals(COMPONENT)) {
            throw new CommandException(
                    flag + ": component not registered: " + component + " (expected: " + COMPONENT + ")");
        }
        return version;
    }
}
