// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.http.Request;

/**
 * A request for a page.
 *
 * @param method the HTTP method
 * @param path the path
 * @param parameters the parameters behind the question mark
 * @param accept the formats that the client takes: the first {@code Accept} header, which is the one that
 *     kube-scheduler looks at
 * @param userAgent the client's program
 * @param body what it sent
 */
public record Query(
        String method,
        String path,
        Map<String, List<String>> parameters,
        String accept,
        String userAgent,
        String body) {
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");

    static Query of(Request request, String body) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        String raw = request.uri().getRawQuery();
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
        return new Query(
                request.method(),
                request.path(),
                parameters,
                request.header("Accept").orElse(""),
                request.header("User-Agent").orElse(""),
                body);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException asItIs) {
            return text;
        }
    }

    /**
     * Returns whether the reply is for people: the client requests it, or is a browser or a known command-line tool.
     */
    public boolean isForPeople() {
        Optional<String> pretty = value("pretty").filter(value -> !value.isEmpty());
        return pretty.map(TRUE::contains)
                .orElse(userAgent.startsWith("curl")
                        || userAgent.startsWith("Wget")
                        || userAgent.startsWith("Mozilla/5.0"));
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
