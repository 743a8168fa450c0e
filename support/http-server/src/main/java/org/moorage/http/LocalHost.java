// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Recognizes requests for this machine. A web page can make a browser resolve the page's own name to 127.0.0.1 (DNS
 * rebinding) and then read from and write to a port there that takes no credentials; the {@code Host} header still has
 * the name.
 */
final class LocalHost {
    private static final Pattern NAMES =
            Pattern.compile("(?i)(localhost\\.?|127(\\.[0-9]{1,3}){3}|\\[::1]|\\[0*(:0*){6}:0*1])(:[0-9]*)?");

    private LocalHost() {}

    /** Returns whether a request's {@code Host} names this machine, or is missing, which no browser does. */
    static boolean isAsked(Request request) {
        List<String> hosts = request.headers("Host");
        String authority = request.uri().getRawAuthority();
        return hosts.stream().allMatch(LocalHost::isLocal) && (authority == null || isLocal(authority));
    }

    private static boolean isLocal(String host) {
        return NAMES.matcher(host.strip()).matches();
    }
}
