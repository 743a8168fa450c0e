// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The values of a command line's flags as text, for logs and /flagz. */
public final class FlagTexts {
    private FlagTexts() {}

    /** The values by the flags' names without dashes, in the order of the names. */
    public static Map<String, String> of(CommandSpec command) {
        Map<String, String> texts = new TreeMap<>();
        for (OptionSpec option : command.options()) {
            texts.put(option.longestName().replaceFirst("^-+", ""), text(option.getValue()));
        }
        return texts;
    }

    private static String text(@Nullable Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.map(String::valueOf).orElse("");
        }
        if (value instanceof Collection<?> values) {
            return "[" + String.join(",", values.stream().map(String::valueOf).toList()) + "]";
        }
        return value == null ? "" : value.toString();
    }
}
