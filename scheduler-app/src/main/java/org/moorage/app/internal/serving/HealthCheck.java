// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * A named question of a health endpoint.
 *
 * @param name its name, which is also the last part of its path
 * @param failure why it fails; empty if all is well. Must answer at once
 */
public record HealthCheck(String name, Supplier<Optional<String>> failure) {
    /** A check that always passes: the server answers. */
    public static final HealthCheck PING = new HealthCheck("ping", Optional::empty);
}
