// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.feature;

import java.util.ArrayList;
import java.util.List;

/**
 * The Kubernetes version that determines the feature gates, as set by kube-scheduler's flags {@code --emulated-version}
 * and {@code --min-compatibility-version}.
 *
 * <p>It only affects behavior that depends on feature gates: emulating 1.36 is 1.37 with the gates of 1.36, not
 * kube-scheduler v1.36 itself.
 *
 * @param emulated the version whose gates and defaults apply
 * @param minCompatibility the oldest version of the other control plane components; a few gates are only on from a
 *     certain version on
 */
public record EffectiveVersion(MinorVersion emulated, MinorVersion minCompatibility) {
    /** The version of kube-scheduler that this API corresponds to. */
    public static final MinorVersion BINARY = new MinorVersion(1, 37);

    /** The oldest version that can be emulated or set as the minimum compatibility version. */
    public static final MinorVersion FLOOR = new MinorVersion(1, 34);

    /** The default: no other version is emulated. */
    public static final EffectiveVersion DEFAULT = emulating(BINARY);

    /**
     * Returns an emulated version, with the minor version before it as the minimum compatibility version, but at least
     * {@link #FLOOR}.
     */
    public static EffectiveVersion emulating(MinorVersion version) {
        MinorVersion before = new MinorVersion(version.major(), Math.max(0, version.minor() - 1));
        return new EffectiveVersion(version, before.isAtLeast(FLOOR) ? before : FLOOR);
    }

    /** Returns the validation errors of the versions, in kube-scheduler's words; empty if they are valid. */
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
