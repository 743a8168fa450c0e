// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.time.Instant;
import java.util.Optional;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.tree.KindVersions;

/**
 * How far the objects of one kind are known, for readiness checks and metrics.
 *
 * @param kind the kind
 * @param servedVersion the group and version that the API server serves it in; the kind's own as long as nothing else is known
 * @param condition whether they are known, and if not, why
 * @param since when that began
 * @param cause what the API server said last, or why it could not be asked; empty if nothing is wrong
 * @param lists how many lists have been taken over
 * @param failures how many lists and watches have failed since the start
 * @param unreadableObjects how many objects cannot be read and stand as they were last known, if they were
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
        /** They are known, and a watch tells of changes. */
        SYNCED("synced"),
        /** They were known, and there is no watch now. */
        STALE("stale"),
        /** The API server has no such kind: what needs it is switched off. */
        NOT_SERVED("not served by the API server"),
        /** The API server does not allow to list them: what needs them is switched off. */
        NOT_ALLOWED("not allowed to be listed"),
        /** The API server answers with something else than a list, and always did: what needs them is switched off. */
        NOT_LISTABLE("cannot be listed");

        private final String text;

        Condition(String text) {
            this.text = text;
        }
    }

    /**
     * Whether the scheduler can do its work as far as this kind goes. A kind that the server does not have is no obstacle: neither
     * are there objects of it.
     */
    public boolean isReady() {
        return condition == Condition.SYNCED || condition == Condition.NOT_SERVED;
    }

    /** What is worth knowing, on one line; empty if all is well. */
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

    /** The kind as in permissions: {@code pods}, {@code resourceclaims.resource.k8s.io}. */
    static String nameOf(ObjectKind<?> kind) {
        return kind.group().isEmpty() ? kind.plural() : kind.plural() + "." + kind.group();
    }
}
