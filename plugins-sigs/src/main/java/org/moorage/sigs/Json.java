// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.Quantity;

/** Writes JSON. */
final class Json {
    private Json() {}

    static String text(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character < ' ') {
                json.append(String.format("\\u%04x", (int) character));
            } else {
                json.append(character == '"' || character == '\\' ? "\\" : "").append(character);
            }
        }
        return json.append('"').toString();
    }

    static String quantities(Map<String, Quantity> amounts) {
        List<String> fields = new ArrayList<>();
        amounts.forEach((resource, amount) -> fields.add(text(resource) + ":" + text(amount.toString())));
        return "{" + String.join(",", fields) + "}";
    }
}
