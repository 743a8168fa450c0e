// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.time.Instant;
import java.util.Optional;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.tree.KindVersions;

/**
 * The state of the list and watch of one kind, for readiness checks and metrics.
 *
 * @param kind the kind
 * @param servedVersion the group and version that the API server serves it in; the kind's own until that is known
 * @param condition whether the objects are known, and if not, why
 * @param since when that condition started
 * @param cause the last error of the API server, or why it could not be reached; empty if nothing is wrong
 * @param lists how many lists have been delivered
 * @param failures how many lists and watches have failed since the start
 * @param unreadableObjects how many objects cannot be read; each keeps its last known state, if any
 */
public record WatchStatus(
        ObjectKind<?> kind,
        String servedVersion,
        Condition condition,
        Instant since,
        String cause,
        long lists,
        long failures,
        int unreadableObjects) {
    /** Whether the objects of a kind are known, and if not, why. */
    public enum Condition {
        /** They have not been listed yet. */
        NOT_LISTED("not listed yet"),
        /** They are known, and a watch delivers changes. */
        SYNCED("synced"),
        /** They were known, but no watch is open now. */
        STALE("stale"),
        /** The API server has no such kind; features that need it are disabled. */
        NOT_SERVED("not served by the API server"),
        /** The API server does not allow listing them; features that need them are disabled. */
        NOT_ALLOWED("not allowed to be listed"),
        /** The API server has never returned a readable list; features that need them are disabled. */
        NOT_LISTABLE("cannot be listed");

        private final String text;

        Condition(String text) {
            this.text = text;
        }
    }

    /**
     * Returns whether this kind is ready for scheduling. A kind that the server does not serve counts as ready, since
     * it has no objects.
     */
    public boolean isReady() {
        return condition == Condition.SYNCED || condition == Condition.NOT_SERVED;
    }

    /** Returns a one-line note about a problem; empty if there is none. */
    public Optional<String> note() {
        StringBuilder note = new StringBuilder();
        if (condition != Condition.SYNCED) {
            note.append(": ").append(condition.text).append(" since ").append(since);
            if (!cause.isEmpty()) {
                note.append(": ").append(cause);
            }
        }
        if (KindVersions.isNewer(kind.apiVersion(), servedVersion)) {
            note.append(": served as ")
                    .append(servedVersion)
                    .append(", not as ")
                    .append(kind.apiVersion());
        }
        if (unreadableObjects > 0) {
            note.append(": ").append(unreadableObjects).append(" cannot be read");
        }
        return note.isEmpty() ? Optional.empty() : Optional.of(nameOf(kind) + note);
    }

    /** Returns the kind as in RBAC rules: {@code pods}, {@code resourceclaims.resource.k8s.io}. */
    static String nameOf(ObjectKind<?> kind) {
        return kind.group().isEmpty() ? kind.plural() : kind.plural() + "." + kind.group();
    }
}
