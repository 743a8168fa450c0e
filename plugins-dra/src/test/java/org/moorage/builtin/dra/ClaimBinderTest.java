// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.builtin.dra.DeviceObjects.allocated;
import static org.moorage.builtin.dra.DeviceObjects.claim;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Pods;

/** Claims at a server that fails, succeeds, or succeeds and then fails, and whose news the scheduler has not heard. */
class ClaimBinderTest {
    private static final DeviceFeatures FEATURES = DeviceFeatures.of(FeatureGates.DEFAULTS);
    private static final Pod POD = Pods.named("p").build();
    private static final ResourceClaim CLAIM = claim("c", "{}");
    private static final DeviceAllocation ALLOCATION =
            claim("c", "{}", allocated("{device: a}")).allocation().orElseThrow();

    /** How a request ends. */
    private enum End {
        ANSWERED,
        APPLIED_WITHOUT_ANSWER,
        LOST,
        CONFLICT,
        EXCEPTION,
        ERROR
    }

    private final InMemoryCluster server = InMemoryCluster.of(List.of(CLAIM));
    private final ResourceClaim seen =
            server.find(ObjectKind.RESOURCE_CLAIM, "default", "c").orElseThrow();
    private final ObjectTable<ResourceClaim> lister = ObjectTable.of(seen);
    private final ClaimTracker tracker = new ClaimTracker(lister, ObjectTable.of(), FEATURES, pods -> {});
    private final Map<String, Queue<End>> ends = new HashMap<>();
    private final Queue<Runnable> later = new ArrayDeque<>();
    private int tasksThatThrew;
    private final ClaimBinder binder = new ClaimBinder(handle(), tracker, Duration.ofSeconds(1), FEATURES);

