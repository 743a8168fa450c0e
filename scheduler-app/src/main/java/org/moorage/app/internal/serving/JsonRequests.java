// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.moorage.http.Request;

/**
 * Refuses JSON that a browser sends for a page of another server. Such a page can send a form or a plain text without
 * being asked, but the type of JSON only with permission of this server, which gives none.
 */
final class JsonRequests {
    private static final Pattern JSON = Pattern.compile("application/json *(;.*)?", Pattern.CASE_INSENSITIVE);
    // Not a name that the owner of a domain can let point here.
    private static final Pattern THIS_MACHINE =
            Pattern.compile("(localhost|[0-9.]+|\\[[0-9a-f:.]+])(:[0-9]+)?", Pattern.CASE_INSENSITIVE);

    private JsonRequests() {}

    /**
     * Returns the reply to a request that is refused; empty if it is answered.
     *
     * @param isOpen whether clients have to show no credentials
     */
    static Optional<Reply> refusal(Request request, boolean isOpen) {
        String type = request.header("Content-Type").orElse("");
        if (!JSON.matcher(type).matches()) {
            return Optional.of(Reply.text(415, "Content-Type: \"" + type + "\" (expected: application/json)\n"));
        }
        List<String> hosts = request.headers("Host");
        String host = hosts.size() == 1 ? hosts.get(0) : "";
        if (host.isEmpty() || isOpen && !THIS_MACHINE.matcher(host).matches()) {
            return Optional.of(Reply.text(403, "Host: " + hosts + " (expected: localhost, or an IP address)\n"));
        }
        List<String> origins = request.headers("Origin");
        if (!origins.isEmpty() && !origins.equals(List.of("https://" + host))) {
            return Optional.of(Reply.text(403, "Origin: " + origins + " (expected: https://" + host + ")\n"));
        }
        return Optional.empty();
    }
}
