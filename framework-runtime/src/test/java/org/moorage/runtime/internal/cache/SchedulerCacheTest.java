// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Predicate;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Volume;
import org.moorage.runtime.Samples;

class SchedulerCacheTest {
    // More than a snapshot keeps the counts of.
    private static final int COLORS = 20;
    private static final String ZONE = "topology.kubernetes.io/zone";

    private final SchedulerCache cache = new SchedulerCache();
    private final ClusterSnapshot snapshot = new ClusterSnapshot();

    private NodeInfo node(String name) {
        cache.updateSnapshot(snapshot);
        return snapshot.node(name).orElseThrow();
    }

    private static Pod pod(String name, String nodeName) {
        return Samples.pod(name, Samples.requesting(100, 1_000)).withNode(nodeName);
    }

    @Nested
    class Pods {
        @Test
        void countsAnAssumedPodUntilItIsForgotten() {
            cache.putNode(Samples.node("a"));
            cache.assume(pod("p", "a"));
            assertThat(node("a").requested(ResourceName.CPU)).isEqualTo(100);
            assertThat(node("a").nonZeroRequested(ResourceName.MEMORY)).isEqualTo(1_000);
            assertThat(cache.isAssumed("pod-p")).isTrue();
            cache.forget(pod("p", "a"));
            assertThat(node("a").podCount()).isZero();
            assertThat(node("a").requested(ResourceName.CPU)).isZero();
        }

        @Test
        void confirmsAnAssumedPodOnce() {
            cache.putNode(Samples.node("a"));
            cache.assume(pod("p", "a"));
            cache.putPod(pod("p", "a"));
            assertThat(node("a").podCount()).isEqualTo(1);
            assertThat(cache.isAssumed("pod-p")).isFalse();
            assertThat(cache.forget(pod("p", "a"))).isFalse();
            assertThat(node("a").podCount()).isEqualTo(1);
        }

        @Test
        void isForgottenOrConfirmedWhicheverComesFirst() throws InterruptedException {
            cache.putNode(Samples.node("a"));
            Pod pod = pod("p", "a");
            for (int round = 0; round < 2_000; round++) {
                cache.assume(pod);
                CyclicBarrier both = new CyclicBarrier(2);
                Thread watch = new Thread(() -> {
                    await(both);
                    cache.putPod(pod);
                });
                watch.start();
                await(both);
                cache.forget(pod);
                watch.join();
                // Confirmed after it was forgotten, it counts as bound by another scheduler.
                assertThat(cache.counts().pods()).isOne();
                assertThat(cache.isAssumed(pod.uid())).isFalse();
                cache.removePod(pod);
            }
        }

