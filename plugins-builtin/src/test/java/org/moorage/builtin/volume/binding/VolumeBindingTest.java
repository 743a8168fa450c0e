// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.CycleState;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.builtin.resources.NodeResourcesFit.UtilizationShapePoint;
import org.moorage.builtin.volume.Storage;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;
import org.moorage.testkit.Write;

class VolumeBindingTest {
    private static final String NOT_REACHABLE = "node(s) didn't match PersistentVolume's node affinity";
    private static final String NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
    private static final String NO_ROOM = "node(s) did not have enough free storage";
    private static final String VOLUME_GONE =
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    private static final FeatureGates NOT_SCORING =
            FeatureGates.DEFAULTS.with(FeatureGates.STORAGE_CAPACITY_SCORING, false);
    private static final PluginTester PLUGIN = cluster(PluginTester.of(VolumeBinding.FACTORY));

    private static org.moorage.api.model.Node node(String name, String zone) {
        return Nodes.named(name)
                .label("kubernetes.io/hostname", name)
                .label("zone", zone)
                .build();
    }

    private static PluginTester cluster(PluginTester plugin) {
        return plugin.cluster(
                node("n1", "a"),
                node("n2", "b"),
                Storage.delayed("local", StorageClass.NO_PROVISIONER),
                Storage.delayed("wait", "csi.x"),
                Storage.delayed(
                        "zonal", "csi.y", Storage.in("zone", "a").terms().get(0)),
                Storage.immediate("now"));
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
                    "of another pod",
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
            PLUGIN.cluster(c.claim)
                    .pod(Pods.named("p").volume(c.source).build())
                    .rejectsPod(Status.unresolvable(c.reason));
        }

        @Test
        void takesTheClaimThatWasMadeForThePod() {
            Pod pod = Pods.named("p").volume(MADE).build();
            PLUGIN.cluster(with(
                            Storage.claim("p-v0", "wait").build(),
                            meta -> meta.ownerReferences(
                                    List.of(new OwnerReference("v1", "Pod", "p", pod.uid(), true)))))
                    .pod(pod)
                    .leavesAllNodes();
        }

        @Test
        void skipsPodsWithoutClaims() {
            PLUGIN.pod(Pods.named("p").volume(new Volume.InlineCsi("csi.x")).build())
                    .skipsFilter();
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
            Pods pod = Pods.named("p");
            c.claims.forEach(claim -> pod.claim(claim.name()));
            PLUGIN.cluster(
                            new CsiDriver(ObjectMeta.named("csi.x").build(), true, false),
                            new CsiStorageCapacity(
                                    ObjectMeta.named("cap").namespace("default").build(),
                                    "wait",
                                    Optional.of(Quantity.parse("5Gi")),
                                    Optional.of(Quantity.parse("100Mi")),
                                    Optional.of(new LabelSelector(Map.of("zone", "a"), List.of()))))
                    .cluster(c.claims)
                    .cluster(c.volumes)
                    .pod(pod.build())
                    .filters("n1", c.reasons.length == 0 ? Status.success() : Status.unresolvable(c.reasons));
        }

