// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is asked of a page.
 *
 * @param method the HTTP method
 * @param path the path
 * @param parameters the parameters behind the question mark
 * @param accept the formats that the client takes
 * @param body what it sent
 */
public record Query(String method, String path, Map<String, List<String>> parameters, String accept, String body) {
    static Query of(String method, URI uri, String accept, String body) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        String raw = uri.getRawQuery();
        if (raw != null) {
            for (String pair : raw.split("&", -1)) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                parameters
                        .computeIfAbsent(decode(name), any -> new ArrayList<>())
                        .add(decode(value));
            }
        }
        return new Query(method, uri.getPath(), parameters, accept, body);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException asItIs) {
            return text;
        }
    }

    boolean has(String parameter) {
        return parameters.containsKey(parameter);
    }

    /** The first value of a parameter. */
    public Optional<String> value(String parameter) {
        return values(parameter).stream().findFirst();
    }

    /** The values of a parameter; none if it is not there. */
    public List<String> values(String parameter) {
        return parameters.getOrDefault(parameter, List.of());
    }
}
