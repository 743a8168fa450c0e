// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.allocated;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.testkit.Pods;

class ClaimTrackerTest {
    private static final DeviceFeatures FEATURES = DeviceFeatures.of(FeatureGates.DEFAULTS);

    private interface Steps {
        void run(ClaimTracker tracker, ObjectTable<ResourceClaim> cluster);
    }

    private record Case(String name, Steps steps, String allocatedDevices) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static ResourceClaim claim(String version, String status) {
        ResourceClaim claim = DeviceObjects.claim("c", "{}", status);
        return claim.withMetadata(
                claim.metadata().toBuilder().resourceVersion(version).build());
    }

    private static final Pod POD = Pods.named("p").build();
    private static final Pod OTHER = Pods.named("q").build();
    private static final ResourceClaim UNALLOCATED = claim("9", "{}");
    private static final ResourceClaim ALLOCATED = claim("10", allocated("{device: a}"));

    static final List<Case> CASES = List.of(
            new Case("a claim that is not allocated", (tracker, cluster) -> cluster.put(UNALLOCATED), ""),
            new Case("an allocated claim", (tracker, cluster) -> cluster.put(ALLOCATED), "a"),
            new Case(
                    "an allocation in flight",
                    (tracker, cluster) -> {
                        cluster.put(UNALLOCATED);
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                    },
                    "a"),
            new Case(
                    "an allocation that is not in flight any more",
                    (tracker, cluster) -> {
                        cluster.put(UNALLOCATED);
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                        tracker.removeInFlightAllocation("c", POD);
                    },
                    ""),
            new Case(
                    "an allocation in flight for two pods, one of which gives it back",
                    (tracker, cluster) -> {
                        cluster.put(UNALLOCATED);
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                        tracker.addInFlightAllocation(ALLOCATED, OTHER, Optional.empty());
                        tracker.removeInFlightAllocation("c", POD);
                    },
                    "a"),
            new Case(
                    "an allocation in flight that a pod gives back which does not have it",
                    (tracker, cluster) -> {
                        cluster.put(UNALLOCATED);
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                        tracker.removeInFlightAllocation("c", OTHER);
                    },
                    "a"),
            new Case(
                    "an allocation in flight for two pods, written for one and deallocated since",
                    (tracker, cluster) -> {
                        cluster.put(UNALLOCATED);
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                        tracker.addInFlightAllocation(ALLOCATED, OTHER, Optional.empty());
                        tracker.assume(ALLOCATED);
                        tracker.endInFlightAllocation("c", POD);
                        cluster.put(claim("11", "{}"));
                    },
                    "a"),
            new Case(
                    "a claim that was written, and is seen as it was before",
                    (tracker, cluster) -> {
                        tracker.assume(ALLOCATED);
                        cluster.put(UNALLOCATED);
                    },
                    "a"),
            new Case(
                    "a claim that was written, and is not seen at all",
                    (tracker, cluster) -> tracker.assume(ALLOCATED),
                    "a"),
            new Case(
                    "a claim that was written, never seen, and found to have gone",
                    (tracker, cluster) -> {
                        tracker.assume(ALLOCATED);
                        assertThat(tracker.isUnseen(ALLOCATED)).isTrue();
                        tracker.deleted(ALLOCATED);
                    },
                    ""),
            new Case(
                    "a claim that was written, and deallocated by another client since",
                    (tracker, cluster) -> {
                        tracker.assume(ALLOCATED);
                        cluster.put(claim("11", "{}"));
                    },
                    ""),
            new Case(
                    "a claim that was written, and allocated to something else in the cluster",
                    (tracker, cluster) -> {
                        tracker.assume(ALLOCATED);
                        cluster.put(claim("11", allocated("{device: b}")));
                    },
                    "b"),
            new Case(
                    "a claim that was written, and is seen with an older allocation",
                    (tracker, cluster) -> {
                        tracker.assume(claim("11", allocated("{device: b}")));
                        cluster.put(ALLOCATED);
                    },
                    "b"),
            new Case(
                    "a claim that was written, and is another one of that name now",
                    (tracker, cluster) -> {
                        tracker.assume(ALLOCATED);
                        cluster.put(UNALLOCATED.withMetadata(
                                UNALLOCATED.metadata().toBuilder().uid("other").build()));
                    },
                    ""),
            new Case(
                    "a claim whose write was undone",
                    (tracker, cluster) -> {
                        cluster.put(UNALLOCATED);
                        tracker.assume(ALLOCATED);
                        tracker.restore(ALLOCATED);
                    },
                    ""),
            new Case(
                    "a claim that was written, seen and deleted before the next lookup",
                    (tracker, cluster) -> {
                        tracker.assume(ALLOCATED);
                        tracker.changed(ObjectChange.added(ALLOCATED));
                        tracker.changed(ObjectChange.deleted(ALLOCATED));
                    },
                    ""),
            new Case(
                    "a claim that was written, and of which only its going is seen",
                    (tracker, cluster) -> {
                        cluster.put(UNALLOCATED);
                        tracker.assume(ALLOCATED);
                        cluster.remove(UNALLOCATED);
                        tracker.changed(ObjectChange.deleted(UNALLOCATED));
                    },
                    ""),
            new Case(
                    "a claim whose going is seen before its write is answered",
                    (tracker, cluster) -> {
                        tracker.changed(ObjectChange.deleted(UNALLOCATED));
                        tracker.assume(ALLOCATED);
                    },
                    ""),
            new Case(
                    "an allocation in flight of a claim that is gone",
                    (tracker, cluster) -> {
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                        tracker.changed(ObjectChange.deleted(UNALLOCATED));
                    },
                    ""));