        @Test
        void makesVolumesOnlyWhereTheClassAllows() {
            PLUGIN.cluster(Storage.claim("c", "zonal").build())
                    .pod(Pods.named("p").claim("c").build())
                    .rejects("n2", Status.unresolvable(NO_VOLUME));
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
                    "storage without reported capacity",
                    List.of(Storage.claim("a", "zonal").build()),
                    List.of(),
                    0),
        };

        private static PluginTester measured() {
            return cluster(PluginTester.of(VolumeBinding.FACTORY, FULLEST_FIRST))
                    .cluster(
                            new CsiDriver(ObjectMeta.named("csi.x").build(), true, false),
                            part("one", "10Gi"),
                            part("two", "20Gi"));
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
            Pods pod = Pods.named("p");
            c.claims.forEach(claim -> pod.claim(claim.name()));
            PodTester tester = measured().cluster(c.claims).cluster(c.volumes).pod(pod.build());
            if (c.claims.isEmpty()) {
                tester.skipsFilter();
            }
            tester.scores("n1", c.score);
        }

        @Test
        void hasNoSayWithoutTheFeature() {
            cluster(PluginTester.of(VolumeBinding.FACTORY).features(NOT_SCORING))
                    .cluster(
                            Storage.claim("a", "local").build(),
                            Storage.volume("v", "local", "4Gi").build())
                    .pod(Pods.named("p").claim("a").build())
                    .accepts("n1")
                    .skipsScore();
        }
    }

    @Nested
    class Binding {
        private final List<Duration> waits = new ArrayList<>();
        private Runnable meanwhile = () -> {};
        private final TestScheduler scheduler = cluster(PluginTester.of(new PausingFactory((pod, time) -> {
                    waits.add(time);
                    meanwhile.run();
                })))
                .cluster(
                        Storage.claim("c", "local").build(),
                        Storage.claim("d", "local").build(),
                        Storage.claim("made", "wait").build(),
                        Storage.volume("v", "local", "5Gi")
                                .nodeAffinity(Storage.on("n1"))
                                .build())
                .start();

        /** Makes the plugin with another way to wait. */
        private record PausingFactory(Pause pause) implements PluginFactory<VolumeBinding.Args> {
            @Override
            public String name() {
                return VolumeBinding.NAME;
            }

            @Override
            public Class<VolumeBinding.Args> argsType() {
                return VolumeBinding.Args.class;
            }

            @Override
            public Plugin create(VolumeBinding.Args args, Handle handle) {
                return new VolumeBinding(args, handle, pause);
            }
        }

        @BeforeEach
        void actInPlaceOfTheVolumeController() {
            scheduler.stopVolumeController();
        }

        @AfterEach
        void stop() {
            scheduler.close();
        }

        private Pod reserved(String name, String claim) {
            Pod pod = Pods.named(name).claim(claim).build();
            scheduler.reserve(pod, "n1");
            return pod;
        }

        private PodTester second() {
            return scheduler.pod(Pods.named("second").claim("d").build());
        }

        private void bindClaim(String claim, String volume) {
            scheduler.cluster().apply(Storage.bound(claim, volume));
        }

        private List<Write> volumeWrites() {
            return scheduler.writes().stream()
                    .filter(write -> !(write.arguments().get(0) instanceof Pod)
                            && !write.method().equals("report"))
                    .toList();
        }

        @Test
        void keepsAVolumeForItsPodUntilItIsGivenBack() {
            Pod first = reserved("first", "c");
            second().rejects("n1", Status.unresolvable(NO_VOLUME));
            scheduler.unreserve(first);
            second().accepts("n1");
            // As for a pod whose Reserve failed at another plugin before.
            scheduler.plugin(VolumeBinding.class).unreserve(new CycleState(), first, "n1");
            second().accepts("n1");
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void keepsTheNodeOfAClaimThatPodsShareUntilTheLastOneGivesItBack(boolean isLastOneFirst) {
            Pod first = reserved("first", "made");
            Pod another = reserved("another", "made");
            third().rejects("n2", Status.unresolvable(NO_VOLUME));
            scheduler.unreserve(isLastOneFirst ? another : first);
            third().rejects("n2", Status.unresolvable(NO_VOLUME));
            scheduler.unreserve(isLastOneFirst ? first : another);
            third().accepts("n2");
        }

        // Asked anew each time: a tester keeps what it was answered.
        private PodTester third() {
            return scheduler.pod(Pods.named("third").claim("made").build());
        }

        private boolean isTaken(Snapshot snapshot) {
            VolumeBinding plugin = scheduler.plugin(VolumeBinding.class);
            CycleState state = new CycleState();
            Pod pod = Pods.named("second").claim("d").build();
            assertThat(plugin.preFilter(state, pod, snapshot).status()).isEqualTo(Status.success());
            return !plugin.filter(state, pod, snapshot.node("n1").orElseThrow()).isSuccess();
        }

        // As for a pod that is tried with its group before it is bound.
        @Test
        void reservesAgainWhatItHasGivenBack() {
            Pod pod = Pods.named("p").claim("c").build();
            scheduler.inCycle(pod, (state, snapshot) -> {
                VolumeBinding plugin = scheduler.plugin(VolumeBinding.class);
                plugin.reserve(state, pod, "n1");
                assertThat(isTaken(snapshot)).isTrue();
                plugin.unreserve(state, pod, "n1");
                assertThat(isTaken(snapshot)).isFalse();

                CycleState bound = state.withoutParent();
                plugin.reserve(bound, pod, "n1");
                assertThat(isTaken(snapshot)).isTrue();
                plugin.unreserve(state, pod, "n1");
                assertThat(isTaken(snapshot)).as("the other state has nothing").isTrue();
                plugin.unreserve(bound, pod, "n1");
                assertThat(isTaken(snapshot)).isFalse();
            });
        }

        @Test
        void doesNotBindVolumesThatWereBoundElsewhereSinceUnreserve() {
            Pod pod = Pods.named("p").claim("c").build();
            scheduler.inCycle(pod, (state, snapshot) -> {
                VolumeBinding plugin = scheduler.plugin(VolumeBinding.class);
                plugin.reserve(state, pod, "n1");
                plugin.unreserve(state, pod, "n1");
                bindClaim("c", "v");
                plugin.reserve(state, pod, "n1");
                assertThat(plugin.preBindPreFlight(state, pod, "n1"))
                        .isEqualTo(PreBindPreFlightResult.skipInParallel());
            });
        }

        @Test
        void believesTheClusterRatherThanWhatItAssumed() {
            Pod ignored = reserved("first", "c");
            scheduler
                    .cluster()
                    .apply(Storage.volume("v", "local", "5Gi")
                            .metadata(ObjectMeta.named("v").resourceVersion("7").build())
                            .build());
            second().accepts("n1");
        }

        @Test
        void bindsAVolume() {
            Pod pod = reserved("p", "c");
            meanwhile = () -> {
                if (waits.size() == 4) {
                    bindClaim("c", "v");
                }
            };
            scheduler.bind(pod);
            assertThat(scheduler.answers("preBindPreFlight")).containsExactly(PreBindPreFlightResult.runInParallel());
            assertThat(waits).hasSize(4).containsOnly(Duration.ofSeconds(1));
            assertThat(volumeWrites()).hasSize(1);
            Write write = volumeWrites().get(0);
            assertThat(write.method()).isEqualTo("bind");
            assertThat(write.arguments())
                    .extracting(object -> ((ClusterObject) object).key())
                    .containsExactly("v", "default/c");
            assertThat(write.arguments())
                    .extracting(object -> ((ClusterObject) object).metadata().resourceVersion())
                    .containsExactly("1", "1");
        }

        @Test
        void hasAVolumeMade() {
            Pod pod = reserved("p", "made");
            meanwhile = () -> {
                scheduler.cluster().apply(Storage.volume("new", "wait", "1Gi").build());
                scheduler
                        .cluster()
                        .apply(with(
                                Storage.bound("made", "new"),
                                meta -> meta.annotations(Map.of(
                                        PersistentVolumeClaim.SELECTED_NODE,
                                        "n1",
                                        PersistentVolumeClaim.BIND_COMPLETED,
                                        "yes"))));
            };
            scheduler.bind(pod);
            assertThat(volumeWrites()).hasSize(1);
            Write write = volumeWrites().get(0);
            assertThat(write.method()).isEqualTo("selectNode");
            assertThat(((ClusterObject) write.arguments().get(0)).key()).isEqualTo("default/made");
            assertThat(write.arguments().get(1)).isEqualTo("n1");
        }

        @Test
        void noticesThatAVolumeCannotBeMade() {
            Pod pod = reserved("p", "made");
            meanwhile = () -> scheduler
                    .cluster()
                    .apply(with(
                            Storage.claim("made", "wait").build(),
                            meta -> meta.resourceVersion("3").annotations(Map.of("a", "b"))));
            scheduler.failsToBind(pod, "binding volumes: provisioning failed for PVC \"made\"");
        }

        @Test
        void failsInTheEnd() {
            Pod pod = reserved("p", "c");
            scheduler.failsToBind(pod, "binding volumes: context deadline exceeded");
            assertThat(waits).hasSize(600);
        }

        @Test
        void givesBackWhatCouldNotBeWritten() {
            Pod pod = reserved("p", "c");
            scheduler.failWrites(new ClusterException("conflict", 409, null));
            scheduler.failsToBind(pod, "conflict");
            second().accepts("n1");
        }

        @Test
        void hasNothingToDoForBoundClaims() {
            bindClaim("c", "v");
            scheduler.bind(reserved("p", "c"));
            assertThat(scheduler.answers("preBindPreFlight")).containsExactly(PreBindPreFlightResult.skipInParallel());
            assertThat(volumeWrites()).isEmpty();
            assertThat(waits).isEmpty();
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

        assertThat(given.forFeatures(FeatureGates.DEFAULTS, problems)).isEqualTo(given);
        assertThat(VolumeBinding.Args.DEFAULTS
                        .forFeatures(FeatureGates.DEFAULTS, problems)
                        .shape())
                .contains(VolumeBinding.Args.EMPTIEST_FIRST);
        assertThat(new VolumeBinding.Args(1, Optional.of(List.of()))
                        .forFeatures(FeatureGates.DEFAULTS, problems)
                        .shape())
                .contains(VolumeBinding.Args.EMPTIEST_FIRST);
        assertThat(problems.isEmpty()).isTrue();
        given.forFeatures(NOT_SCORING, problems);
        assertThat(problems.all())
                .containsExactly(new Problems.Problem(
                        "shape",
                        "[{utilization: 50, score: 5}] (expected: nothing, while the feature gate"
                                + " StorageCapacityScoring is off)"));
    }
}
