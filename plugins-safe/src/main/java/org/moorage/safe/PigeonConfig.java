// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The original's file {@code pigeon.cfg}: lines of {@code key = value}, comments after {@code #}. Unknown keys are
 * ignored, as in the original.
 *
 * @param resourceIndex {@code policyResourceIndex}: the index of the most important resource
 * @param objective {@code policyObjective}
 */
record PigeonConfig(int resourceIndex, String objective) {
    static final String NAME = "pigeon.cfg";
    private static final PigeonConfig DEFAULTS = new PigeonConfig(0, "A_BINPACK");

    static PigeonConfig readIfPresent(Path file) {
        return Files.isRegularFile(file) ? read(file) : DEFAULTS;
    }

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException if it cannot be read
     */
    static PigeonConfig read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    "configFile: " + file + " (expected: a file that can be read): " + unreadable, unreadable);
        }
    }

    static PigeonConfig parse(String text) {
        int resourceIndex = DEFAULTS.resourceIndex();
        String objective = DEFAULTS.objective();
        for (String line : text.split("\n", -1)) {
            String[] parts = line.split("#", 2)[0].split("=", 2);
            if (parts.length == 2) {
                String value = parts[1].strip();
                switch (parts[0].strip()) {
                    case "policyResourceIndex" -> resourceIndex = index(value);
                    case "policyObjective" -> objective = value;
                    default -> {
                        // Settings of the original's other programs.
                    }
                }
            }
        }
        return new PigeonConfig(resourceIndex, objective);
    }

    private static int index(String text) {
        try {
            return Math.max(Integer.parseInt(text), 0);
        } catch (NumberFormatException notANumber) {
            return DEFAULTS.resourceIndex();
        }
    }
}
