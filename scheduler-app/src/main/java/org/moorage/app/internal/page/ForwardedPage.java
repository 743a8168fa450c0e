// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;
import org.moorage.app.internal.serving.SecureServer;

/**
 * The page of a running scheduler on a server of this machine, which forwards the requests of the page to the
 * scheduler, and no others.
 */
public final class ForwardedPage {
    /** The path of the page, at the scheduler and here. */
    public static final String PATH = "/debug/page";

    private static final int BAD_GATEWAY = 502;

    private final UnaryOperator<String> scheduler;

    /**
     * The page of a scheduler.
     *
     * @param scheduler returns the scheduler's response for a path, or throws a {@link ClusterException}
     */
    public ForwardedPage(UnaryOperator<String> scheduler) {
        this.scheduler = scheduler;
    }

    /** Adds it to a server, at the paths that it has at the scheduler. */
    public void addTo(SecureServer server) {
        server.page(PATH, query -> reply(query, "text/html; charset=utf-8"));
        for (String part : List.of("data", "explain", "attempts")) {
            server.page(PATH + "/" + part, query -> reply(query, "application/json"));
        }
    }

    private Reply reply(Query query, String contentType) {
        // Forwards only the query parameters that the page uses.
        String pods = query.values("pod").stream()
                .map(pod -> "pod=" + URLEncoder.encode(pod, UTF_8))
                .collect(Collectors.joining("&"));
        try {
            String answer = scheduler.apply(query.path() + (pods.isEmpty() ? "" : "?" + pods));
            return new Reply(200, contentType, answer.getBytes(UTF_8));
        } catch (ClusterException refused) {
            int code = refused.httpStatus() == 0 ? BAD_GATEWAY : refused.httpStatus();
            return Reply.text(code, refused.getMessage() + "\n");
        }
    }
}
