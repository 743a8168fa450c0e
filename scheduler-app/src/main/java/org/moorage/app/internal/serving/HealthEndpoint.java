// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One of /healthz, /livez and /readyz, with the texts of kube-scheduler's. */
final class HealthEndpoint implements Page {
    private static final Logger LOG = LoggerFactory.getLogger(HealthEndpoint.class);

    private final String name;
    private final List<HealthCheck> checks;
    private final Supplier<List<String>> notes;

    /**
     * Creates an endpoint.
     *
     * @param name the path without the slash
     * @param checks the checks to run; if there are none, {@link HealthCheck#PING}
     * @param notes additional lines for the reader
     */
    HealthEndpoint(String name, List<HealthCheck> checks, Supplier<List<String>> notes) {
        this.name = name;
        this.notes = notes;
        this.checks = checks.isEmpty() ? List.of(HealthCheck.PING) : List.copyOf(checks);
    }

    @Override
    public Reply reply(Query query) {
        String rest = query.path().substring(name.length() + 1);
        if (rest.isEmpty() || rest.equals("/")) {
            return all(query);
        }
        for (HealthCheck check : checks) {
            if (rest.equals("/" + check.name())) {
                return one(check);
            }
        }
        return Reply.notFound();
    }

    private static Reply one(HealthCheck check) {
        return ask(check)
                .map(failure -> Reply.text(500, "internal server error: " + failure + "\n"))
                .orElseGet(() -> Reply.text(200, "ok"));
    }

    private Reply all(Query query) {
        Set<String> excluded = new LinkedHashSet<>(query.values("exclude"));
        StringBuilder text = new StringBuilder();
        List<String> failed = new ArrayList<>();
        for (HealthCheck check : checks) {
            if (excluded.remove(check.name())) {
                text.append("[+]").append(check.name()).append(" excluded: ok\n");
                continue;
            }
            Optional<String> failure = ask(check);
            if (failure.isPresent()) {
                failed.add(check.name());
                text.append("[-]").append(check.name()).append(" failed: reason withheld\n");
                LOG.atInfo()
                        .addKeyValue("check", check.name())
                        .addKeyValue("endpoint", name)
                        .addKeyValue("err", failure.get())
                        .log("Health check failed");
            } else {
                text.append("[+]").append(check.name()).append(" ok\n");
            }
        }
        if (!excluded.isEmpty()) {
            text.append("warn: some health checks cannot be excluded: no matches for ")
                    .append(excluded.stream().map(check -> '"' + check + '"').collect(Collectors.joining(",")))
                    .append('\n');
        }
        if (!failed.isEmpty() || query.has("verbose")) {
            notes.get().forEach(note -> text.append("note: ").append(note).append('\n'));
        }
        if (!failed.isEmpty()) {
            return Reply.text(500, text + name + " check failed\n");
        }
        return Reply.text(200, query.has("verbose") ? text + name + " check passed\n" : "ok");
    }

    // A check that fails to answer is one that fails.
    private static Optional<String> ask(HealthCheck check) {
        try {
            return check.failure().get();
        } catch (RuntimeException thrown) {
            return Optional.of(thrown.toString());
        }
    }
}
