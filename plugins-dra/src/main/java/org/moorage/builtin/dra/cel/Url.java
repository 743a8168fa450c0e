// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A URL as Go's library reads it, which differs from {@link java.net.URI} in what it takes and in what it calls the errors. In
 * here, a text has one character for each byte.
 */
record Url(
        String scheme,
        String opaque,
        String user,
        String host,
        String path,
        String escapedPath,
        String query,
        String fragment,
        boolean omitsHost,
        boolean hasEmptyQuery) {
    private static final String RESERVED = "$&+,/:;=?@";

    private enum Part {
        USER(""),
        HOST("!$&'()*+,;=:[]<>\""),
        ZONE("!$&'()*+,;=:[]<>\""),
        PATH("$&+,/:;=@"),
        QUERY(""),
        FRAGMENT(RESERVED + "!()*");

        private final String plain;

        Part(String plain) {
            this.plain = plain;
        }

        boolean escapes(char c) {
            boolean isUnreserved = c < 128 && Character.isLetterOrDigit(c) || "-_.~".indexOf(c) >= 0;
            return !isUnreserved && plain.indexOf(c) < 0;
        }
    }

    /**
     * Reads an absolute URL or an absolute path.
     *
     * @throws IllegalArgumentException if it is none, in the words of Go's library
     */
    static Url parse(String text) {
        String bytes = bytes(text);
        // Once as if it came with a request, which is stricter, and once with its fragment.
        read(bytes, bytes, true);
        int hash = bytes.indexOf('#');
        String main = hash < 0 ? bytes : bytes.substring(0, hash);
        Url url = read(main, main, false);
        if (hash < 0 || hash == bytes.length() - 1) {
            return url;
        }
        String fragment = bytes.substring(hash + 1);
        try {
            String plain = unescaped(fragment, Part.FRAGMENT);
            return url.withFragment(isValid(fragment, Part.FRAGMENT) ? fragment : escaped(plain, Part.FRAGMENT));
        } catch (IllegalArgumentException invalid) {
            throw problem(bytes, String.valueOf(invalid.getMessage()));
        }
    }

    /** Whether a text is an absolute URL or an absolute path. */
    static boolean isOne(String text) {
        return error(text).isEmpty();
    }

    /** Why a text is no absolute URL or path; empty if it is one. */
    static String error(String text) {
        try {
            String bytes = bytes(text);
            read(bytes, bytes, true);
            return "";
        } catch (IllegalArgumentException invalid) {
            return String.valueOf(invalid.getMessage());
        }
    }

    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String text(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static IllegalArgumentException problem(String url, String problem) {
        return new IllegalArgumentException("parse " + Texts.quoted(text(url)) + ": " + problem);
    }

    private static Url read(String whole, String url, boolean isRequest) {
        try {
            return read(url, isRequest);
        } catch (IllegalArgumentException invalid) {
            throw problem(whole, String.valueOf(invalid.getMessage()));
        }
    }

    private static Url read(String url, boolean isRequest) {
        if (url.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
            throw new IllegalArgumentException("net/url: invalid control character in URL");
        }
        if (url.isEmpty() && isRequest) {
            throw new IllegalArgumentException("empty url");
        }
        if (url.equals("*")) {
            return new Url("", "", "", "", "*", "*", "", "", false, false);
        }
        int colon = schemeEnd(url);
        String scheme = url.substring(0, Math.max(colon, 0)).toLowerCase(Locale.ROOT);
        String rest = url.substring(colon + 1);
        boolean hasEmptyQuery = rest.endsWith("?") && rest.indexOf('?') == rest.length() - 1;
        int mark = rest.indexOf('?');
        String query = mark < 0 ? "" : rest.substring(mark + 1);
        rest = mark < 0 ? rest : rest.substring(0, mark);
        if (!rest.startsWith("/")) {
            if (!scheme.isEmpty()) {
                return new Url(scheme, rest, "", "", "", "", query, "", false, hasEmptyQuery);
            }
            if (isRequest) {
                throw new IllegalArgumentException("invalid URI for request");
            }
        }
        String user = "";
        String host = "";
        boolean omitsHost = false;
        if ((!scheme.isEmpty() || !isRequest && !rest.startsWith("///")) && rest.startsWith("//")) {
            int slash = rest.indexOf('/', 2);
            String authority = slash < 0 ? rest.substring(2) : rest.substring(2, slash);
            rest = slash < 0 ? "" : rest.substring(slash);
            int at = authority.lastIndexOf('@');
            host = host(scheme, authority.substring(at + 1));
            user = at < 0 ? "" : user(authority.substring(0, at)) + "@";
        } else {
            omitsHost = !scheme.isEmpty() && rest.startsWith("/");
        }
        String path = unescaped(rest, Part.PATH);
        String escaped = isValid(rest, Part.PATH) ? rest : escaped(path, Part.PATH);
        return new Url(scheme, "", user, host, path, escaped, query, "", omitsHost, hasEmptyQuery);
    }

    private static int schemeEnd(String url) {
        for (int i = 0; i < url.length(); i++) {
            char c = url.charAt(i);
            if (c == ':') {
                if (i == 0) {
                    throw new IllegalArgumentException("missing protocol scheme");
                }
                return i;
            }
            boolean isLetter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
            if (!isLetter && (i == 0 || !(c >= '0' && c <= '9' || "+-.".indexOf(c) >= 0))) {
                return -1;
            }
        }
        return -1;
    }

    private static String user(String user) {
        for (int i = 0; i < user.length(); i++) {
            char c = user.charAt(i);
            if (!(c < 128 && Character.isLetterOrDigit(c)) && "-._:~!$&'()*+,;=%@".indexOf(c) < 0) {
                throw new IllegalArgumentException("net/url: invalid userinfo");
            }
        }
        int colon = user.indexOf(':');
        if (colon < 0) {
            return escapedUser(unescaped(user, Part.USER));
        }
        return escapedUser(unescaped(user.substring(0, colon), Part.USER)) + ":"
                + escapedUser(unescaped(user.substring(colon + 1), Part.USER));
    }

    private static String escapedUser(String user) {
        StringBuilder escaped = new StringBuilder();
        for (char c : user.toCharArray()) {
            escaped.append("$&+,;=".indexOf(c) >= 0 ? String.valueOf(c) : escaped(String.valueOf(c), Part.USER));
        }
        return escaped.toString();
    }

    private static String host(String scheme, String host) {
        int open = host.lastIndexOf('[');
        if (open > 0) {
            throw new IllegalArgumentException("invalid IP-literal");
        }
        if (open == 0) {
            return literalHost(host);
        }
        int first = host.indexOf(':');
        if (first >= 0) {
            boolean isStrict = scheme.equals("http") || scheme.equals("https");
            checkPort(host.substring(isStrict ? first : host.lastIndexOf(':')));
        }
        return unescaped(host, Part.HOST);
    }

    private static String literalHost(String host) {
        int close = host.lastIndexOf(']');
        if (close < 0) {
            throw new IllegalArgumentException("missing ']' in host");
        }
        String port = host.substring(close + 1);
        checkPort(port);
        String name = host.substring(1, close);
        int zone = name.indexOf("%25");
        String plain = zone < 0
                ? unescaped(name, Part.HOST)
                : unescaped(name.substring(0, zone), Part.HOST) + unescaped(name.substring(zone), Part.ZONE);
        Address address;
        try {
            address = Address.parse(plain);
        } catch (IllegalArgumentException none) {
            throw new IllegalArgumentException("invalid host: " + none.getMessage(), none);
        }
        if (address.bits() == 32) {
            throw new IllegalArgumentException("invalid IP-literal");
        }
        return "[" + plain + "]" + port;
    }

    private static void checkPort(String port) {
        if (!port.isEmpty() && !isPort(port)) {
            throw new IllegalArgumentException("invalid port " + Texts.quoted(text(port)) + " after host");
        }
    }

    private static boolean isPort(String port) {
        return port.matches(":[0-9]*");
    }

    private static String unescaped(String text, Part part) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                if (i + 2 >= text.length() || hex(text, i) < 0) {
                    throw escape(text.substring(i, Math.min(text.length(), i + 3)));
                }
                String escape = text.substring(i, i + 3);
                int value = hex(text, i);
                if (part == Part.HOST && value < 128 && !escape.equals("%25")
                        || part == Part.ZONE
                                && !escape.equals("%25")
                                && value != ' '
                                && Part.HOST.escapes((char) value)) {
                    throw escape(escape);
                }
                i += 2;
            } else if ((part == Part.HOST || part == Part.ZONE) && c < 128 && part.escapes(c)) {
                throw new IllegalArgumentException(
                        "invalid character " + Texts.quoted(String.valueOf(c)) + " in host name");
            }
        }
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                plain.write(hex(text, i));
                i += 2;
            } else {
                plain.write(c == '+' && part == Part.QUERY ? ' ' : c);
            }
        }
        return plain.toString(StandardCharsets.ISO_8859_1);
    }

    private static IllegalArgumentException escape(String text) {
        return new IllegalArgumentException("invalid URL escape " + Texts.quoted(text));
    }

    private static int hex(String text, int percent) {
        int high = Character.digit(text.charAt(percent + 1), 16);
        int low = Character.digit(text.charAt(percent + 2), 16);
        return high < 0 || low < 0 ? -1 : high * 16 + low;
    }

    private static String escaped(String text, Part part) {
        StringBuilder escaped = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (part.escapes(c)) {
                escaped.append(String.format("%%%02X", (int) c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    private static boolean isValid(String text, Part part) {
        for (char c : text.toCharArray()) {
            if ("!$&'()*+,;=:@[]%".indexOf(c) < 0 && part.escapes(c)) {
                return false;
            }
        }
        return true;
    }

    private Url withFragment(String escaped) {
        return new Url(scheme, opaque, user, host, path, escapedPath, query, escaped, omitsHost, hasEmptyQuery);
    }

    String hostText() {
        return text(host);
    }

    String hostname() {
        int colon = portColon();
        String name = colon < 0 ? host : host.substring(0, colon);
        return text(name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name);
    }

    String port() {
        int colon = portColon();
        return colon < 0 ? "" : host.substring(colon + 1);
    }

    private int portColon() {
        int colon = host.lastIndexOf(':');
        return colon >= 0 && isPort(host.substring(colon)) ? colon : -1;
    }

    /** The parameters of the query; those that are not well formed are left out. */
    Map<String, List<String>> parameters() {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        for (String parameter : query.split("&", -1)) {
            if (parameter.isEmpty() || parameter.indexOf(';') >= 0) {
                continue;
            }
            int equals = parameter.indexOf('=');
            try {
                String key = unescaped(equals < 0 ? parameter : parameter.substring(0, equals), Part.QUERY);
                String value = equals < 0 ? "" : unescaped(parameter.substring(equals + 1), Part.QUERY);
                parameters.computeIfAbsent(text(key), any -> new ArrayList<>()).add(text(value));
            } catch (IllegalArgumentException malformed) {
                continue;
            }
        }
        return parameters;
    }

    @Override
    public String toString() {
        StringBuilder url = new StringBuilder();
        if (!scheme.isEmpty()) {
            url.append(scheme).append(':');
        }
        if (!opaque.isEmpty()) {
            url.append(opaque);
        } else {
            boolean hasAuthority = !host.isEmpty() || !user.isEmpty();
            if ((!scheme.isEmpty() || hasAuthority) && !(omitsHost && !hasAuthority)) {
                if (hasAuthority || !path.isEmpty()) {
                    url.append("//");
                }
                url.append(user).append(escaped(host, Part.HOST));
            }
            url.append(escapedPath);
        }
        if (hasEmptyQuery || !query.isEmpty()) {
            url.append('?').append(query);
        }
        if (!fragment.isEmpty()) {
            url.append('#').append(fragment);
        }
        return text(url.toString());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Url url && url.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }
}
