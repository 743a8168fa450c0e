// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;

final class LiveChangesTest {
    private final List<String> told = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();
    private final LiveChanges changes = new LiveChanges(
            change -> told.add(change.type() + " " + change.name() + " " + change.uid()
                    + (change.object().isEmpty() ? " by name" : "")),
            (kind, reason) -> missing.add(reason));

    private static Namespace namespace(String name, String uid, String version) {
        return new Namespace(
                ObjectMeta.named(name).uid(uid).resourceVersion(version).build());
    }

    @Test
    void areWhatAListHasAfterAWatchBrokeOff() {
        changes.replaced(
                ObjectKind.NAMESPACE,
                List.of(
                        namespace("same", "1", "1"),
                        namespace("changed", "2", "1"),
                        namespace("gone", "3", "1"),
                        namespace("made-again", "4", "1")));
        told.clear();

        changes.replaced(
                ObjectKind.NAMESPACE,
                List.of(
                        namespace("same", "1", "1"),
                        namespace("changed", "2", "5"),
                        namespace("made-again", "6", "6"),
                        namespace("new", "7", "7")));

        assertThat(told)
                .containsExactly(
                        "MODIFIED changed 2",
                        "DELETED made-again 4 by name",
                        "ADDED made-again 6",
                        "ADDED new 7",
                        "DELETED gone 3 by name");
    }

    @Test
    void areReportedOnceWhenAListRestarts() {
        changes.listing(ObjectKind.NAMESPACE).add(namespace("first", "1", "1"));
        changes.replaced(ObjectKind.NAMESPACE, List.of(namespace("first", "1", "1"), namespace("second", "2", "2")));

        assertThat(told).containsExactly("ADDED first 1", "ADDED second 2");
    }

    @Test
    void areThoseOfAWatch() {
        changes.applied(ObjectKind.NAMESPACE, namespace("web", "1", "1"));
        changes.applied(ObjectKind.NAMESPACE, namespace("web", "1", "2"));
        changes.deleted(ObjectKind.NAMESPACE, namespace("web", "1", "3"));
        changes.deleted(ObjectKind.NAMESPACE, namespace("web", "1", "3"));

        assertThat(told).containsExactly("ADDED web 1", "MODIFIED web 1", "DELETED web 1");
    }

    @Test
    void reportAMissingKindOnce() {
        changes.unavailable(ObjectKind.NAMESPACE, "namespaces must not be listed");
        changes.unavailable(ObjectKind.NAMESPACE, "namespaces must not be listed");

        assertThat(missing).containsExactly("namespaces must not be listed");
    }
}
