// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Reads plain values from trees of JSON, and shows values in messages. */
final class JsonText {
    private JsonText() {}

    /** The texts of a list; none if there is no list. */
    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>(list.size());
        for (JsonNode item : list) {
            texts.add(item.asText());
        }
        return texts;
    }

    /** Texts in quotes, so that a comma within one does not look like two. */
    static String quoted(List<String> texts) {
        return texts.isEmpty() ? "none" : "\"" + String.join("\", \"", texts) + "\"";
    }

    /** Names, separated by blanks. */
    static String names(Iterable<String> names) {
        String joined = String.join(" ", names);
        return joined.isEmpty() ? "none" : joined;
    }

    /** The start of a text. */
    static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length - 3) + "...";
    }
}
