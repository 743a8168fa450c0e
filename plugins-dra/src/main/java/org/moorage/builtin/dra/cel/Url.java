// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An absolute URL or an absolute path. */
record Url(URI uri) {
    // Names of hosts may have underscores, which URI leaves to those who know what an authority is.
    private static final Pattern HOST = Pattern.compile("(?:[^@]*@)?((\\[[^\\]]*:[^\\]]*]|[-\\w.~]*)(?::([0-9]*))?)");

    /**
     * Reads a URL or path.
     *
     * @throws IllegalArgumentException if the text is neither
     */
    static Url parse(String text) {
        String problem = text.isEmpty() ? "empty url" : "invalid URI for request";
        try {
            Url url = new Url(new URI(text.replace(" ", "%20")));
            boolean isAbsolute = url.uri.isAbsolute() || text.startsWith("/");
            if (isAbsolute && HOST.matcher(url.authority()).matches()) {
                return url;
            }
        } catch (URISyntaxException invalid) {
            problem = String.valueOf(invalid.getReason());
        }
        throw new IllegalArgumentException("parse \"" + text + "\": " + problem);
    }

    private String authority() {
        return Optional.ofNullable(uri.getRawAuthority()).orElse("");
    }

    private String ofHost(int group) {
        Matcher parts = HOST.matcher(authority());
        return parts.matches() && parts.group(group) != null ? parts.group(group) : "";
    }

    String scheme() {
        return Optional.ofNullable(uri.getScheme()).orElse("");
    }

    /** The name of the host, and the port if there is one. */
    String host() {
        return ofHost(1);
    }

    String hostname() {
        return ofHost(2).replaceAll("[\\[\\]]", "");
    }

    String port() {
        return ofHost(3);
    }

    String escapedPath() {
        return Optional.ofNullable(uri.getRawPath()).orElse("");
    }

    /** The parameters of the query; those that are not well formed are left out. */
    Map<String, List<String>> parameters() {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        for (String parameter :
                Optional.ofNullable(uri.getRawQuery()).orElse("").split("&")) {
            if (!parameter.isEmpty() && parameter.indexOf(';') < 0) {
                String[] pair = (parameter + "=").split("=", 3);
                parameters
                        .computeIfAbsent(URLDecoder.decode(pair[0], StandardCharsets.UTF_8), any -> new ArrayList<>())
                        .add(URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
            }
        }
        return parameters;
    }
}
