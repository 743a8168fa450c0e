// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.attempts.AttemptsPage;
import org.moorage.app.internal.attempts.KeptAttempts;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.metrics.MetricsText;
import org.moorage.app.internal.process.Version;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;
import org.moorage.app.internal.serving.SecureServer;
import org.moorage.app.internal.zpages.ZPage;
import org.moorage.config.LoadedConfig;
import org.moorage.runtime.Scheduler;

/** The pages that show what the scheduler is made of, in the form of kube-scheduler's. */
final class ServedPages {
    private static final String CBOR = "CBORServingAndStorage";
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
        FeatureGates features = config.featureGates();
        boolean hasCbor = features.isEnabled(CBOR);
        if (features.isEnabled("ComponentFlagz")) {
            server.page("/flagz", new ZPage("Flagz", hasCbor, () -> flagsText(flags), () -> Map.of("flags", flags)));
        }
        if (features.isEnabled("ComponentStatusz")) {
            Status status = new Status(
                    started,
                    features.version().emulated().toString(),
                    server.paths().stream()
                            .map(path -> path.replaceFirst("(?<=.)/.*", ""))
                            .filter(path -> !path.equals("/debug"))
                            .distinct()
                            .toList());
            server.page(
                    "/statusz",
                    new ZPage(
                            "Statusz",
                            hasCbor,
                            () -> status.text(clock.instant()),
                            () -> status.fields(clock.instant())));
        }
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

    private static String flagsText(Map<String, String> flags) {
        StringBuilder text = new StringBuilder();
        flags.forEach(
                (name, value) -> text.append(name).append(' ').append(value).append('\n'));
        return text.toString();
    }

    /**
     * The contents of /statusz.
     *
     * @param started when the process started to serve
     * @param emulated the version of Kubernetes that is emulated
     * @param paths the first parts of the paths of other pages, but for those that are for debugging
     */
    private record Status(Instant started, String emulated, List<String> paths) {
        private long upSeconds(Instant now) {
            return Math.max(0, Duration.between(started, now).toSeconds());
        }

        String text(Instant now) {
            Duration up = Duration.ofSeconds(upSeconds(now));
            return "\nStarted: " + STARTED.format(started) + "\nUp: " + up.toHours() + " hr "
                    + String.format(Locale.ROOT, "%02d min %02d sec", up.toMinutesPart(), up.toSecondsPart())
                    + "\nJava version: " + Runtime.version()
                    + "\nBinary version: " + Version.ofMoorage()
                    + "\nEmulation version: " + emulated
                    + "\nPaths: " + String.join(" ", paths) + "\n";
        }

        Map<String, Object> fields(Instant now) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("startTime", started.truncatedTo(ChronoUnit.SECONDS).toString());
            fields.put("uptimeSeconds", upSeconds(now));
            fields.put("goVersion", "java" + Runtime.version());
            fields.put("binaryVersion", String.valueOf(Version.ofMoorage()));
            fields.put("emulationVersion", emulated);
            fields.put("paths", paths);
            return fields;
        }
    }

    private static Reply setVerbosity(Query query) {
        String value = query.body().strip();
        if (!query.method().equals("PUT")) {
            return Reply.text(406, "unrecognized http method\n");
        }
        if (!value.matches("[0-9]{1,4}")) {
            return Reply.text(400, "failed set klog.logging.verbosity: \"" + value + "\" (expected: a number)\n");
        }
        Logging.use(Integer.parseInt(value));
        return Reply.text(200, "successfully set klog.logging.verbosity to " + value);
    }
}