    private record Release(String name, Steps steps, boolean isActivated) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Release> RELEASES = List.of(
            new Release(
                    "an allocation in flight is abandoned",
                    (tracker, cluster) -> {
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                        tracker.turnAway(POD, tracker.releases());
                        tracker.removeInFlightAllocation("c", POD);
                    },
                    true),
            new Release(
                    "an allocation in flight was abandoned since the attempt began",
                    (tracker, cluster) -> {
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                        long before = tracker.releases();
                        tracker.removeInFlightAllocation("c", POD);
                        tracker.turnAway(POD, before);
                    },
                    true),
            new Release(
                    "an allocation in flight is written",
                    (tracker, cluster) -> {
                        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                        tracker.turnAway(POD, tracker.releases());
                        tracker.assume(ALLOCATED);
                        tracker.removeInFlightAllocation("c", POD);
                    },
                    false),
            new Release(
                    "an allocated claim is deleted, with an event",
                    (tracker, cluster) -> {
                        tracker.turnAway(POD, tracker.releases());
                        tracker.changed(ObjectChange.deleted(ALLOCATED));
                    },
                    false),
            new Release(
                    "a claim for extended resources is gone that was never allocated",
                    (tracker, cluster) -> {
                        tracker.turnAway(POD, tracker.releases());
                        tracker.changed(ObjectChange.deleted(ResourceClaim.forExtendedResources(
                                ObjectMeta.named("x").namespace("default").build(), POD, List.of())));
                    },
                    true),
            new Release(
                    "a claim is gone that was never allocated",
                    (tracker, cluster) -> {
                        tracker.turnAway(POD, tracker.releases());
                        tracker.changed(ObjectChange.deleted(UNALLOCATED));
                    },
                    false),
            new Release(
                    "the pod is gone before",
                    (tracker, cluster) -> {
                        tracker.turnAway(POD, tracker.releases());
                        tracker.podChanged(ObjectChange.deleted(POD));
                        tracker.changed(ObjectChange.deleted(ALLOCATED));
                    },
                    false));

    // The queue gets no event for these.
    @ParameterizedTest
    @FieldSource("RELEASES")
    void retriesPodsForWhichADeviceMayBeFree(Release c) {
        List<Pod> activated = new ArrayList<>();
        ObjectTable<ResourceClaim> cluster = ObjectTable.of();
        c.steps.run(new ClaimTracker(cluster, ObjectTable.of(POD), FEATURES, activated::addAll), cluster);
        assertThat(activated).isEqualTo(c.isActivated ? List.of(POD) : List.of());
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void knowsWhatIsAllocated(Case expected) {
        ObjectTable<ResourceClaim> cluster = ObjectTable.of();
        ClaimTracker tracker = new ClaimTracker(cluster, ObjectTable.of(POD), FEATURES, pods -> {});
        cluster.onChange(tracker::changed);
        expected.steps.run(tracker, cluster);
        AllocatedState state = tracker.gatherAllocatedState();
        List<String> found = new ArrayList<>();
        for (String device : List.of("a", "b")) {
            if (state.isAllocated(new DeviceId(DeviceObjects.DRIVER, "n1", device))) {
                found.add(device);
            }
        }
        assertThat(String.join(" ", found)).isEqualTo(expected.allocatedDevices);
    }

    @Test
    void forgetsPodThatHasGoneBeforeItIsTurnedAway() {
        ObjectTable<Pod> pods = ObjectTable.of();
        ClaimTracker tracker = new ClaimTracker(ObjectTable.of(), pods, FEATURES, activated -> {});
        pods.onChange(tracker::podChanged);
        pods.put(POD);
        tracker.turnAway(POD, tracker.releases());
        assertThat(tracker.turnedAway()).isEqualTo(1);
        pods.remove(POD);
        assertThat(tracker.turnedAway()).isZero();

        // A cycle that was under way when the pod went.
        tracker.turnAway(POD, tracker.releases());

        assertThat(tracker.turnedAway()).isZero();
    }

    @Test
    void saysWhetherAnAllocationWasInFlight() {
        ClaimTracker tracker = new ClaimTracker(ObjectTable.of(UNALLOCATED), ObjectTable.of(POD), FEATURES, pods -> {});
        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
        assertThat(tracker.hasInFlightAllocation(UNALLOCATED)).isTrue();
        assertThat(tracker.removeInFlightAllocation("c", POD)).isTrue();
        assertThat(tracker.removeInFlightAllocation("c", POD)).isFalse();
        assertThat(tracker.hasInFlightAllocation(UNALLOCATED)).isFalse();
    }

    // From Reserve until the cluster shows it, an allocation is first in flight, then assumed,
    // then seen; never nowhere.
    @Test
    void losesNoAllocationOnItsWayIntoTheCluster() throws InterruptedException, ExecutionException {
        ObjectTable<ResourceClaim> cluster = ObjectTable.of(UNALLOCATED);
        ClaimTracker tracker = new ClaimTracker(cluster, ObjectTable.of(POD), FEATURES, pods -> {});
        cluster.onChange(tracker::changed);
        tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
        DeviceId device = new DeviceId(DeviceObjects.DRIVER, "n1", "a");
        Callable<Boolean> watch = () -> {
            for (int i = 0; i < 5_000; i++) {
                if (!tracker.gatherAllocatedState().isAllocated(device)) {
                    return false;
                }
            }
            return true;
        };
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Boolean>> watches = List.of(threads.submit(watch), threads.submit(watch));
            for (int i = 0; i < 1_000; i++) {
                tracker.assume(ALLOCATED);
                tracker.removeInFlightAllocation("c", POD);
                cluster.put(ALLOCATED);
                tracker.addInFlightAllocation(ALLOCATED, POD, Optional.empty());
                cluster.put(UNALLOCATED);
            }
            for (Future<Boolean> each : watches) {
                assertThat(each.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
