// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A selector of all devices of one driver, as most device classes have it. It is evaluated without the CEL library,
 * whose classes take half a second and twenty megabytes to load: a cluster without other selectors never loads it.
 *
 * @param driver the driver
 */
public record DriverSelector(String driver) implements Selector {
    private static final String SPACE = "[ \\t\\r\\n\\f]*";
    // A text without escapes, so that it stands for itself.
    private static final Pattern FORM = Pattern.compile(
            SPACE + "device\\.driver" + SPACE + "==" + SPACE + "(?:\"([\\w./-]*)\"|'([\\w./-]*)')" + SPACE);

    /** Returns the selector for an expression; empty unless it only compares the driver with a name. */
    public static Optional<Selector> of(String expression) {
        Matcher parts = FORM.matcher(expression);
        if (!parts.matches()) {
            return Optional.empty();
        }
        return Optional.of(new DriverSelector(parts.group(1) == null ? parts.group(2) : parts.group(1)));
    }

    @Override
    public boolean matches(DeviceMap device) {
        return driver.equals(device.get("driver"));
    }
}
