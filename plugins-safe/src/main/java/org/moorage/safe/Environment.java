// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.Map;
import java.util.Optional;

/**
 * The environment variables by which the original agents were configured. They are the defaults of arguments that a configuration
 * leaves out; a value that makes no sense counts as none, as it did there.
 */
record Environment(Map<String, String> variables) {
    Environment {
        variables = Map.copyOf(variables);
    }

    static Environment ofProcess() {
        return new Environment(System.getenv());
    }

    /** The variable as a whole number within the bounds, else the default. */
    int number(String name, int least, int most, int fallback) {
        String text = variables.get(name);
        if (text == null) {
            return fallback;
        }
        try {
            int value = Integer.parseInt(text);
            return value < least || value > most ? fallback : value;
        } catch (NumberFormatException notANumber) {
            return fallback;
        }
    }

    /** Whether the variable is exactly {@code true}. */
    boolean isTrue(String name) {
        return "true".equals(variables.get(name));
    }

    /** The variable's text, or empty if it is not set. */
    Optional<String> text(String name) {
        return Optional.ofNullable(variables.get(name));
    }
}