        private static void await(CyclicBarrier barrier) {
            try {
                barrier.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        }

        @Test
        void movesAPodThatWasBoundElsewhereThanAssumed() {
            cache.putNode(Samples.node("a"));
            cache.putNode(Samples.node("b"));
            cache.assume(pod("p", "a"));
            cache.putPod(pod("p", "b"));
            assertThat(node("a").podCount()).isZero();
            assertThat(node("b").podCount()).isEqualTo(1);
        }

        @Test
        void knowsTheClaimsInUse() {
            PodSpec.Builder spec = PodSpec.builder()
                    .volumes(List.of(
                            new Volume("v", new Volume.Claim("c")), new Volume("w", new Volume.EphemeralClaim())));
            cache.putNode(Samples.node("a"));
            cache.putPod(Samples.pod("p", spec).withNode("a"));
            cache.putPod(Samples.pod("q", spec).withNode("a"));
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.isClaimInUse("default", "c")).isTrue();
            assertThat(snapshot.isClaimInUse("prod", "c")).isFalse();
            assertThat(snapshot.isClaimInUse("default", "p-w")).isFalse();
            cache.removePod(Samples.pod("p", spec).withNode("a"));
            cache.putNode(Samples.node("b"));
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.isClaimInUse("default", "c")).isTrue();
            cache.removePod(Samples.pod("q", spec).withNode("a"));
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.isClaimInUse("default", "c")).isFalse();
        }

        @Test
        void countsPodsOnANodeAndOnOneThatSomethingIsTriedOn() {
            cache.putNode(Samples.node("a"));
            cache.putPod(pod("blue", "a"));
            cache.putPod(pod("green", "a"));
            NodeInfo node = node("a");
            TrialSnapshot trial = new TrialSnapshot();
            trial.update(cache);
            trial.remove(List.of(pod("blue", "a")), "a");
            NodeInfo tried = trial.node("a").orElseThrow();
            Predicate<Pod> isBlue = pod -> pod.name().equals("blue");
            for (String time : List.of("first", "second")) {
                PodCount blue = snapshot.count(isBlue);
                assertThat(blue.on(node)).as(time).isEqualTo(1);
                assertThat(blue.on(tried)).as(time).isZero();
                assertThat(blue.in(snapshot.topology("none"))).as(time).isEmpty();
            }
        }

        @Test
        void refusesToAssumeAKnownPod() {
            cache.putPod(pod("p", "a"));
            assertThatThrownBy(() -> cache.assume(pod("p", "b")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is in the cache, so can't be assumed");
        }
    }

    @Nested
    class Nodes {
        @Test
        void keepsThePodsOfANodeThatIsNotKnownYet() {
            cache.putPod(pod("p", "a"));
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.nodes()).isEmpty();
            cache.putNode(Samples.node("a"));
            assertThat(node("a").podCount()).isEqualTo(1);
        }

        @Test
        void keepsThePodsOfANodeThatIsGoneUntilTheyAreGone() {
            cache.putNode(Samples.node("a"));
            cache.putPod(pod("p", "a"));
            cache.removeNode("a");
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.nodes()).isEmpty();
            cache.putNode(Samples.node("a"));
            assertThat(node("a").podCount()).isEqualTo(1);
        }

        @Test
        void showsANodeThatWasMadeAgainSmallerWithThePodThatIsBeingBoundToIt() {
            cache.putNode(Samples.node("a"));
            cache.assume(pod("p", "a"));
            cache.removeNode("a");
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.nodes()).isEmpty();
            Node smaller = Node.of(Samples.node("a").metadata())
                    .allocatable(Map.of("cpu", Quantity.of(2)))
                    .build();
            cache.putNode(smaller);
            assertThat(node("a").allocatable(ResourceName.CPU)).isEqualTo(2_000);
            assertThat(node("a").requested(ResourceName.CPU)).isEqualTo(100);
            cache.forget(pod("p", "a"));
            assertThat(node("a").requested(ResourceName.CPU)).isZero();
        }

        @Test
        void listsOneNodeOfEachZoneInTurn() {
            for (String name : List.of("a1", "a2", "a3", "b1", "c1", "b2")) {
                cache.putNode(Samples.node(name, Map.of(ZONE, name.substring(0, 1))));
            }
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.nodes()).extracting(NodeInfo::name).containsExactly("a1", "b1", "c1", "a2", "b2", "a3");
            cache.putNode(Samples.node("a1", Map.of(ZONE, "c")));
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.nodes()).extracting(NodeInfo::name).containsExactly("a2", "b1", "c1", "a3", "b2", "a1");
            assertThat(snapshot.nodes()).extracting(NodeInfo::index).containsExactly(0, 1, 2, 3, 4, 5);
        }

        @Test
        void countsTheNodesThatHoldAnImage() {
            cache.putNode(withImage("a"));
            cache.putNode(withImage("b"));
            cache.putNode(Samples.node("c"));
            assertThat(node("a").image("app:1")).isEqualTo(ImageState.of(500, 2));
            assertThat(node("c").image("app:1")).isEqualTo(ImageState.ABSENT);
            cache.removeNode("b");
            assertThat(node("a").image("app:1")).isEqualTo(ImageState.of(500, 1));
            assertThat(snapshot.hasImage("app:1")).isTrue();
            assertThat(snapshot.hasImage("app:2")).isFalse();
            cache.removeNode("a");
            cache.updateSnapshot(snapshot);
            assertThat(snapshot.hasImage("app:1")).isFalse();
        }

        private Node withImage(String name) {
            return Samples.node(name).toBuilder()
                    .images(List.of(new ContainerImage(List.of("app:1", "app@sha256:1"), 500)))
                    .build();
        }
    }

    @Test
    void aSnapshotBroughtUpToDateEqualsAFreshOne() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Pod> placed = new ArrayList<>();
        for (int step = 0; step < 3_000; step++) {
            String name = "n" + random.nextInt(12);
            switch (random.nextInt(6)) {
                case 0 -> cache.putNode(Samples.node(name, Map.of(ZONE, "z" + random.nextInt(3))));
                case 1 -> cache.removeNode(name);
                case 2, 3 -> {
                    ObjectMeta.Builder metadata = ObjectMeta.named("p" + step)
                            .namespace("ns" + random.nextInt(2))
                            .uid("pod-p" + step)
                            .labels(Map.of("color", "c" + random.nextInt(COLORS)));
                    if (random.nextInt(5) == 0) {
                        metadata.deletionTimestamp(Instant.EPOCH);
                    }
                    Pod pod = Pod.of(
                                    metadata.build(),
                                    Samples.requesting(100, 1_000).build())
                            .withNode(name);
                    placed.add(pod);
                    if (random.nextBoolean()) {
                        cache.assume(pod);
                    } else {
                        cache.putPod(pod);
                    }
                }
                case 4 -> {
                    if (!placed.isEmpty()) {
                        cache.removePod(placed.remove(random.nextInt(placed.size())));
                    }
                }
                default -> {
                    cache.updateSnapshot(snapshot);
                    ClusterSnapshot fresh = new ClusterSnapshot();
                    cache.updateSnapshot(fresh);
                    assertThat(describe(snapshot)).as("seed %d", seed).isEqualTo(describe(fresh));
                }
            }
        }
    }

    private record Colored(String color) implements Predicate<Pod> {
        @Override
        public boolean test(Pod pod) {
            return pod.labels().get("color").equals(color);
        }
    }

    private static List<String> describe(ClusterSnapshot snapshot) {
        List<String> lines = new ArrayList<>();
        for (NodeInfo node : snapshot.nodes()) {
            List<Pod> pods = new ArrayList<>(node.pods());
            pods.sort(Comparator.comparing(Pod::name));
            lines.add(node.index() + " " + node.name() + " " + node.node().labels() + " "
                    + snapshot.topology(ZONE).domain(node) + " "
                    + node.requested(ResourceName.CPU) + " " + node.nonZeroRequested(ResourceName.MEMORY) + " "
                    + node.podCount() + " " + pods);
        }
        for (int color = 0; color < COLORS; color++) {
            PodCount matching = snapshot.count(new Colored("c" + color));
            for (NodeInfo node : snapshot.nodes()) {
                lines.add(node.name() + " c" + color + " " + matching.on(node));
            }
            lines.add("c" + color + " by zone " + Arrays.toString(matching.in(snapshot.topology(ZONE))));
        }
        return lines;
    }
}
