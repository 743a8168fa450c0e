// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.explain;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.attempts.AttemptsPage;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.live.SchedulerConnection;
import org.moorage.app.internal.process.CommandException;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.objects.GoDuration;
import org.moorage.objects.tree.ObjectTrees;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of {@code explain} that ask a running scheduler for the state of a pod, or of a group, and for its last
 * attempts.
 */
@OptionGroup(Heading.RUNNING_SCHEDULER)
public final class LiveExplanation {
    private static final int LONGEST_ANSWER = 4 << 20;

    @Option(
            names = "--live",
            description = "Ask a running Moorage scheduler instead of simulating. It keeps the last attempts if it runs"
                    + " with --keep-attempts=N. The user needs to be allowed to GET /debug/attempts.")
    private boolean isAsked;

    @Mixin
    private SchedulerConnection scheduler = new SchedulerConnection();

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "Limit for the answer (default: ${DEFAULT-VALUE}).")
    private String timeout = "";

    /** Returns whether the options select a running scheduler. */
    public boolean isAsked() {
        return isAsked;
    }

    /**
     * Asks the scheduler.
     *
     * @param connection the cluster whose credentials are used
     * @param name a pod as {@code NAMESPACE/NAME}, or a group as {@code podgroup/NAMESPACE/NAME}
     * @throws CommandException if the scheduler does not answer
     * @throws org.moorage.objects.ObjectDecodeException if the answer is malformed
     */
    public LiveReport ask(ApiConnection connection, String name) {
        Duration atMost = GoDuration.parse(timeout)
                .filter(duration -> !duration.isNegative() && !duration.isZero())
                .orElseThrow(() ->
                        new CommandException("--timeout: \"" + timeout + "\" (expected: a duration such as 10s)"));
        try (ApiRequests requests = scheduler.open(connection)) {
            ObjectNode answer = ObjectTrees.of(requests.page("explain " + name, path(name), atMost, LONGEST_ANSWER));
            return new LiveReport(answer);
        } catch (ClusterException unanswered) {
            throw new CommandException(scheduler.message(unanswered), unanswered);
        }
    }

    private static String path(String name) {
        boolean isGroup = name.matches("(composite)?podgroup/[^/]+/[^/]+");
        return AttemptsPage.PATH
                + (isGroup ? "?group=" : "?now=true&pod=")
                + URLEncoder.encode(name, StandardCharsets.UTF_8);
    }
}
