// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PreBindPreFlightResult;
import org.moorage.api.plugin.Problems;
import org.moorage.builtin.resources.NodeResourcesFit.UtilizationShapePoint;
import org.moorage.builtin.volume.Storage;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class VolumeBindingTest {
    private static final String NOT_REACHABLE = "node(s) didn't match PersistentVolume's node affinity";
    private static final String NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
    private static final String NO_ROOM = "node(s) did not have enough free storage";
    private static final String VOLUME_GONE =
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    private static final FeatureGates SCORING = FeatureGates.DEFAULTS.with(FeatureGates.STORAGE_CAPACITY_SCORING, true);
    private static final ClusterSketch CLUSTER = ClusterSketch.of(node("n1", "a"), node("n2", "b"));

    private static org.moorage.api.model.Node node(String name, String zone) {
        return Nodes.named(name)
                .label("kubernetes.io/hostname", name)
                .label("zone", zone)
                .build();
    }

    private static TestHandle cluster() {
        TestHandle handle = TestHandle.of(CLUSTER)
                .with(ObjectKind.STORAGE_CLASS, Storage.delayed("local", StorageClass.NO_PROVISIONER))
                .with(ObjectKind.STORAGE_CLASS, Storage.delayed("wait", "csi.x"))
                .with(
                        ObjectKind.STORAGE_CLASS,
                        Storage.delayed(
                                "zonal",
                                "csi.y",
                                Storage.in("zone", "a").terms().get(0)))
                .with(ObjectKind.STORAGE_CLASS, Storage.immediate("now"));
        CLUSTER.nodes().forEach(node -> handle.with(ObjectKind.NODE, node.node()));
        return handle;
    }

    private static VolumeBinding plugin(TestHandle handle, Pause pause) {
        return new VolumeBinding(VolumeBinding.Args.DEFAULTS, handle, pause);
    }

    private static VolumeBinding plugin(TestHandle handle) {
        return plugin(handle, (pod, time) -> {
            throw new IllegalStateException("waits");
        });
    }

    private static PersistentVolumeClaim with(PersistentVolumeClaim claim, Consumer<ObjectMeta.Builder> change) {
        ObjectMeta.Builder metadata = claim.metadata().toBuilder();
        change.accept(metadata);
        return claim.toBuilder().metadata(metadata.build()).build();
    }

    @Nested
    class PreFilter {
        record Case(String name, PersistentVolumeClaim claim, Volume.Source source, String reason) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final Volume.Source NAMED = new Volume.Claim("c");
        private static final Volume.Source MADE = new Volume.EphemeralClaim();

        static final Case[] CASES = {
            new Case("gone", Storage.claim("x", "wait").build(), NAMED, "persistentvolumeclaim \"c\" not found"),
            new Case(
                    "not made yet",
                    Storage.claim("x", "wait").build(),
                    MADE,
                    "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-v0\""),
            new Case(
                    "of somebody else",
                    Storage.claim("p-v0", "wait").build(),
                    MADE,
                    "PVC default/p-v0 was not created for pod default/p (pod is not owner)"),
            new Case(
                    "lost",
                    Storage.claim("c", "wait").phase("Lost").volumeName("v").build(),
                    NAMED,
                    "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\""),
            new Case(
                    "going",
                    with(Storage.claim("c", "wait").build(), meta -> meta.deletionTimestamp(java.time.Instant.EPOCH)),
                    NAMED,
                    "persistentvolumeclaim \"c\" is being deleted"),
            new Case(
                    "to be bound at once",
                    Storage.claim("c", "now").build(),
                    NAMED,
                    "pod has unbound immediate PersistentVolumeClaims"),
            new Case(
                    "with a volume in mind",
                    Storage.claim("c", "wait").volumeName("v").build(),
                    NAMED,
                    "pod has unbound immediate PersistentVolumeClaims"),
            new Case(
                    "of an unknown class",
                    Storage.claim("c", "gone").build(),
                    NAMED,
                    "pod has unbound immediate PersistentVolumeClaims"),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void refusesClaims(Case c) {
            TestHandle handle = cluster().with(ObjectKind.PERSISTENT_VOLUME_CLAIM, c.claim);
            Pod pod = Pods.named("p").volume(c.source).build();
            assertThat(plugin(handle).preFilter(new CycleState(), pod, CLUSTER).status())
                    .isEqualTo(Status.unresolvable(c.reason));
        }

        @Test
        void takesTheClaimThatWasMadeForThePod() {
            Pod pod = Pods.named("p").volume(MADE).build();
            TestHandle handle = cluster()
                    .with(
                            ObjectKind.PERSISTENT_VOLUME_CLAIM,
                            with(
                                    Storage.claim("p-v0", "wait").build(),
                                    meta -> meta.ownerReferences(
                                            List.of(new OwnerReference("v1", "Pod", "p", pod.uid(), true)))));
            assertThat(plugin(handle).preFilter(new CycleState(), pod, CLUSTER).status())
                    .isEqualTo(Status.success());
        }

        @Test
        void skipsPodsWithoutClaims() {
            Pod pod = Pods.named("p").volume(new Volume.InlineCsi("csi.x")).build();
            assertThat(plugin(cluster())
                            .preFilter(new CycleState(), pod, CLUSTER)
                            .status())
                    .isEqualTo(Status.skip());
        }
    }

    @Nested
    class Filter {
        /** The pod has all the claims; the reasons are those on n1. */
        record Case(
                String name, List<PersistentVolumeClaim> claims, List<PersistentVolume> volumes, String... reasons) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final PersistentVolumeClaim BOUND = Storage.bound("b", "bound");
        private static final PersistentVolumeClaim OPEN =
                Storage.claim("open", "local").build();

        static final Case[] CASES = {
            new Case("bound to a volume of the node", List.of(BOUND), List.of(local("bound", "5Gi", "n1"))),
            new Case("bound elsewhere", List.of(BOUND), List.of(local("bound", "5Gi", "n2")), NOT_REACHABLE),
            new Case("bound to nothing", List.of(BOUND), List.of(), VOLUME_GONE),
            new Case("a free volume", List.of(OPEN), List.of(local("v", "5Gi", "n1"))),
            new Case("a volume that is too small", List.of(OPEN), List.of(local("v", "1Mi", "n1")), NO_VOLUME),
            new Case(
                    "bound elsewhere, and no volume",
                    List.of(BOUND, OPEN),
                    List.of(local("bound", "5Gi", "n2")),
                    NOT_REACHABLE,
                    NO_VOLUME),
            new Case(
                    "one volume for two claims",
                    List.of(OPEN, Storage.claim("open2", "local").build()),
                    List.of(local("v", "5Gi", "n1")),
                    NO_VOLUME),
            new Case(
                    "the small claim leaves the large volume",
                    List.of(
                            Storage.claim("large", "local")
                                    .request(Quantity.parse("4Gi"))
                                    .build(),
                            Storage.claim("small", "local")
                                    .request(Quantity.parse("1Gi"))
                                    .build()),
                    List.of(local("large", "5Gi", "n1"), local("small", "2Gi", "n1"))),
            new Case(
                    "a volume kept for the claim, out of reach",
                    List.of(OPEN),
                    List.of(
                            local("mine", "5Gi", "n2").toBuilder()
                                    .claim(new PersistentVolume.ClaimReference("default", "open", ""))
                                    .build(),
                            local("v", "5Gi", "n1")),
                    NO_VOLUME),
            new Case(
                    "a volume kept for another claim",
                    List.of(OPEN),
                    List.of(local("v", "5Gi", "n1").toBuilder()
                            .claim(new PersistentVolume.ClaimReference("default", "other", ""))
                            .build()),
                    NO_VOLUME),
            new Case(
                    "a volume of another mode",
                    List.of(OPEN),
                    List.of(local("v", "5Gi", "n1").toBuilder()
                            .volumeMode("Block")
                            .build()),
                    NO_VOLUME),
            new Case(
                    "a volume of other access",
                    List.of(OPEN),
                    List.of(local("v", "5Gi", "n1").toBuilder()
                            .accessModes(List.of("ReadOnlyMany"))
                            .build()),
                    NO_VOLUME),
            new Case("a volume to be made", List.of(Storage.claim("c", "wait").build()), List.of(), NO_ROOM),
            new Case(
                    "a small volume to be made",
                    List.of(Storage.claim("c", "wait")
                            .request(Quantity.parse("10Mi"))
                            .build()),
                    List.of()),
            new Case("allowed here", List.of(Storage.claim("c", "zonal").build()), List.of()),
            new Case(
                    "given to another node",
                    List.of(with(
                            Storage.claim("c", "wait").build(),
                            meta -> meta.annotations(Map.of(PersistentVolumeClaim.SELECTED_NODE, "n2")))),
                    List.of(),
                    NO_VOLUME),
        };

        private static PersistentVolume local(String name, String capacity, String node) {
            return Storage.volume(name, "local", capacity)
                    .nodeAffinity(Storage.on(node))
                    .build();
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void filters(Case c) {
            TestHandle handle = cluster()
                    .with(
                            ObjectKind.CSI_DRIVER,
                            new CsiDriver(ObjectMeta.named("csi.x").build(), true, false))
                    .with(
                            ObjectKind.CSI_STORAGE_CAPACITY,
                            new CsiStorageCapacity(
                                    ObjectMeta.named("cap").namespace("default").build(),
                                    "wait",
                                    Optional.of(Quantity.parse("5Gi")),
                                    Optional.of(Quantity.parse("100Mi")),
                                    Optional.of(new LabelSelector(Map.of("zone", "a"), List.of()))));
            Pods pod = Pods.named("p");
            for (PersistentVolumeClaim claim : c.claims) {
                handle.with(ObjectKind.PERSISTENT_VOLUME_CLAIM, claim);
                pod.claim(claim.name());
            }
            c.volumes.forEach(volume -> handle.with(ObjectKind.PERSISTENT_VOLUME, volume));
            CycleState state = new CycleState();
            VolumeBinding plugin = plugin(handle);
            assertThat(plugin.preFilter(state, pod.build(), CLUSTER).status()).isEqualTo(Status.success());
            assertThat(plugin.filter(state, pod.build(), CLUSTER.nodeInfo("n1")))
                    .isEqualTo(c.reasons.length == 0 ? Status.success() : Status.unresolvable(c.reasons));
        }

        @Test
        void makesVolumesOnlyWhereTheClassAllows() {
            TestHandle handle = cluster()
                    .with(
                            ObjectKind.PERSISTENT_VOLUME_CLAIM,
                            Storage.claim("c", "zonal").build());
            Pod pod = Pods.named("p").claim("c").build();
            CycleState state = new CycleState();
            VolumeBinding plugin = plugin(handle);
            plugin.preFilter(state, pod, CLUSTER);
            assertThat(plugin.filter(state, pod, CLUSTER.nodeInfo("n2"))).isEqualTo(Status.unresolvable(NO_VOLUME));
        }
    }

    @Nested
    class Score {
        private static final VolumeBinding.Args FULLEST_FIRST = new VolumeBinding.Args(
                1, Optional.of(List.of(new UtilizationShapePoint(0, 0), new UtilizationShapePoint(100, 10))));

        /** Each claim asks for 1Gi; the score is that of n1. */
        record Case(String name, List<PersistentVolumeClaim> claims, List<PersistentVolume> volumes, long score) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("no claims", List.of(), List.of(), 0),
            new Case(
                    "a volume",
                    List.of(Storage.claim("a", "local").build()),
                    List.of(Storage.volume("v", "local", "4Gi").build()),
                    25),
            new Case(
                    "two volumes of a class",
                    List.of(
                            Storage.claim("a", "local").build(),
                            Storage.claim("b", "local").build()),
                    List.of(
                            Storage.volume("v", "local", "4Gi").build(),
                            Storage.volume("w", "local", "1Gi").build()),
                    40),
            new Case(
                    "two classes count alike",
                    List.of(
                            Storage.claim("a", "local").build(),
                            Storage.claim("b", "wait").build()),
                    List.of(
                            Storage.volume("v", "local", "4Gi").build(),
                            Storage.volume("w", "wait", "1Gi").build()),
                    63),
            new Case(
                    "storage for two volumes",
                    List.of(
                            Storage.claim("a", "wait").build(),
                            Storage.claim("b", "wait").build()),
                    List.of(),
                    20),
            new Case(
                    "volumes rather than storage",
                    List.of(
                            Storage.claim("a", "local").build(),
                            Storage.claim("b", "wait").build()),
                    List.of(Storage.volume("v", "local", "4Gi").build()),
                    25),
            new Case(
                    "storage that nobody measures",
                    List.of(Storage.claim("a", "zonal").build()),
                    List.of(),
                    0),
        };

        private static TestHandle measured() {
            return cluster()
                    .with(
                            ObjectKind.CSI_DRIVER,
                            new CsiDriver(ObjectMeta.named("csi.x").build(), true, false))
                    .with(ObjectKind.CSI_STORAGE_CAPACITY, part("one", "10Gi"))
                    .with(ObjectKind.CSI_STORAGE_CAPACITY, part("two", "20Gi"));
        }

        private static CsiStorageCapacity part(String name, String capacity) {
            return new CsiStorageCapacity(
                    ObjectMeta.named(name).namespace("default").build(),
                    "wait",
                    Optional.of(Quantity.parse(capacity)),
                    Optional.empty(),
                    Optional.of(new LabelSelector(Map.of("zone", "a"), List.of())));
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void scoresByWhatWouldBeUsed(Case c) {
            TestHandle handle = measured().with(SCORING);
            Pods builder = Pods.named("p");
            for (PersistentVolumeClaim claim : c.claims) {
                handle.with(ObjectKind.PERSISTENT_VOLUME_CLAIM, claim);
                builder.claim(claim.name());
            }
            c.volumes.forEach(volume -> handle.with(ObjectKind.PERSISTENT_VOLUME, volume));
            Pod pod = builder.build();
            CycleState state = new CycleState();
            VolumeBinding plugin = new VolumeBinding(FULLEST_FIRST, handle, (ignored, time) -> {});
            plugin.preFilter(state, pod, CLUSTER);
            assertThat(plugin.preScore(state, pod, List.of())).isEqualTo(Status.success());
            assertThat(plugin.score(state, pod, CLUSTER.nodeInfo("n1"))).isEqualTo(c.score);
        }

        @Test
        void hasNoSayWithoutTheFeature() {
            TestHandle handle = measured()
                    .with(
                            ObjectKind.PERSISTENT_VOLUME_CLAIM,
                            Storage.claim("a", "wait").build());
            Pod pod = Pods.named("p").claim("a").build();
            CycleState state = new CycleState();
            VolumeBinding plugin = plugin(handle);
            plugin.preFilter(state, pod, CLUSTER);
            assertThat(plugin.preScore(state, pod, List.of())).isEqualTo(Status.skip());
            assertThat(plugin.score(state, pod, CLUSTER.nodeInfo("n1"))).isZero();
        }
    }

    @Nested
    class Binding {
        private final TestHandle handle = cluster()
                .with(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM,
                        Storage.claim("c", "local").build())
                .with(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM,
                        Storage.claim("d", "local").build())
                .with(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM,
                        Storage.claim("made", "wait").build())
                .with(
                        ObjectKind.PERSISTENT_VOLUME,
                        Storage.volume("v", "local", "5Gi")
                                .nodeAffinity(Storage.on("n1"))
                                .build());
        private final List<Duration> waits = new ArrayList<>();
        private Runnable meanwhile = () -> {};
        private final VolumeBinding plugin = plugin(handle, (pod, time) -> {
            waits.add(time);
            meanwhile.run();
        });

        private CycleState reserved(Pod pod) {
            handle.with(ObjectKind.POD, pod);
            CycleState state = new CycleState();
            assertThat(plugin.preFilter(state, pod, CLUSTER).status()).isEqualTo(Status.success());
            assertThat(plugin.filter(state, pod, CLUSTER.nodeInfo("n1"))).isEqualTo(Status.success());
            assertThat(plugin.reserve(state, pod, "n1")).isEqualTo(Status.success());
            return state;
        }

        private Status on(Pod pod) {
            CycleState state = new CycleState();
            plugin.preFilter(state, pod, CLUSTER);
            return plugin.filter(state, pod, CLUSTER.nodeInfo("n1"));
        }

        private void bindClaim(String claim, String volume) {
            handle.with(ObjectKind.PERSISTENT_VOLUME_CLAIM, Storage.bound(claim, volume));
        }

        @Test
        void keepsAVolumeForItsPodUntilItIsGivenBack() {
            Pod first = Pods.named("first").claim("c").build();
            Pod second = Pods.named("second").claim("d").build();
            CycleState state = reserved(first);
            assertThat(on(second)).isEqualTo(Status.unresolvable(NO_VOLUME));
            plugin.unreserve(state, first, "n1");
            plugin.unreserve(state, first, "n1");
            assertThat(on(second)).isEqualTo(Status.success());
        }

        @Test
        void believesTheClusterRatherThanWhatItAssumed() {
            reserved(Pods.named("first").claim("c").build());
            handle.with(
                    ObjectKind.PERSISTENT_VOLUME,
                    Storage.volume("v", "local", "5Gi")
                            .metadata(ObjectMeta.named("v").resourceVersion("7").build())
                            .build());
            assertThat(on(Pods.named("second").claim("d").build())).isEqualTo(Status.success());
        }

        @Test
        void bindsAVolume() {
            Pod pod = Pods.named("p").claim("c").build();
            CycleState state = reserved(pod);
            assertThat(plugin.preBindPreFlight(state, pod, "n1")).isEqualTo(PreBindPreFlightResult.runInParallel());
            meanwhile = () -> {
                if (waits.size() == 2) {
                    handle.with(
                            ObjectKind.PERSISTENT_VOLUME,
                            Storage.volume("v", "local", "5Gi")
                                    .metadata(ObjectMeta.named("v")
                                            .resourceVersion("2")
                                            .build())
                                    .nodeAffinity(Storage.on("n1"))
                                    .claim(new PersistentVolume.ClaimReference("default", "c", "claim-c"))
                                    .build());
                } else if (waits.size() == 4) {
                    bindClaim("c", "v");
                }
            };
            assertThat(plugin.preBind(state, pod, "n1")).isEqualTo(Status.success());
            assertThat(waits).hasSize(4).containsOnly(Duration.ofSeconds(1));
            assertThat(handle.changes()).containsExactly(new TestHandle.Change("bind", "v", "default/c"));
        }

        @Test
        void hasAVolumeMade() {
            Pod pod = Pods.named("p").claim("made").build();
            CycleState state = reserved(pod);
            meanwhile = () -> {
                handle.with(
                        ObjectKind.PERSISTENT_VOLUME,
                        Storage.volume("new", "wait", "1Gi").build());
                handle.with(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM,
                        with(
                                Storage.bound("made", "new"),
                                meta -> meta.annotations(Map.of(
                                        PersistentVolumeClaim.SELECTED_NODE,
                                        "n1",
                                        PersistentVolumeClaim.BIND_COMPLETED,
                                        "yes"))));
            };
            assertThat(plugin.preBind(state, pod, "n1")).isEqualTo(Status.success());
            assertThat(handle.changes()).containsExactly(new TestHandle.Change("selectNode", "default/made", "n1"));
        }

        @Test
        void noticesThatAVolumeCannotBeMade() {
            Pod pod = Pods.named("p").claim("made").build();
            CycleState state = reserved(pod);
            meanwhile = () -> handle.with(
                    ObjectKind.PERSISTENT_VOLUME_CLAIM,
                    with(
                            Storage.claim("made", "wait").build(),
                            meta -> meta.resourceVersion("3").annotations(Map.of("a", "b"))));
            assertThatIllegalStateException()
                    .isThrownBy(() -> plugin.preBind(state, pod, "n1"))
                    .withMessage("binding volumes: provisioning failed for PVC \"made\"");
        }

        @Test
        void givesUpInTheEnd() {
            Pod pod = Pods.named("p").claim("c").build();
            CycleState state = reserved(pod);
            assertThatIllegalStateException()
                    .isThrownBy(() -> plugin.preBind(state, pod, "n1"))
                    .withMessage("binding volumes: context deadline exceeded");
            assertThat(waits).hasSize(600);
        }

        @Test
        void givesBackWhatCouldNotBeWritten() {
            Pod pod = Pods.named("p").claim("c").build();
            CycleState state = reserved(pod);
            handle.failing(new ClusterException("conflict", 409, null));
            assertThatThrownBy(() -> plugin.preBind(state, pod, "n1")).isInstanceOf(ClusterException.class);
            plugin.unreserve(state, pod, "n1");
            assertThat(on(Pods.named("second").claim("d").build())).isEqualTo(Status.success());
        }

        @Test
        void hasNothingToDoForBoundClaims() {
            bindClaim("c", "v");
            Pod pod = Pods.named("p").claim("c").build();
            CycleState state = reserved(pod);
            assertThat(plugin.preBindPreFlight(state, pod, "n1")).isEqualTo(PreBindPreFlightResult.skipInParallel());
            assertThat(handle.changes()).isEmpty();
        }
    }

    @Test
    void checksItsArguments() {
        Problems problems = Problems.collector();
        new VolumeBinding.Args(
                        -1, Optional.of(List.of(new UtilizationShapePoint(101, 10), new UtilizationShapePoint(2, -1))))
                .validate(problems);
        assertThat(problems.all())
                .extracting(Problems.Problem::path)
                .containsExactly(
                        "bindTimeoutSeconds", "shape[0].utilization", "shape[1].utilization", "shape[1].score");
    }

    @Test
    void takesAShapeOnlyWithTheFeature() {
        List<UtilizationShapePoint> shape = List.of(new UtilizationShapePoint(50, 5));
        Problems problems = Problems.collector();
        VolumeBinding.Args given = new VolumeBinding.Args(1, Optional.of(shape));

        assertThat(given.forFeatures(SCORING, problems)).isEqualTo(given);
        assertThat(VolumeBinding.Args.DEFAULTS.forFeatures(SCORING, problems).shape())
                .contains(VolumeBinding.Args.EMPTIEST_FIRST);
        assertThat(new VolumeBinding.Args(1, Optional.of(List.of()))
                        .forFeatures(SCORING, problems)
                        .shape())
                .contains(VolumeBinding.Args.EMPTIEST_FIRST);
        assertThat(problems.isEmpty()).isTrue();
        given.forFeatures(FeatureGates.DEFAULTS, problems);
        assertThat(problems.all())
                .containsExactly(new Problems.Problem(
                        "shape",
                        "[{utilization: 50, score: 5}] (expected: nothing, while the feature gate"
                                + " StorageCapacityScoring is off)"));
    }
}
