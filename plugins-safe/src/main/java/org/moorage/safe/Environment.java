// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.Map;
import java.util.Optional;

/**
 * The environment variables that configured the original agents. They are the defaults of arguments that are not set;
 * an invalid value counts as not set, as in the original.
 */
record Environment(Map<String, String> variables) {
    Environment {
        variables = Map.copyOf(variables);
    }

    static Environment ofProcess() {
        return new Environment(System.getenv());
    }

    /** Returns the variable as a whole number within the bounds, else the default. */
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

    /** Returns whether the variable is exactly {@code true}. */
    boolean isTrue(String name) {
        return "true".equals(variables.get(name));
    }

    /** Returns the variable's text, or empty if it is not set. */
    Optional<String> text(String name) {
        return Optional.ofNullable(variables.get(name));
    }
}
