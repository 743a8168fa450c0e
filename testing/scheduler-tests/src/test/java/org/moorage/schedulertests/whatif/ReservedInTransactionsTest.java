// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDumpReader;

/** Tests pods that use up a limited resource one after another, and release it. */
class ReservedInTransactionsTest {
    private static final Optional<String> NODE_N = Optional.of("n");
    private static final Optional<String> NONE = Optional.empty();

    private static final String NODE = """
            apiVersion: v1
            kind: Node
            metadata: {name: 'n', uid: 'n'}
            status: {allocatable: {cpu: 2, pods: 110}}
            """;

    private static final String DEVICES = """
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu}
            spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: slice}
            spec:
              driver: gpu.example.com
              nodeName: 'n'
              pool: {name: 'n', generation: 1, resourceSliceCount: 1}
              devices: [{name: gpu-0}, {name: gpu-1}]
            """;

    private static final String CLAIM = """
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: claim-NUMBER, namespace: default, uid: claim-NUMBER}
            spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
            """;

    private static final String VOLUMES = """
            ---
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: local}
            provisioner: kubernetes.io/no-provisioner
            volumeBindingMode: WaitForFirstConsumer
            ---
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: pv-0, uid: pv-0}
            spec: {storageClassName: local, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /a}}
            status: {phase: Available}
            ---
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: pv-1, uid: pv-1}
            spec: {storageClassName: local, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /b}}
            status: {phase: Available}
            """;

    private static final String VOLUME_CLAIM = """
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: claim-NUMBER, namespace: default, uid: claim-NUMBER}
            spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
            status: {phase: Pending}
            """;

    private static final String POD = """
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: p-NUMBER, namespace: default, uid: p-NUMBER}
            spec:
              containers: [{name: main, resources: {requests: {cpu: CPU}}}]
            """;

    /** A resource that exists twice, and the objects that each pod has separately. */
    record Case(String name, String there, String ofPod) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("processors", "", POD.replace("CPU", "1")),
            new Case(
                    "devices",
                    DEVICES,
                    CLAIM + POD.replace("CPU", "10m")
                            + "  resourceClaims: [{name: gpu, resourceClaimName: claim-NUMBER}]\n"),
            new Case(
                    "volumes",
                    VOLUMES,
                    VOLUME_CLAIM + POD.replace("CPU", "10m")
                            + "  volumes: [{name: v, persistentVolumeClaim: {claimName: claim-NUMBER}}]\n"));

    private static List<Optional<String>> nodes(PlacedPods placement) {
        return placement.pods().stream().map(PlacedPods.PlacedPod::nodeName).toList();
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void areGivenBack(Case given) {
        StringBuilder text = new StringBuilder(NODE).append(given.there);
        for (int number = 0; number < 3; number++) {
            text.append(given.ofPod.replace("NUMBER", Integer.toString(number)));
        }
        List<ClusterObject> objects = new ClusterDumpReader()
                .read(List.of("-"), new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8)))
                .objects();
        List<Pod> pods = new ArrayList<>();
        objects.forEach(object -> {
            if (object instanceof Pod pod) {
                pods.add(pod);
            }
        });
        // In reverse order, so that leftovers of the first placement would be visible.
        List<Pod> reversed = List.of(pods.get(2), pods.get(1), pods.get(0));
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        InMemoryCluster cluster = InMemoryCluster.of(objects);
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(registry), registry, cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            try (WhatIf asked = scheduler.whatIf()) {
                assertThat(nodes(asked.place(pods))).containsExactly(NODE_N, NODE_N, NONE);
                assertThat(nodes(asked.place(reversed))).containsExactly(NODE_N, NODE_N, NONE);
                assertThat(nodes(asked.placeTogether(pods))).containsExactly(NONE, NONE, NONE);
                assertThat(nodes(asked.placeTogether(pods.subList(1, 3)))).containsExactly(NODE_N, NODE_N);
                try (Transaction outer = asked.begin()) {
                    assertThat(nodes(outer.place(pods.subList(0, 1)))).containsExactly(NODE_N);
                    try (Transaction inner = outer.begin()) {
                        assertThat(nodes(inner.place(pods.subList(1, 3)))).containsExactly(NODE_N, NONE);
                    }
                    try (Transaction kept = outer.begin()) {
                        assertThat(nodes(kept.place(pods.subList(2, 3)))).containsExactly(NODE_N);
                        kept.keep();
                    }
                    assertThat(outer.fits(pods.get(1)).fits()).isFalse();
                    // The resource is used up in the transaction, but still available in the scheduler.
                    assertThat(scheduler.evaluate(pods.get(1)).feasible()).containsExactly("n");
                    outer.evict(pods.subList(2, 3));
                    // A volume stays bound to the claim of a deleted pod.
                    boolean isFreed = !given.name.equals("volumes");
                    assertThat(nodes(outer.place(pods.subList(1, 2)))).containsExactly(isFreed ? NODE_N : NONE);
                }
                for (Pod pod : pods) {
                    assertThat(asked.fits(pod).feasible()).as(pod.name()).containsExactly("n");
                }
                while (scheduler.scheduleNext().isPresent()) {}
                // The what-if queries do not see later changes of the scheduler.
                assertThat(nodes(asked.place(reversed))).containsExactly(NODE_N, NODE_N, NONE);
            }
            try (WhatIf afterwards = scheduler.whatIf()) {
                List<Pod> bound = List.copyOf(afterwards.podsOn("n"));
                assertThat(bound).hasSize(2);
                List<Pod> waiting = new ArrayList<>(pods);
                waiting.removeIf(
                        pod -> bound.stream().anyMatch(other -> other.uid().equals(pod.uid())));
                assertThat(afterwards.fits(waiting.get(0)).fits()).isFalse();
                assertThat(afterwards
                                .evict(bound.subList(0, 1))
                                .fits(waiting.get(0))
                                .feasible())
                        .as("with room again")
                        .isEqualTo(given.name.equals("volumes") ? List.of() : List.of("n"));
                assertThat(afterwards.fits(waiting.get(0)).fits()).isFalse();
            }
        }
    }
}
