// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.Page;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;
import org.moorage.app.internal.serving.SecureServer;
import org.moorage.config.plugin.Thrown;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A page on a server, with more paths below its own: {@code data}, its current content; {@code explain}, the evaluation
 * of the pod that the parameter {@code pod} names; and of a running scheduler {@code attempts}, why that pod is
 * pending, and the results of the last attempts to schedule it. Requests are handled one at a time.
 */
public final class ServedPage {
    private static final Logger LOG = LoggerFactory.getLogger(ServedPage.class);

    private final Supplier<PageContent.Builder> content;
    private final Supplier<ShownCluster> cluster;
    private final Optional<Page> attempts;
    private final String questions;
    private final OneAtATime turn;

    /**
     * Creates a page.
     *
     * @param content the content, created for each request
     * @param cluster the shown cluster, created for each request about a pod
     * @param attempts why a pod is pending; empty if that is not known
     * @param questions the path to which the page sends questions as {@code POST} requests; empty if it sends none
     * @param turn the lock for slow pages
     */
    public ServedPage(
            Supplier<PageContent.Builder> content,
            Supplier<ShownCluster> cluster,
            Optional<Page> attempts,
            String questions,
            OneAtATime turn) {
        this.content = content;
        this.cluster = cluster;
        this.attempts = attempts;
        this.questions = questions;
        this.turn = turn;
    }

    /** Adds the page to a server. */
    public void addTo(SecureServer server, String path) {
        // Relative, so that it can be read through a proxy that serves it elsewhere.
        String below = path.substring(path.lastIndexOf('/') + 1);
        String prefix = below.isEmpty() ? "" : below + "/";
        PageContent.Paths paths = new PageContent.Paths(
                prefix + "data", prefix + "explain", attempts.isPresent() ? prefix + "attempts" : "", questions);
        String folder = path.endsWith("/") ? path : path + "/";
        server.page(
                path,
                // The root stands for all paths below it, too.
                turn.of(query -> query.path().equals(path)
                        ? Reply.html(HtmlReport.bytes(content.get().paths(paths).build()))
                        : Reply.notFound()));
        server.page(
                folder + "data",
                turn.of(query -> data(content.get().paths(paths).build())));
        server.page(folder + "explain", turn.of(this::explain));
        attempts.ifPresent(page -> server.page(folder + "attempts", turn.of(page)));
    }

    /** Returns the reply with the data of a page. */
    public static Reply data(PageContent content) {
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
        try {
            return Reply.json(200, AnswerJson.line(shown.explain(pod.get())));
        } catch (RuntimeException failure) {
            // If a plugin fails for the pod, or cannot be created again, that explains why the pod is pending, and is
            // not a failure of the page.
            LOG.atWarn()
                    .addKeyValue("pod", pod.get().key())
                    .setCause(failure)
                    .log("A pod cannot be explained on the page");
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            answer.put("pod", pod.get().key()).put("error", Thrown.text(failure));
            return Reply.json(200, answer.toString());
        }
    }
}
