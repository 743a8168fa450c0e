// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.runtime.internal.queue.QueueFixture.composite;
import static org.moorage.runtime.internal.queue.QueueFixture.podGroup;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.GroupKey;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.internal.queue.QueuedPodGroupInfo.Group;

/** Tests the parents and roots of groups. */
final class WorkloadForestTest {
    private static final GroupKey LEAF = GroupKey.podGroup("ns", "leaf");

    /** The root of the pod group {@code leaf}, or none. */
    record Case(String name, List<SchedulingGroup> groups, Optional<GroupKey> root) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("a group that is not known has none", List.of(), Optional.empty()),
            new Case("a group without a parent is its own", List.of(podGroup("leaf")), Optional.of(LEAF)),
            new Case(
                    "the group above it is",
                    List.of(podGroup("leaf", "top"), composite("top", "")),
                    Optional.of(GroupKey.compositePodGroup("ns", "top"))),
            new Case(
                    "the group on top is, in any order of creation",
                    List.of(composite("top", ""), podGroup("leaf", "middle"), composite("middle", "top")),
                    Optional.of(GroupKey.compositePodGroup("ns", "top"))),
            new Case(
                    "there is none while one above is missing",
                    List.of(podGroup("leaf", "middle"), composite("top", "")),
                    Optional.empty()),
            new Case(
                    "there is none while its parent's parent is missing",
                    List.of(podGroup("leaf", "middle"), composite("middle", "top")),
                    Optional.empty()),
            new Case(
                    "a pod group is never a parent",
                    List.of(podGroup("leaf", "other"), podGroup("other")),
                    Optional.empty()),
            new Case(
                    "a composite pod group of the same name may be its parent",
                    List.of(podGroup("leaf", "leaf"), composite("leaf", "")),
                    Optional.of(GroupKey.compositePodGroup("ns", "leaf"))),
            new Case(
                    "a circle has none",
                    List.of(podGroup("leaf", "a"), composite("a", "b"), composite("b", "a")),
                    Optional.empty()),
            new Case(
                    "a group that is its own parent has none",
                    List.of(podGroup("leaf", "a"), composite("a", "a")),
                    Optional.empty()));

    @ParameterizedTest
    @FieldSource("CASES")
    void findsTheRoot(Case given) {
        WorkloadForest forest = new WorkloadForest(true);
        given.groups.forEach(forest::put);

        assertThat(forest.root(LEAF)).isEqualTo(given.root);
    }

    @Test
    void takesAPodGroupToHaveNoParentWhereThereAreNoComposites() {
        WorkloadForest forest = new WorkloadForest(false);
        forest.put(podGroup("leaf", "top"));

        assertThat(forest.root(LEAF)).contains(LEAF);
    }

    @Test
    void looksOnlySoFarUp() {
        WorkloadForest forest = new WorkloadForest(true);
        forest.put(composite("c0", ""));
        for (int i = 1; i < 10_000; i++) {
            forest.put(composite("c" + i, "c" + (i - 1)));
        }
        forest.put(podGroup("leaf", "c15"));
        assertThat(forest.root(LEAF)).contains(GroupKey.compositePodGroup("ns", "c0"));
        assertThat(forest.podGroups(GroupKey.compositePodGroup("ns", "c0"))).containsExactly(LEAF);
        assertThat(deepest(forest)).isEqualTo(17);

        forest.put(podGroup("leaf", "c16"));
        assertThat(forest.root(LEAF)).isEmpty();
        assertThat(forest.podGroups(GroupKey.compositePodGroup("ns", "c0"))).isEmpty();
        assertThat(deepest(forest)).isEqualTo(17);
    }

    private static int deepest(WorkloadForest forest) {
        int depth = 0;
        List<Group> level = List.of(forest.tree(GroupKey.compositePodGroup("ns", "c0"), key -> List.of()));
        while (!level.isEmpty()) {
            depth++;
            List<Group> next = new ArrayList<>();
            level.forEach(group -> next.addAll(group.children()));
            level = next;
        }
        return depth;
    }

    @Test
    void keepsTheLinkWithAParentThatComesAndGoes() {
        WorkloadForest forest = new WorkloadForest(true);
        forest.put(podGroup("leaf", "top"));
        GroupKey top = GroupKey.compositePodGroup("ns", "top");
        forest.put(composite("top", ""));
        forest.remove(top);
        assertThat(forest.root(LEAF)).isEmpty();

        forest.put(composite("top", ""));
        assertThat(forest.root(LEAF)).contains(top);
        assertThat(forest.podGroups(top)).containsExactly(LEAF);
    }

    @Test
    void unlinksAGroupThatIsGone() {
        WorkloadForest forest = new WorkloadForest(true);
        forest.put(composite("top", ""));
        forest.put(podGroup("leaf", "top"));
        forest.remove(LEAF);
        forest.remove(LEAF);

        assertThat(forest.podGroups(GroupKey.compositePodGroup("ns", "top"))).isEmpty();
    }

    @Test
    void hasTheChildrenInOrderOfTheirAgeAndThenOfTheirNames() {
        WorkloadForest forest = new WorkloadForest(true);
        forest.put(composite("top", ""));
        forest.put(podGroup("b", "top"));
        forest.put(podGroup("a", "top"));
        forest.put(aged(podGroup("old", "top"), QueueFixture.START.minusSeconds(1)));
        CompositePodGroup young = composite("young", "top");
        forest.put(young);
        forest.put(podGroup("c", "young"));

        Group tree = forest.tree(GroupKey.compositePodGroup("ns", "top"), key -> List.of());
        assertThat(tree.children()).extracting(child -> child.key().name()).containsExactly("old", "a", "b", "young");
        assertThat(tree.children().get(3).object()).isSameAs(young);
        assertThat(tree.children().get(3).children())
                .extracting(Group::key)
                .containsExactly(GroupKey.podGroup("ns", "c"));
    }

    private static PodGroup aged(PodGroup group, Instant created) {
        return PodGroup.of(
                        group.metadata().toBuilder().creationTimestamp(created).build())
                .parentName(group.parentName())
                .build();
    }
}
