// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeChangesTest {
    private static final int MOST = 1024;

    private final NodeChanges changes = new NodeChanges();

    @Test
    void returnsTheNodesThatChangedSinceThen() {
        changes.add("a");
        long before = changes.count();
        changes.add("b");
        changes.add("c");
        changes.add("b");

        assertThat(changes.since(before)).contains(Set.of("b", "c"));
        assertThat(changes.since(changes.count())).contains(Set.of());
    }

    @Test
    void aChangeOfAllNodesCountsUntilItIsRead() {
        changes.add("a");
        long before = changes.count();
        changes.addAll();
        long between = changes.count();
        changes.add("b");

        assertThat(changes.since(before)).isEmpty();
        assertThat(changes.since(between)).contains(Set.of("b"));
    }

    @Test
    void forgetsNamesOfOldChanges() {
        changes.add("first");
        for (int i = 1; i < MOST; i++) {
            changes.add("n");
        }
        assertThat(changes.since(0)).contains(Set.of("first", "n"));

        changes.add("n");
        assertThat(changes.since(0)).isEqualTo(Optional.empty());
        assertThat(changes.since(1)).contains(Set.of("n"));
    }
}
