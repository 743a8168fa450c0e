// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class PodRequestsTest {
    private static final long MIB = 1L << 20;
    private static final PodCondition REFUSED = new PodCondition("PodResizePending", "True", "Infeasible", "", 0);
    private static final PodCondition DELAYED = new PodCondition("PodResizePending", "True", "Deferred", "", 0);

    /** Requests and their defaults-filled twin, of cpu in thousandths and memory in MiB. */
    record Case(
            String name,
            Consumer<PodSpec.Builder> spec,
            Consumer<PodStatus.Builder> status,
            long cpu,
            long memory,
            long nonZeroCpu,
            long nonZeroMemory) {
        Case(String name, Consumer<PodSpec.Builder> spec, long cpu, long memory, long nonZeroCpu, long nonZeroMemory) {
            this(name, spec, status -> {}, cpu, memory, nonZeroCpu, nonZeroMemory);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("a container that requests nothing", of(app()), 0, 0, 100, 200),
        new Case("an explicit 0 is a request", of(app("cpu", "0", "memory", "0")), 0, 0, 0, 0),
        new Case(
                "containers add up, each with its own defaults",
                of(app("cpu", "1"), app("memory", "64Mi"), app()),
                1000,
                64,
                1200,
                464),
        new Case(
                "fractions add up before they are rounded up",
                of(app("cpu", "0.5m"), app("cpu", "0.5m"), app("cpu", "0.1m")),
                2,
                0,
                2,
                600),
        new Case(
                "the largest init container counts if it is more",
                of(app("cpu", "1"), init("cpu", "3"), init("cpu", "2")),
                3000,
                0,
                3000,
                200),
        new Case(
                "an init container that requests nothing has defaults too",
                of(app("cpu", "10m"), init()),
                10,
                0,
                100,
                200),
        new Case(
                "sidecars add up with containers",
                of(app("cpu", "1"), sidecar("cpu", "1"), sidecar("cpu", "2")),
                4000,
                0,
                4000,
                600),
        new Case(
                "an init container needs the sidecars before it, not those after",
                of(app("cpu", "1"), sidecar("cpu", "2"), init("cpu", "4"), sidecar("cpu", "2")),
                6000,
                0,
                6000,
                600),
        new Case(
                "overhead comes on top",
                of(app("cpu", "1")).andThen(spec -> spec.overhead(quantities("cpu", "250m", "memory", "10Mi"))),
                1250,
                10,
                1250,
                210),
        new Case(
                "requests of the pod as a whole replace the sum, below the overhead",
                of(app("cpu", "3", "memory", "1Gi"))
                        .andThen(spec -> spec.podRequests(quantities("cpu", "2")))
                        .andThen(spec -> spec.overhead(quantities("cpu", "500m"))),
                2500,
                1024,
                2500,
                1024),
        new Case(
                "with them a default is for what neither level names",
                of(app("cpu", "1"), app()).andThen(spec -> spec.podRequests(quantities("cpu", "2"))),
                2000,
                0,
                2000,
                400),
        new Case(
                "they are for some resources only",
                of(app("cpu", "1")).andThen(spec -> spec.podRequests(quantities("ephemeral-storage", "1Gi"))),
                1000,
                0,
                1000,
                200),
        new Case(
                "what is in force counts if it is more",
                of(app("cpu", "1", "memory", "1Gi")),
                reporting("main", quantities("cpu", "2", "memory", "512Mi"), Map.of()),
                2000,
                1024,
                2000,
                1024),
        new Case(
                "so does what the node has reserved",
                of(app("cpu", "1")),
                reporting("main", quantities("cpu", "2"), quantities("cpu", "3", "memory", "10Mi")),
                3000,
                10,
                3000,
                200),
        new Case(
                "a resize that waits counts",
                of(app("cpu", "4")),
                reporting("main", quantities("cpu", "2"), Map.of())
                        .andThen(status -> status.conditions(List.of(DELAYED))),
                4000,
                0,
                4000,
                200),
        new Case(
                "a resize that is refused does not",
                of(app("cpu", "4")),
                reporting("main", quantities("cpu", "2"), quantities("cpu", "1"))
                        .andThen(status -> status.conditions(List.of(REFUSED))),
                2000,
                0,
                2000,
                200),
        new Case(
                "what is specified, allocated and in force is added up apart, so that containers at different stages do not add up",
                of(app("cpu", "1"), named("other", "cpu", "3")),
                status -> status.containerResources(
                        List.of(allocated("main", quantities("cpu", "3")), allocated("other", quantities("cpu", "1")))),
                4000,
                0,
                4000,
                400),
        new Case(
                "the largest total counts for each resource",
                of(app("cpu", "1", "memory", "4Gi"), named("other", "cpu", "1", "memory", "4Gi")),
                reporting("main", quantities("cpu", "1", "memory", "1Gi"), quantities("cpu", "3", "memory", "1Gi")),
                4000,
                8192,
                4000,
                8192),
        new Case(
                "what is in force is what is allocated, if that is not reported",
                of(app("cpu", "1")),
                status -> status.containerResources(List.of(allocated("main", quantities("cpu", "2")))),
                2000,
                0,
                2000,
                200),
        new Case(
                "the status of an init container counts",
                of(app("cpu", "1"), init("cpu", "2")),
                reporting("init", quantities("cpu", "9"), quantities("cpu", "4")),
                9000,
                0,
                9000,
                200),
        new Case(
                "of a refused resize nothing counts that is not reported",
                of(app("cpu", "1"), named("other", "cpu", "3")),
                reporting("main", quantities("cpu", "2"), quantities("cpu", "2"))
                        .andThen(status -> status.conditions(List.of(REFUSED))),
                2000,
                0,
                2100,
                400),
        new Case(
                "the status of the pod as a whole counts for all that it names",
                of(app("cpu", "1", "memory", "1Gi")).andThen(spec -> spec.podRequests(quantities("cpu", "2"))),
                status -> status.podResources(
                        actuated("", quantities("cpu", "3", "memory", "9Gi", "ephemeral-storage", "1Gi"))),
                3000,
                9216,
                3000,
                9216),
        new Case(
                "also where the pod as a whole requests nothing, then in place of what its containers report",
                of(app("cpu", "1")),
                reporting("main", quantities("cpu", "9"), quantities("cpu", "9"))
                        .andThen(status -> status.podResources(new PodStatus.ContainerResources(
                                "", Optional.of(quantities("cpu", "3")), Optional.of(quantities("cpu", "2"))))),
                3000,
                0,
                3000,
                200),
        new Case(
                "but not if nothing is allocated to the pod as a whole",
                of(app("cpu", "1")),
                status -> status.podResources(actuated("", quantities("cpu", "3"))),
                1000,
                0,
                1000,
                200),
        new Case(
                "a refused resize of the pod as a whole leaves the resources of its containers that it does not report",
                of(app("cpu", "1", "memory", "1Gi"))
                        .andThen(spec -> spec.podRequests(quantities("cpu", "2", "memory", "2Gi"))),
                reporting("main", quantities("cpu", "500m"), quantities("cpu", "750m"))
                        .andThen(status -> status.conditions(List.of(REFUSED))
                                .podResources(actuated("", quantities("memory", "1536Mi")))),
                750,
                1536,
                750,
                1536),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void adds(Case c) {
        PodSpec.Builder spec = PodSpec.builder();
        c.spec.accept(spec);
        PodStatus.Builder status = PodStatus.builder();
        c.status.accept(status);
        Pod pod = Pod.of(ObjectMeta.named("p").build(), spec.build()).withStatus(status.build());
        assertThat(pod.requests()).isEqualTo(Resources.of(c.cpu, c.memory * MIB, 0, Map.of()));
        assertThat(pod.nonZeroRequests()).isEqualTo(Resources.of(c.nonZeroCpu, c.nonZeroMemory * MIB, 0, Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"IGNORED, 0, 100, 2000", "AS_SPECIFIED, 2000, 2000, 2000", "AS_REPORTED, 3000, 3000, 3000"})
    void takesRequestsOfThePodAsAWholeAsFeaturesHaveIt(
            PodLevelRequests level, long cpu, long nonZeroCpu, long cpuAtAllLevels) {
        PodSpec.Builder spec = PodSpec.builder().podLevelRequests(level).podRequests(quantities("cpu", "2"));
        of(app()).accept(spec);
        PodStatus status = PodStatus.builder()
                .podResources(actuated("", quantities("cpu", "3")))
                .build();
        Pod pod = Pod.of(ObjectMeta.named("p").build(), spec.build()).withStatus(status);
        assertThat(pod.requests()).isEqualTo(Resources.of(cpu, 0, 0, Map.of()));
        assertThat(pod.nonZeroRequests()).isEqualTo(Resources.of(nonZeroCpu, 200 * MIB, 0, Map.of()));
        assertThat(pod.requestsAtAllLevels()).isEqualTo(Resources.of(cpuAtAllLevels, 0, 0, Map.of()));
        assertThat(pod.spec().toBuilder().build()).isEqualTo(pod.spec());
    }

    private static Consumer<PodSpec.Builder> of(Container... all) {
        Set<String> names = Set.of("main", "other");
        List<Container> containers = List.of(all).stream()
                .filter(container -> names.contains(container.name()))
                .toList();
        List<Container> initContainers = List.of(all).stream()
                .filter(container -> !names.contains(container.name()))
                .toList();
        return spec -> spec.containers(containers).initContainers(initContainers);
    }

    private static Container app(String... requests) {
        return named("main", requests);
    }

    private static Container named(String name, String... requests) {
        return new Container(name, "", quantities(requests), Map.of(), List.of(), "");
    }

    private static Container init(String... requests) {
        return new Container("init", "", quantities(requests), Map.of(), List.of(), "");
    }

    private static Container sidecar(String... requests) {
        return new Container("sidecar", "", quantities(requests), Map.of(), List.of(), "Always");
    }

    private static Consumer<PodStatus.Builder> reporting(
            String container, Map<String, Quantity> requests, Map<String, Quantity> allocated) {
        return status -> status.containerResources(
                List.of(new PodStatus.ContainerResources(container, Optional.of(requests), Optional.of(allocated))));
    }

    private static PodStatus.ContainerResources allocated(String container, Map<String, Quantity> amounts) {
        return new PodStatus.ContainerResources(container, Optional.empty(), Optional.of(amounts));
    }

    private static PodStatus.ContainerResources actuated(String container, Map<String, Quantity> amounts) {
        return new PodStatus.ContainerResources(container, Optional.of(amounts), Optional.empty());
    }

    private static Map<String, Quantity> quantities(String... namesAndAmounts) {
        Map<String, Quantity> quantities = new HashMap<>();
        for (int i = 0; i < namesAndAmounts.length; i += 2) {
            quantities.put(namesAndAmounts[i], Quantity.parse(namesAndAmounts[i + 1]));
        }
        return quantities;
    }
}
