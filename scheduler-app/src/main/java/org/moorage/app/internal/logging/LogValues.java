// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.moorage.objects.GoDuration;

/** The values of a line of the log as texts. */
final class LogValues {
    private LogValues() {}

    /** The text of a value: of a duration as klog writes it, such as {@code 663.262127ms}. */
    static String text(@Nullable Object value) {
        if (value instanceof Duration duration) {
            return GoDuration.format(duration);
        }
        try {
            return String.valueOf(value);
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError thrown) {
            return "(its text cannot be made: " + thrown.getClass().getName() + ")";
        }
    }
}
