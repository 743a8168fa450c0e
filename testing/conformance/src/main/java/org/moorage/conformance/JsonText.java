// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads plain values from JSON trees, and formats values for messages. */
final class JsonText {
    private static final Pattern CEL_ERROR =
            Pattern.compile("CEL runtime error: |evaluate derived attribute [^ ]* on device [^ ]* failed: ");
    // kube-scheduler prints a device with all its fields, some of them as memory addresses.
    private static final Pattern DEVICE =
            Pattern.compile("node selection for device &Device\\{Name:([^,]*),.*} in slice ");
    // scheduler-plugins prints quantities with their private fields: the value, its decimal exponent and the format.
    private static final Pattern QUANTITY = Pattern.compile("\\{\\{(-?[0-9]+) (-?[0-9]+)} \\{<nil>} +[A-Za-z]+}");
    private static final String CEL_LIMIT = "operation cancelled: ";

    private JsonText() {}

    /** Returns the texts of a list, or no texts if there is no list. */
    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>(list.size());
        for (JsonNode item : list) {
            texts.add(item.asText());
        }
        return texts;
    }

    /** Returns texts in quotes, so that a text with a comma does not look like two texts. */
    static String quoted(List<String> texts) {
        return texts.isEmpty() ? "none" : "\"" + String.join("\", \"", texts) + "\"";
    }

    /** Returns names, separated by spaces. */
    static String names(Iterable<String> names) {
        String joined = String.join(" ", names);
        return joined.isEmpty() ? "none" : joined;
    }

    /**
     * Returns a text in the form in which the texts of both schedulers must be equal: without the CEL library's error
     * message about a device, unless it reports that an evaluation exceeds the cost limit, and with only the name of a
     * device in place of all its fields, and quantities as numbers.
     */
    static String comparable(String text) {
        Matcher error = CEL_ERROR.matcher(text);
        return !error.find() || text.startsWith(CEL_LIMIT, error.end())
                ? withPlainQuantities(DEVICE.matcher(text).replaceFirst("node selection for device $1 in slice "))
                : text.substring(0, error.end());
    }

    private static String withPlainQuantities(String text) {
        return QUANTITY.matcher(text).replaceAll(quantity -> {
            BigDecimal value = new BigDecimal(quantity.group(1)).scaleByPowerOfTen(Integer.parseInt(quantity.group(2)));
            return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
        });
    }

    /** Returns a prefix of a text. */
    static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length - 3) + "...";
    }
}
