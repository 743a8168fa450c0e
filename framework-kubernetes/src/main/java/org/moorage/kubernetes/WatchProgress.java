// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.kubernetes.WatchStatus.Condition;
import org.moorage.objects.tree.KindVersions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link WatchStatus} of one kind, and logs its changes: a lasting failure once a minute, a kind that is not
 * served once.
 */
final class WatchProgress {
    private static final Logger LOG = LoggerFactory.getLogger(WatchProgress.class);
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    private final ObjectKind<?> kind;
    private final InstantSource clock;
    private final InstantSource monotonicClock;
    private final ServerOutage outage;

    @GuardedBy("this")
    private Condition condition = Condition.NOT_LISTED;

    @GuardedBy("this")
    private String servedVersion;

    @GuardedBy("this")
    private Instant since;

    @GuardedBy("this")
    private String cause = "";

    @GuardedBy("this")
    private long lists;

    @GuardedBy("this")
    private long failures;

    @GuardedBy("this")
    private int unreadableObjects;

    @GuardedBy("this")
    private int failuresInARow;

    @GuardedBy("this")
    private boolean isFailureLogged;

    @GuardedBy("this")
    private Instant lastLogged = Instant.MIN;

    WatchProgress(ObjectKind<?> kind, InstantSource clock, InstantSource monotonicClock, ServerOutage outage) {
        this.kind = kind;
        this.clock = clock;
        this.monotonicClock = monotonicClock;
        this.outage = outage;
        servedVersion = kind.apiVersion();
        since = clock.instant();
    }

    synchronized WatchStatus status() {
        return new WatchStatus(kind, servedVersion, condition, since, cause, lists, failures, unreadableObjects);
    }

    /** Records that all objects are known, from a list in an API version of the kind. */
    synchronized void listed(String apiVersion, int unreadable, int objects, String version) {
        lists++;
        if (!servedVersion.equals(apiVersion)) {
            servedVersion = apiVersion;
            LOG.atInfo()
                    .addKeyValue("kind", kind)
                    .addKeyValue("version", apiVersion)
                    .log(message(apiVersion));
        }
        unreadableObjects = unreadable;
        outage.answered();
        change(Condition.SYNCED, "");
        LOG.atDebug()
                .addKeyValue("kind", kind)
                .addKeyValue("objects", objects)
                .addKeyValue("resourceVersion", version)
                .log("Listed");
    }

    private String message(String apiVersion) {
        if (apiVersion.equals(kind.apiVersion())) {
            return "The API server serves the version of a kind that it did not serve before";
        }
        return KindVersions.isNewer(apiVersion, kind.apiVersion())
                ? "The API server serves a newer version of a kind; it is read and written in that"
                : "The API server serves an older version of a kind; it is read and written in that";
    }

    /** Records that the server has accepted a watch, which may still fail. */
    synchronized void connected() {
        outage.answered();
        change(Condition.SYNCED, "");
    }

    /** Records that a watch delivers changes. */
    synchronized void watching(int unreadable) {
        unreadableObjects = unreadable;
        change(Condition.SYNCED, "");
        if (isFailureLogged) {
            LOG.atInfo()
                    .addKeyValue("kind", kind)
                    .addKeyValue("failures", failuresInARow)
                    .log("Watching again");
        }
        isFailureLogged = false;
        failuresInARow = 0;
    }

    /**
     * Records that a list or watch failed and will be retried.
     *
     * @param isAnswered whether the server responded; if not, the failure does not concern this kind alone
     */
    synchronized void failed(boolean isAnswered, String message, Duration nextTry) {
        count(message);
        Instant now = monotonicClock.instant();
        // The server may never serve the kind: log that once.
        boolean isRepeated = condition != Condition.NOT_SERVED && !now.isBefore(lastLogged.plus(LOG_INTERVAL));
        boolean isDue = !outage.failed(isAnswered, message) && (!isFailureLogged || isRepeated);
        if (isDue) {
            isFailureLogged = true;
            lastLogged = now;
        }
        // A server that is down must not flood the log.
        (isDue ? LOG.atWarn() : LOG.atDebug())
                .addKeyValue("kind", kind)
                .addKeyValue("failures", failuresInARow)
                .addKeyValue("nextTry", nextTry)
                .addKeyValue("cause", message)
                .log(
                        switch (condition) {
                            case NOT_SERVED -> "The API server does not serve a kind; what needs it is switched off";
                            case NOT_ALLOWED -> "Not allowed to list a kind; what needs it is switched off";
                            case NOT_LISTABLE -> "Cannot list a kind; what needs it is switched off";
                            case NOT_LISTED, SYNCED, STALE -> "Cannot list or watch; trying again";
                        });
    }

    /** Records that a list was refused, possibly for a moment only; {@link #unavailable} follows if that persists. */
    synchronized void refused(String message, Duration nextTry) {
        count(message);
        boolean ignored = outage.failed(true, message);
        LOG.atDebug()
                .addKeyValue("kind", kind)
                .addKeyValue("nextTry", nextTry)
                .addKeyValue("cause", message)
                .log("Refused; trying again");
    }

    @GuardedBy("this")
    private void count(String message) {
        change(
                switch (condition) {
                    case SYNCED -> Condition.STALE;
                    case NOT_LISTED, STALE, NOT_SERVED, NOT_ALLOWED, NOT_LISTABLE -> condition;
                },
                message);
        failures++;
        failuresInARow++;
    }

    /** Records that the kind is not served, not allowed or cannot be listed; features that need it are disabled. */
    synchronized void unavailable(Condition why, String message) {
        if (condition != why) {
            failuresInARow = 0;
            isFailureLogged = false;
        }
        if (why == Condition.NOT_SERVED) {
            servedVersion = kind.apiVersion();
        }
        change(why, message);
    }

    @GuardedBy("this")
    private void change(Condition now, String why) {
        if (condition != now) {
            condition = now;
            since = clock.instant();
        }
        cause = why;
    }
}
