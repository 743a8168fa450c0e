// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.Objects;
import org.moorage.config.internal.PlainValues;

/**
 * A setting from the command line, which overrides the file.
 *
 * @param path the field, for example {@code leaderElection.leaseDuration}
 * @param value the value: a text, a boolean, an integer, a long or a double
 * @param flag the flag that it comes from, for example {@code --leader-elect-lease-duration}
 */
public record FlagValue(String path, Object value, String flag) {
    public FlagValue {
        Objects.requireNonNull(path, "path");
        PlainValues.node(value);
        Objects.requireNonNull(flag, "flag");
    }
}
