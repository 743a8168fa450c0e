// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.serving.Page;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;
import org.moorage.app.internal.serving.SecureServer;

/**
 * Serves a page, with two more paths below its own: {@code data}, its content as it is now, and {@code explain}, what the plugins say of
 * the pod that the parameter {@code pod} names. One request at a time is worked on, so that no number of them takes the memory or the
 * processors of what is shown.
 */
public final class ServedPage {
    private static final int LONGEST_WAIT = 10;

    private final Supplier<PageContent.Builder> content;
    private final Supplier<ShownCluster> cluster;
    private final Semaphore turn = new Semaphore(1);

    /**
     * A page.
     *
     * @param content what it shows, made for each request
     * @param cluster the cluster as it is shown, for each request about a pod
     */
    public ServedPage(Supplier<PageContent.Builder> content, Supplier<ShownCluster> cluster) {
        this.content = content;
        this.cluster = cluster;
    }

    /** Adds it to a server. */
    public void addTo(SecureServer server, String path) {
        // Relative, so that it can be read through a proxy that serves it elsewhere.
        String below = path.substring(path.lastIndexOf('/') + 1);
        String prefix = below.isEmpty() ? "" : below + "/";
        PageContent.Paths paths = new PageContent.Paths(prefix + "data", prefix + "explain");
        String folder = path.endsWith("/") ? path : path + "/";
        server.page(
                path,
                // The root stands for all paths below it, too.
                one(query -> query.path().equals(path)
                        ? Reply.html(HtmlReport.bytes(content.get().paths(paths).build()))
                        : Reply.notFound()));
        server.page(
                folder + "data", one(query -> data(content.get().paths(paths).build())));
        server.page(folder + "explain", one(this::explain));
    }

    private Page one(Function<Query, Reply> answer) {
        return query -> {
            boolean isTurn = false;
            try {
                isTurn = turn.tryAcquire(LONGEST_WAIT, TimeUnit.SECONDS);
                return isTurn ? answer.apply(query) : Reply.text(503, "other requests are worked on, try again\n");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Reply.text(503, "the server ends\n");
            } finally {
                if (isTurn) {
                    turn.release();
                }
            }
        };
    }

    private static Reply data(PageContent content) {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        try {
            PageData.write(content, json);
        } catch (IOException e) {
            throw new UncheckedIOException("the data of the page cannot be made", e);
        }
        return new Reply(200, "application/json", json.toByteArray());
    }

    private Reply explain(Query query) {
        List<String> keys = query.values("pod");
        if (keys.size() != 1 || keys.get(0).indexOf('/') < 0) {
            return Reply.text(400, "pod: " + keys + " (expected: one, as NAMESPACE/NAME)\n");
        }
        ShownCluster shown = cluster.get();
        Optional<Pod> pod = shown.pod(keys.get(0));
        if (pod.isEmpty()) {
            return Reply.text(404, "pod: \"" + keys.get(0) + "\" (expected: one of the cluster)\n");
        }
        String scheduler = pod.get().spec().schedulerName();
        if (!shown.profiles().contains(scheduler)) {
            return Reply.text(
                    400,
                    "pod: it is for the scheduler \"" + scheduler + "\" (expected: one of " + shown.profiles() + ")\n");
        }
        return Reply.json(200, shown.explain(pod.get()).toString());
    }
}