    private Object proxy(Class<?> type, Object target) {
        return Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("resourceClaims")) {
                        return proxy(ResourceClaimWriter.class, server.resourceClaims());
                    }
                    End end = Optional.ofNullable(ends.get(method.getName()))
                            .map(Queue::poll)
                            .orElse(End.ANSWERED);
                    switch (end) {
                        case CONFLICT -> throw new ClusterException("changed", 409, null);
                        case EXCEPTION -> throw new IllegalArgumentException("unexpected");
                        case ERROR -> throw new NoClassDefFoundError("org/example/Missing");
                        default -> {}
                    }
                    Object answer = null;
                    if (end != End.LOST) {
                        try {
                            answer = method.invoke(target, arguments);
                        } catch (InvocationTargetException failed) {
                            throw failed.getCause();
                        }
                    }
                    if (end != End.ANSWERED) {
                        throw new ClusterException("no answer", 0, null);
                    }
                    return answer;
                });
    }

    /** Returns a handle whose reads may fail under the name "read". */
    private Handle handle() {
        Map<Object, Object> shared = new HashMap<>();
        Object cluster = proxy(Cluster.class, server);
        return (Handle) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Handle.class, Handle.Cluster.class, Handle.Binding.class, Handle.Tasks.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "cluster", "binding", "tasks" -> proxy;
                    case "shared" -> shared.computeIfAbsent(arguments[0], key -> ((Supplier<?>) arguments[1]).get());
                    case "clock", "monotonicClock" -> InstantSource.system();
                    case "writer" -> (ClusterWriter) cluster;
                    case "read" -> read(cluster, 0, arguments);
                    case "readInPreBind" -> read(cluster, 1, arguments);
                    case "backgroundAfter" -> later.add((Runnable) arguments[1]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private static Optional<ResourceClaim> read(Object cluster, int first, Object[] arguments) {
        return ((Cluster) cluster)
                .read(ObjectKind.RESOURCE_CLAIM, (String) arguments[first + 1], (String) arguments[first + 2]);
    }

    private void ends(String method, End... each) {
        ends.put(method, new ArrayDeque<>(List.of(each)));
    }

    private boolean isTaken() {
        return tracker.gatherAllocatedState().isAllocated(new DeviceId(DeviceObjects.DRIVER, "n1", "a"));
    }

    private List<String> consumers() {
        return server.find(ObjectKind.RESOURCE_CLAIM, "default", "c").stream()
                .flatMap(claim -> claim.reservedFor().stream())
                .map(ResourceClaim.Consumer::name)
                .toList();
    }

    private ResourceClaim bind() {
        return bind(POD);
    }

    private ResourceClaim bind(Pod pod) {
        tracker.addInFlightAllocation(seen.withAllocation(ALLOCATION), pod, Optional.empty());
        return binder.bind(seen, Optional.of(ALLOCATION), ResourceClaim.Consumer.of(pod), pod);
    }

    // The executor logs a task's exception.
    private void runLater() {
        for (int i = 0; i < 100 && !later.isEmpty(); i++) {
            try {
                later.remove().run();
            } catch (RuntimeException | Error thrown) {
                tasksThatThrew++;
            }
        }
        assertThat(later).isEmpty();
    }

    /**
     * The allocation of a claim.
     *
     * @param allocations how the requests to allocate it end
     * @param reads how the reads end
     * @param isBound whether it succeeds
     * @param isTaken whether the device is taken after Unreserve, if it fails
     * @param isTakenAtLast and when everything is undone
     */
    private record Case(
            String name,
            List<End> allocations,
            List<End> reads,
            boolean isBound,
            boolean isTaken,
            boolean isTakenAtLast) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("nothing fails", List.of(), List.of(), true, true, true),
            new Case(
                    "it was written although no answer came",
                    List.of(End.APPLIED_WITHOUT_ANSWER),
                    List.of(),
                    true,
                    true,
                    true),
            new Case("it was not written, and no answer came", List.of(End.LOST), List.of(), false, false, false),
            new Case(
                    "a conflict, after which it is written as it is then",
                    List.of(End.CONFLICT),
                    List.of(),
                    true,
                    true,
                    true),
            new Case(
                    "conflicts without end",
                    List.of(End.CONFLICT, End.CONFLICT, End.CONFLICT, End.CONFLICT, End.CONFLICT),
                    List.of(),
                    false,
                    false,
                    false),
            new Case(
                    "it was written, and cannot be read for a while",
                    List.of(End.APPLIED_WITHOUT_ANSWER),
                    List.of(End.LOST, End.LOST, End.LOST),
                    false,
                    true,
                    true),
            new Case(
                    "it was not written, and cannot be read for a while",
                    List.of(End.LOST),
                    List.of(End.LOST, End.LOST, End.LOST),
                    false,
                    true,
                    false));

    @ParameterizedTest
    @FieldSource("CASES")
    void givesADeviceAwayAgainOnlyWhenItIsKnownThatItIsNotAllocated(Case c) {
        ends("allocate", c.allocations.toArray(End[]::new));
        ends("read", c.reads.toArray(End[]::new));
        if (c.isBound) {
            assertThat(bind().isReservedFor(POD)).isTrue();
        } else {
            assertThatThrownBy(this::bind)
                    .hasMessageStartingWith("add allocation and reservation to claim default/c: ");
            binder.unbind(seen, POD);
        }
        assertThat(isTaken()).isEqualTo(c.isTaken);
        runLater();
        assertThat(isTaken()).isEqualTo(c.isTakenAtLast);
        // PreBind is not over yet.
        assertThat(tracker.hasInFlightAllocation(seen)).isEqualTo(c.isBound);
        assertThat(consumers()).isEqualTo(c.isBound ? List.of("p") : List.of());
    }

    // Both are bound at once; whose write comes first is not known before.
    @ParameterizedTest
    @EnumSource(names = {"ANSWERED", "CONFLICT"})
    void writesAnAllocationThatTwoPodsShareForOneOfThem(End end) {
        Pod other = Pods.named("q").build();
        tracker.addInFlightAllocation(seen.withAllocation(ALLOCATION), other, Optional.empty());
        bind(POD);
        ends("allocate", end);
        assertThat(bind(other).isReservedFor(other)).isTrue();
        assertThat(consumers()).containsExactly("p", "q");
        assertThat(isTaken()).isTrue();
    }

    @Test
    void keepsADeviceForAPodThatSharesItWithOneWhoseWriteIsNotKnown() {
        Pod other = Pods.named("q").build();
        tracker.addInFlightAllocation(seen.withAllocation(ALLOCATION), other, Optional.empty());
        ends("allocate", End.LOST);
        ends("read", End.LOST, End.LOST);
        assertThatThrownBy(this::bind).isInstanceOf(IllegalStateException.class);
        binder.unbind(seen, POD);
        runLater();
        assertThat(isTaken()).isTrue();
        bind(other);
        assertThat(consumers()).containsExactly("q");
    }

    @Test
    void removesAReservationAgainAndAgainUntilThatIsDone() {
        ResourceClaim bound = bind();
        ends("unreserve", End.LOST, End.LOST, End.APPLIED_WITHOUT_ANSWER);
        assertThatThrownBy(() -> binder.unbind(bound, POD)).isInstanceOf(ClusterException.class);
        assertThat(consumers()).containsExactly("p");
        runLater();
        assertThat(consumers()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCEPTION", "ERROR"})
    void removesAReservationHoweverThatFailed(End end) {
        ResourceClaim bound = bind();
        ends("unreserve", end, end);
        assertThatThrownBy(() -> binder.unbind(bound, POD)).isNotInstanceOf(ClusterException.class);
        assertThat(binder.takeOver(bound, POD)).as("it may be removed already").isFalse();
        runLater();
        assertThat(consumers()).isEmpty();
        assertThat(tasksThatThrew).isOne();
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCEPTION", "ERROR"})
    void deletesAClaimHoweverThatFailed(End end) {
        ends("delete", end, end);
        assertThatThrownBy(() -> binder.delete(seen, POD)).isNotInstanceOf(ClusterException.class);
        runLater();
        assertThat(server.find(ObjectKind.RESOURCE_CLAIM, "default", "c")).isEmpty();
        assertThat(tasksThatThrew).isOne();
    }

    @Test
    void keepsAReservationThatThePodHasTakenOverInTheMeantime() {
        ResourceClaim bound = bind();
        ends("unreserve", End.CONFLICT);
        assertThatThrownBy(() -> binder.unbind(bound, POD)).isInstanceOf(ClusterException.class);
        assertThat(binder.takeOver(bound, POD)).isTrue();
        runLater();
        assertThat(consumers()).containsExactly("p");
    }

    @Test
    void doesNotTakeOverAReservationThatMayBeRemovedAlready() {
        ResourceClaim bound = bind();
        ends("unreserve", End.APPLIED_WITHOUT_ANSWER);
        assertThatThrownBy(() -> binder.unbind(bound, POD)).isInstanceOf(ClusterException.class);
        assertThat(binder.takeOver(bound, POD)).isFalse();
        runLater();
        assertThat(binder.takeOver(bound, POD)).isTrue();
        assertThat(consumers()).isEmpty();
    }

    @Test
    void knowsThatAClaimIsDeallocatedBeforeItsEvent() {
        ResourceClaim bound = bind();
        binder.unbind(bound, POD);
        lister.put(bound);
        binder.deallocate(server.find(ObjectKind.RESOURCE_CLAIM, "default", "c").orElseThrow());
        assertThat(isTaken()).isFalse();
    }

    @Test
    void undoesNothingOfAClaimThatIsGone() {
        ends("allocate", End.LOST);
        ends("read", End.LOST, End.LOST);
        assertThatThrownBy(this::bind).isInstanceOf(IllegalStateException.class);
        binder.unbind(seen, POD);
        server.remove(seen);
        lister.remove(seen);
        runLater();
        assertThat(isTaken()).isFalse();
    }
}
