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
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.PodGroups;

/** Tests the parents and roots of groups. */
final class PodGroupForestTest {
    private static final GroupKey LEAF = GroupKey.podGroup("ns", "leaf");
    private static final GroupKey C0 = GroupKey.compositePodGroup("ns", "c0");
    private static final FeatureGates GROUPED = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.COMPOSITE_POD_GROUP, true);

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
        assertThat(forest(given.groups).root(LEAF)).isEqualTo(given.root);
    }

    @Test
    void takesAPodGroupToHaveNoParentWhereThereAreNoComposites() {
        PodGroups forest = PodGroups.none(GROUPED.with(FeatureGates.COMPOSITE_POD_GROUP, false))
                .with(podGroup("leaf", "top"));

        assertThat(forest.root(LEAF)).contains(LEAF);
    }

    private static PodGroups forest(List<? extends SchedulingGroup> groups) {
        PodGroups forest = PodGroups.none(GROUPED);
        for (SchedulingGroup group : groups) {
            forest = forest.with(group);
        }
        return forest;
    }

    @Test
    void looksOnlySoFarUp() {
        List<SchedulingGroup> groups = new ArrayList<>(List.of(composite("c0", "")));
        for (int i = 1; i < 10_000; i++) {
            groups.add(composite("c" + i, "c" + (i - 1)));
        }
        PodGroups forest = forest(groups).with(podGroup("leaf", "c15"));
        assertThat(forest.root(LEAF)).contains(C0);
        assertThat(forest.podGroups(C0)).containsExactly(LEAF);

        PodGroups deeper = forest.with(podGroup("leaf", "c16"));
        assertThat(deeper.root(LEAF)).isEmpty();
        assertThat(deeper.podGroups(C0)).isEmpty();
    }

    @Test
    void endsTheTreeOfAnAttemptAtTheMaximumDepth() {
        SchedulingQueue queue = new QueueFixture().grouped().queue();
        queue.putGroup(composite("c0", ""));
        for (int i = 1; i < 20; i++) {
            queue.putGroup(composite("c" + i, "c" + (i - 1)));
        }
        int depth = 0;
        List<GroupTree> level = List.of(queue.tree(C0).orElseThrow());
        while (!level.isEmpty()) {
            depth++;
            List<GroupTree> next = new ArrayList<>();
            level.forEach(group -> next.addAll(group.children()));
            level = next;
        }
        assertThat(depth).isEqualTo(17);
    }

    @Test
    void keepsTheLinkWithAParentThatComesAndGoes() {
        GroupKey top = GroupKey.compositePodGroup("ns", "top");
        PodGroups forest = forest(List.of(podGroup("leaf", "top"), composite("top", "")));
        forest = forest.without(composite("top", ""));
        assertThat(forest.root(LEAF)).isEmpty();

        forest = forest.with(composite("top", ""));
        assertThat(forest.root(LEAF)).contains(top);
        assertThat(forest.podGroups(top)).containsExactly(LEAF);
    }

    @Test
    void unlinksAGroupThatIsGone() {
        PodGroup leaf = podGroup("leaf", "top");
        PodGroups forest =
                forest(List.of(composite("top", ""), leaf)).without(leaf).without(leaf);

        assertThat(forest.podGroups(GroupKey.compositePodGroup("ns", "top"))).isEmpty();
    }

    @Test
    void hasTheChildrenInOrderOfTheirAgeAndThenOfTheirNames() {
        PodGroups forest = forest(List.of(
                composite("top", ""),
                podGroup("b", "top"),
                podGroup("a", "top"),
                aged(podGroup("old", "top"), QueueFixture.START.minusSeconds(1)),
                composite("young", "top"),
                podGroup("c", "young")));

        assertThat(forest.children(GroupKey.compositePodGroup("ns", "top")))
                .extracting(GroupKey::name)
                .containsExactly("old", "a", "b", "young");
        assertThat(forest.children(GroupKey.compositePodGroup("ns", "young")))
                .containsExactly(GroupKey.podGroup("ns", "c"));
    }

    private static PodGroup aged(PodGroup group, Instant created) {
        return PodGroup.of(
                        group.metadata().toBuilder().creationTimestamp(created).build())
                .parentName(group.parentName())
                .build();
    }
}
