// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupState;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.Samples;

/** Tests the pod groups of the cache after updates by the handlers and the scheduler. */
@Tag("any-jvm")
class PodGroupsTest {
    private static final FeatureGates GROUPS = FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true));
    private static final FeatureGates COMPOSITES = FeatureGates.of(Map.of(
            FeatureGates.GENERIC_WORKLOAD,
            true,
            FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING,
            true,
            FeatureGates.COMPOSITE_POD_GROUP,
            true));

    private static Pod member(String name) {
        return Samples.pod(name, PodSpec.builder().podGroupName("g"));
    }

    private static PodGroup podGroup(String name, String parent) {
        return PodGroup.of(ObjectMeta.named(name)
                        .namespace("default")
                        .uid("uid-" + name)
                        .build())
                .parentName(parent)
                .build();
    }

    private static CompositePodGroup composite(String name, String parent) {
        return CompositePodGroup.of(ObjectMeta.named(name)
                        .namespace("default")
                        .uid("uid-" + name)
                        .build())
                .parentName(parent)
                .build();
    }

    /** The members by state; empty if the group is not known. */
    private static String describe(Optional<PodGroupState> state) {
        return state.map(group ->
                        (group.podGroup().isPresent() ? "object" : "no object") + " " + names(group.unscheduledPods())
                                + names(group.assumedPods()) + names(group.assignedPods()) + " "
                                + group.scheduledPodsCount() + " of "
                                + group.allPodsCount())
                .orElse("");
    }

    private static List<String> names(List<Pod> pods) {
        return pods.stream()
                .map(pod -> pod.isBound() ? pod.name() + " on " + pod.nodeName() : pod.name())
                .toList();
    }

    private record Case(String name, Consumer<SchedulerCache> steps, String expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a waiting member is unscheduled",
                    cache -> cache.putWaitingPod(member("p")),
                    "no object [p][][] 0 of 1"),
            new Case("a pod that is in no group makes none", cache -> cache.putWaitingPod(Samples.pod("p")), ""),
            new Case(
                    "a member with a node is assigned",
                    cache -> cache.putPod(member("p").withNode("a")),
                    "no object [][][p on a] 1 of 1"),
            new Case(
                    "an update of a waiting member changes nothing",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.putWaitingPod(member("p"));
                    },
                    "no object [p][][] 0 of 1"),
            new Case(
                    "an assumed member has its node",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.putWaitingPod(member("q"));
                        cache.assume(member("p").withNode("a"));
                    },
                    "no object [q][p on a][] 1 of 2"),
            new Case(
                    "an update of an assumed member leaves it assumed",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.assume(member("p").withNode("a"));
                        cache.putWaitingPod(member("p"));
                    },
                    "no object [][p on a][] 1 of 1"),
            new Case(
                    "an assumed member that is bound is assigned where it is bound",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.assume(member("p").withNode("a"));
                        cache.putPod(member("p").withNode("b"));
                    },
                    "no object [][][p on b] 1 of 1"),
            new Case(
                    "a waiting member that another scheduler binds is assigned",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.putPod(member("p").withNode("b"));
                    },
                    "no object [][][p on b] 1 of 1"),
            new Case(
                    "a forgotten member is unscheduled again",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.assume(member("p").withNode("a"));
                        cache.forget(member("p").withNode("a"));
                    },
                    "no object [p][][] 0 of 1"),
            new Case(
                    "a member that was bound in the meantime is not forgotten",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.assume(member("p").withNode("a"));
                        cache.putPod(member("p").withNode("a"));
                        cache.forget(member("p").withNode("a"));
                    },
                    "no object [][][p on a] 1 of 1"),
            new Case(
                    "a pod that its group does not know is not assumed there",
                    cache -> {
                        cache.putWaitingPod(member("q"));
                        cache.assume(member("p").withNode("a"));
                    },
                    "no object [q][][] 0 of 1"),
            new Case(
                    "such a pod is assigned once it is bound",
                    cache -> {
                        cache.putWaitingPod(member("q"));
                        cache.assume(member("p").withNode("a"));
                        cache.putPod(member("p").withNode("a"));
                    },
                    "no object [q][][p on a] 1 of 2"),
            new Case(
                    "a pod of a group that is not known is assumed",
                    cache -> cache.assume(member("p").withNode("a")),
                    "no object [][p on a][] 1 of 1"),
            new Case(
                    "such a pod leaves when it is forgotten, since the cluster does not report it",
                    cache -> {
                        cache.assume(member("p").withNode("a"));
                        cache.forget(member("p").withNode("a"));
                    },
                    ""),
            new Case(
                    "such a pod stays when it is forgotten after the cluster has reported it",
                    cache -> {
                        cache.assume(member("p").withNode("a"));
                        cache.putWaitingPod(member("p"));
                        cache.forget(member("p").withNode("a"));
                    },
                    "no object [p][][] 0 of 1"),
            new Case(
                    "a member that is gone while it is assumed does not come back when it is forgotten",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.putWaitingPod(member("q"));
                        cache.assume(member("p").withNode("a"));
                        cache.removeWaitingPod(member("p"));
                        cache.forget(member("p").withNode("a"));
                    },
                    "no object [q][][] 0 of 1"),
            new Case(
                    "the group goes with its last member",
                    cache -> {
                        cache.putWaitingPod(member("p"));
                        cache.putPod(member("q").withNode("a"));
                        cache.removeWaitingPod(member("p"));
                        cache.removePod(member("q").withNode("a"));
                    },
                    ""),
            new Case(
                    "a group of which there is the object stays without members",
                    cache -> {
                        cache.putGroup(podGroup("g", ""));
                        cache.putWaitingPod(member("p"));
                        cache.removeWaitingPod(member("p"));
                    },
                    "object [][][] 0 of 0"),
            new Case(
                    "the members stay without the object",
                    cache -> {
                        cache.putGroup(podGroup("g", ""));
                        cache.putWaitingPod(member("p"));
                        cache.removeGroup(podGroup("g", ""));
                    },
                    "no object [p][][] 0 of 1"),
            new Case(
                    "nothing stays without object and members",
                    cache -> {
                        cache.putGroup(podGroup("g", ""));
                        cache.removeGroup(podGroup("g", ""));
                    },
                    ""),
            new Case(
                    "what is not there may be gone",
                    cache -> {
                        cache.removeGroup(podGroup("g", ""));
                        cache.removeWaitingPod(member("p"));
                        cache.removePod(member("q").withNode("a"));
                        cache.forget(member("p").withNode("a"));
                    },
                    ""),
            new Case(
                    "a pod of another namespace is in another group",
                    cache -> cache.putWaitingPod(Pod.of(
                            ObjectMeta.named("p").namespace("prod").uid("u").build(),
                            PodSpec.builder().podGroupName("g").build())),
                    ""));

    @ParameterizedTest
    @FieldSource("CASES")
    void followTheCache(Case c) {
        SchedulerCache cache = new SchedulerCache(GROUPS);
        ClusterSnapshot before = new ClusterSnapshot();
        cache.updateSnapshot(before);
        c.steps.accept(cache);
        assertThat(describe(cache.podGroups().podGroup("default", "g"))).isEqualTo(c.expected);

        ClusterSnapshot snapshot = new ClusterSnapshot();
        cache.updateSnapshot(snapshot);
        assertThat(describe(snapshot.podGroups().podGroup("default", "g"))).isEqualTo(c.expected);
        assertThat(before.podGroups().podGroup("default", "g")).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void areNoneWithoutTheFeature(Case c) {
        SchedulerCache cache = new SchedulerCache(FeatureGates.DEFAULTS);
        c.steps.accept(cache);
        assertThat(cache.podGroups()).isSameAs(PodGroups.OFF);
    }

    @Test
    void doNotChangeForTheirHolders() {
        SchedulerCache cache = new SchedulerCache(GROUPS);
        cache.putWaitingPod(member("p"));
        cache.putWaitingPod(member("q"));
        PodGroupState held = cache.podGroups().podGroup("default", "g").orElseThrow();
        ClusterSnapshot snapshot = new ClusterSnapshot();
        cache.updateSnapshot(snapshot);
        cache.assume(member("p").withNode("a"));
        cache.removeWaitingPod(member("q"));
        for (Optional<PodGroupState> state :
                List.of(Optional.of(held), snapshot.podGroups().podGroup("default", "g"))) {
            assertThat(describe(state)).isEqualTo("no object [p, q][][] 0 of 2");
        }
        assertThat(describe(cache.podGroups().podGroup("default", "g"))).isEqualTo("no object [][p on a][] 1 of 1");
        assertThat(held.podGroup()).isEmpty();
    }

    /**
     * Groups that name their parents.
     *
     * @param known the objects; a composite one is written with a star, {@code name<parent}
     * @param expected the composite groups with their children, and the root of a member of {@code g}
     */
    private record Tree(String name, List<String> known, List<String> gone, String expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static void each(List<String> objects, Consumer<SchedulingGroup> action) {
        for (String object : objects) {
            String[] parts = object.replace("*", "").split("<", -1);
            String parent = parts.length > 1 ? parts[1] : "";
            action.accept(object.startsWith("*") ? composite(parts[0], parent) : podGroup(parts[0], parent));
        }
    }

    private static String describe(PodGroups groups) {
        List<String> lines = new ArrayList<>();
        groups.compositePodGroups()
                .forEach((key, state) -> lines.add(key.name()
                        + (state.compositePodGroup().isPresent() ? "" : "?")
                        + state.children().stream().map(PodGroupsTest::shortly).toList()));
        lines.sort(null);
        return String.join(" ", lines) + " root "
                + groups.root(member("p")).map(PodGroupsTest::shortly).orElse("unknown");
    }

    private static String shortly(GroupKey key) {
        return (key.type() == GroupKey.Type.POD_GROUP ? "" : "*") + key.name();
    }

    static final List<Tree> TREES = List.of(
            new Tree("a group without a parent is its own root", List.of("g"), List.of(), " root g"),
            new Tree(
                    "a parent that is not known has its children already",
                    List.of("g<c"),
                    List.of(),
                    "c?[g] root unknown"),
            new Tree("the parent comes after the child", List.of("g<c", "*c"), List.of(), "c[g] root *c"),
            new Tree("the parent comes before the child", List.of("*c", "g<c"), List.of(), "c[g] root *c"),
            new Tree("a tree of three levels", List.of("*c", "*b<c", "h<b", "g<b"), List.of(), "b[g, h] c[*b] root *c"),
            new Tree("the middle is not known", List.of("*c", "g<b"), List.of(), "b?[g] c[] root unknown"),
            new Tree("the root goes", List.of("*c", "*b<c", "g<b"), List.of("*c"), "b[g] c?[*b] root unknown"),
            new Tree("the middle goes", List.of("*c", "*b<c", "g<b"), List.of("*b<c"), "b?[g] c[] root unknown"),
            new Tree("the leaf goes", List.of("*c", "*b<c", "g<b"), List.of("g<b"), "b[] c[*b] root unknown"),
            new Tree("a placeholder goes with its last child", List.of("g<c"), List.of("g<c"), " root unknown"),
            new Tree("groups of both kinds may have one name", List.of("*g", "g<g"), List.of(), "g[g] root *g"),
            new Tree(
                    "an object that changes stays where it is",
                    List.of("*c", "g<c", "g<c", "*c"),
                    List.of(),
                    "c[g] root *c"),
            new Tree(
                    "an object that is moved leaves its parent",
                    List.of("*b", "*c", "g<b", "g<c"),
                    List.of(),
                    "b[] c[g] root *c"),
            new Tree("a group that is its own parent", List.of("*c<c", "g<c"), List.of(), "c[*c, g] root unknown"),
            new Tree(
                    "parents in a circle",
                    List.of("*a<b", "*b<c", "*c<a", "g<a"),
                    List.of(),
                    "a[*c, g] b[*a] c[*b] root unknown"));

    @ParameterizedTest
    @FieldSource("TREES")
    void knowTheirChildrenAndRoots(Tree c) {
        SchedulerCache cache = new SchedulerCache(COMPOSITES);
        each(c.known, cache::putGroup);
        each(c.gone, cache::removeGroup);
        assertThat(describe(cache.podGroups())).isEqualTo(c.expected);
        ClusterSnapshot snapshot = new ClusterSnapshot();
        cache.updateSnapshot(snapshot);
        assertThat(describe(snapshot.podGroups())).isEqualTo(c.expected);
    }

    @ParameterizedTest
    @FieldSource("TREES")
    void haveNoParentsWithoutTheFeature(Tree c) {
        SchedulerCache cache = new SchedulerCache(GROUPS);
        each(c.known, cache::putGroup);
        each(c.gone, cache::removeGroup);
        boolean isKnown = cache.podGroups().podGroup("default", "g").isPresent();
        assertThat(describe(cache.podGroups())).isEqualTo(isKnown ? " root g" : " root unknown");
    }

    @Test
    void listChildrenByAge() {
        SchedulerCache cache = new SchedulerCache(COMPOSITES);
        for (String child : List.of("c 3", "b 2", "d 1", "a 2")) {
            String[] parts = child.split(" ");
            ObjectMeta metadata = ObjectMeta.named(parts[0])
                    .namespace("default")
                    .creationTimestamp(Instant.ofEpochSecond(Long.parseLong(parts[1])))
                    .build();
            cache.putGroup(PodGroup.of(metadata).parentName("root").build());
        }
        CompositePodGroupState root =
                cache.podGroups().compositePodGroup("default", "root").orElseThrow();
        assertThat(root.children()).extracting(GroupKey::name).containsExactly("d", "a", "b", "c");
    }

    @Test
    void haveARootOnlySoFarUp() {
        SchedulerCache cache = new SchedulerCache(COMPOSITES);
        cache.putGroup(podGroup("g", "c1"));
        for (int level = 1; level < 100_000; level++) {
            cache.putGroup(composite("c" + level, "c" + (level + 1)));
        }
        assertThat(cache.podGroups().root(member("p"))).isEmpty();
        cache.putGroup(composite("c17", ""));
        assertThat(cache.podGroups().root(member("p"))).isEmpty();
        cache.putGroup(composite("c16", ""));
        assertThat(cache.podGroups().root(member("p"))).contains(GroupKey.compositePodGroup("default", "c16"));
    }

    @Test
    void haveAHundredThousandMembersOfWhichEachIsLookedAt() {
        SchedulerCache cache = new SchedulerCache(GROUPS);
        int members = 100_000;
        for (int i = 0; i < members; i++) {
            cache.putWaitingPod(member("p" + i));
            assertThat(group(cache).allPodsCount()).isEqualTo(i + 1);
        }
        for (int i = 0; i < members; i++) {
            cache.assume(member("p" + i).withNode("a"));
            assertThat(group(cache).scheduledPodsCount()).isEqualTo(i + 1);
        }
        assertThat(group(cache).assumedPods()).hasSize(members);
        for (int i = members - 1; i >= 0; i--) {
            cache.forget(member("p" + i).withNode("a"));
        }
        assertThat(group(cache).unscheduledPods()).hasSize(members);
    }

    private static PodGroupState group(SchedulerCache cache) {
        return cache.podGroups().podGroup("default", "g").orElseThrow();
    }
}
