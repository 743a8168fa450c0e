// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.ArrayList;
import java.util.List;

/**
 * Which version of Kubernetes the feature gates are those of, as with kube-scheduler's flags {@code --emulated-version} and
 * {@code --min-compatibility-version}.
 *
 * <p>Only what feature gates decide follows it: emulating 1.36 is 1.37 with the gates of 1.36, not kube-scheduler v1.36 itself.
 *
 * @param emulated the version whose gates and defaults hold
 * @param minCompatibility the oldest version of the other parts of the control plane; a few gates are only on from some such version
 */
public record EffectiveVersion(MinorVersion emulated, MinorVersion minCompatibility) {
    /** The version that this decides as. */
    public static final MinorVersion BINARY = new MinorVersion(1, 37);

    /** The oldest version that can be emulated or be compatible with. */
    public static final MinorVersion FLOOR = new MinorVersion(1, 34);

    /** What holds unless another version is asked for. */
    public static final EffectiveVersion DEFAULT = emulating(BINARY);

    /** A version emulated, compatible with the one before it if that is not too old. */
    public static EffectiveVersion emulating(MinorVersion version) {
        MinorVersion before = new MinorVersion(version.major(), Math.max(0, version.minor() - 1));
        return new EffectiveVersion(version, before.isAtLeast(FLOOR) ? before : FLOOR);
    }

    /** What is wrong with the versions, in kube-scheduler's words; empty if they can be had. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (!emulated.isAtLeast(FLOOR) || !BINARY.isAtLeast(emulated)) {
            problems.add("emulation version " + emulated + " is not between [" + FLOOR + ", " + BINARY + "]");
        }
        if (!minCompatibility.isAtLeast(FLOOR) || !emulated.isAtLeast(minCompatibility)) {
            problems.add("minCompatibilityVersion version " + minCompatibility + " is not between [" + FLOOR + ", "
                    + emulated + "]");
        }
        return problems;
    }
}
