// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that the API server does not respond, once a minute for the watches of all kinds together, and that it is back.
 * During an outage the watches do not have to log their failures.
 */
final class ServerOutage {
    private static final Logger LOG = LoggerFactory.getLogger(ServerOutage.class);
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    private final String server;
    private final InstantSource clock;

    @GuardedBy("this")
    private boolean isAway;

    @GuardedBy("this")
    private boolean isLogged;

    @GuardedBy("this")
    private Instant since = Instant.MIN;

    @GuardedBy("this")
    private Instant lastLogged = Instant.MIN;

    @GuardedBy("this")
    private int failures;

    ServerOutage(String server, InstantSource clock) {
        this.server = server;
        this.clock = clock;
    }

    /**
     * Records that a list or watch failed.
     *
     * @param isAnswered whether the server responded, with an error
     * @return whether the failure is part of an outage
     */
    synchronized boolean failed(boolean isAnswered, String message) {
        if (isAnswered && !isAway) {
            return false;
        }
        Instant now = clock.instant();
        if (!isAway) {
            isAway = true;
            isLogged = false;
            since = now;
            failures = 0;
        }
        failures++;
        if (!now.isBefore(lastLogged.plus(LOG_INTERVAL))) {
            isLogged = true;
            lastLogged = now;
            LOG.atWarn()
                    .addKeyValue("server", server)
                    .addKeyValue("since", since)
                    .addKeyValue("failures", failures)
                    .addKeyValue("cause", message)
                    .log("The API server does not answer; trying again");
        }
        return true;
    }

    /** Records that a list or watch succeeded. */
    synchronized void answered() {
        if (isAway && isLogged) {
            LOG.atInfo()
                    .addKeyValue("server", server)
                    .addKeyValue("since", since)
                    .addKeyValue("failures", failures)
                    .log("The API server answers again");
        }
        isAway = false;
    }
}
