// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Objects;

/**
 * A setting from the command line that counts more than the file.
 *
 * @param path the field, for example {@code leaderElection.leaseDuration}
 * @param value the value, as the file would have it
 * @param flag the flag that it comes from, for example {@code --leader-elect-lease-duration}
 */
public record FlagValue(String path, JsonNode value, String flag) {
    public FlagValue {
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(flag, "flag");
    }
}
