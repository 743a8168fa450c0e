// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.moorage.app.internal.attempts.AttemptsPage;
import org.moorage.app.internal.attempts.KeptAttempts;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.metrics.MetricsText;
import org.moorage.app.internal.process.Version;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;
import org.moorage.app.internal.serving.SecureServer;
import org.moorage.config.LoadedConfig;
import org.moorage.runtime.Scheduler;

/** The pages that show what the scheduler is made of, in the form of kube-scheduler's. */
final class ServedPages {
    private static final String WARNING =
            "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is"
                    + " for debugging purposes only.\n";
    private static final DateTimeFormatter STARTED = DateTimeFormatter.ofPattern(
                    "EEE MMM dd HH:mm:ss 'UTC' yyyy", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private ServedPages() {}

    /** Adds metrics to a server. */
    static void metrics(SecureServer server, String path, MetricsText metrics) {
        server.page(path, query -> {
            MetricsText.Text text = metrics.read(query.accept());
            return new Reply(200, text.contentType(), text.body());
        });
    }

    /** Adds the other pages to a server. */
    static void addTo(
            SecureServer server,
            LoadedConfig config,
            Map<String, String> flags,
            Scheduler scheduler,
            Optional<KeptAttempts> kept,
            InstantSource clock) {
        Instant started = clock.instant();
        server.page("/configz", query -> Reply.json(200, configz(config)));
        server.page("/flagz", query -> Reply.text(200, flagz(flags)));
        server.page("/statusz", query -> Reply.text(200, statusz(server, config, started, clock.instant())));
        server.page("/debug/dump", query -> Reply.text(200, scheduler.dump().toString()));
        server.page(
                "/debug/compare",
                query -> Reply.text(200, scheduler.compareCache().toString()));
        server.writablePage("/debug/flags/v", ServedPages::setVerbosity);
        AttemptsPage attempts = new AttemptsPage(scheduler, kept);
        OneAtATime turn = new OneAtATime();
        server.page(AttemptsPage.PATH, turn.of(attempts));
        SchedulerPage.of(scheduler, attempts, turn, clock).addTo(server, "/debug/page");
    }

    private static String configz(LoadedConfig config) {
        return JsonNodeFactory.instance
                .objectNode()
                .putPOJO("componentconfig", config.effective())
                .toString();
    }

    private static String flagz(Map<String, String> flags) {
        StringBuilder text = new StringBuilder("\nmoorage flagz\n").append(WARNING);
        flags.forEach(
                (name, value) -> text.append(name).append(' ').append(value).append('\n'));
        return text.append('\n').toString();
    }

    private static String statusz(SecureServer server, LoadedConfig config, Instant started, Instant now) {
        Duration up = Duration.between(started, now);
        return "\nmoorage statusz\n" + WARNING + "\nStarted: " + STARTED.format(started) + "\nUp: " + up.toHours()
                + " hr "
                + String.format(Locale.ROOT, "%02d min %02d sec", up.toMinutesPart(), up.toSecondsPart())
                + "\nJava version: " + Runtime.version()
                + "\nBinary version: " + Version.ofMoorage()
                + "\nEmulation version: " + config.featureGates().version().emulated()
                + "\nPaths: " + String.join(" ", server.paths()) + "\n";
    }

    private static Reply setVerbosity(Query query) {
        String value = query.body().strip();
        if (!query.method().equals("PUT")) {
            return Reply.text(406, "unrecognized http method\n");
        }
        if (!value.matches("[0-9]{1,4}")) {
            return Reply.text(400, "failed set klog.logging.verbosity: \"" + value + "\" (expected: a number)\n");
        }
        Logging.use(Logging.level(Integer.parseInt(value)));
        return Reply.text(200, "successfully set klog.logging.verbosity to " + value);
    }
}
