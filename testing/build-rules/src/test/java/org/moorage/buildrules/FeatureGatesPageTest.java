// SPDX-License-Identifier: Apache-2.0
package org.moorage.buildrules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;

/** Compares the page about feature gates with the code. */
class FeatureGatesPageTest {
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| (on|off) \\|.*");

    /** Whether a gate is on by default, as the page has it, by name. */
    private static Map<String, Boolean> rows() throws IOException {
        Map<String, Boolean> rows = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("..", "..", "docs", "reference", "feature-gates.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.put(row.group(1), row.group(2).equals("on"));
            }
        }
        return rows;
    }

    private static Set<String> constants() throws IllegalAccessException {
        Set<String> names = new TreeSet<>();
        for (Field field : FeatureGates.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
                names.add((String) field.get(null));
            }
        }
        return names;
    }

    @Test
    void areReadByTheScheduler() throws IllegalAccessException {
        assertThat(FeatureGates.readByScheduler()).containsExactlyElementsOf(constants());
    }

    @Test
    void namesEveryGateThatSomethingAsksFor() throws Exception {
        assertThat(rows().keySet()).containsExactlyElementsOf(constants());
    }

    @Test
    void listsTheDefaults() throws IOException {
        rows().forEach((name, isOn) ->
                assertThat(FeatureGates.DEFAULTS.isEnabled(name)).as(name).isEqualTo(isOn));
    }
}
