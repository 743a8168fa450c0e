// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.builtin.dra.DynamicResources;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDumpReader;

/** Pods that take what there is of something, one after the other, and give it back. */
class PartialCyclesTest {
    private static final String NODE = """
            apiVersion: v1
            kind: Node
            metadata: {name: n, uid: n}
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
              nodeName: n
              pool: {name: n, generation: 1, resourceSliceCount: 1}
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

    /** What there is two of, and what each pod has of its own. */
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

    @ParameterizedTest
    @FieldSource("CASES")
    void givesBackWhatItHasReserved(Case given) {
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
        PluginRegistry registry = PluginRegistry.of(BuiltinPlugins.all()).with(List.of(DynamicResources.factory()));
        try (Scheduler scheduler = Scheduler.builder(
                        SchedulerConfig.defaults(registry), registry, InMemoryCluster.of(objects))
                .build()) {
            PartialCycles cycles = scheduler.partialCycles("default-scheduler", Duration.ofMinutes(1));
            scheduler.start();
            Optional<String> node = Optional.of("n");
            Optional<String> none = Optional.empty();
            // In another order, so that nothing may be left of the first.
            List<Pod> reversed = List.of(pods.get(2), pods.get(1), pods.get(0));
            assertThat(cycles.place(pods, () -> {})).containsExactly(node, node, none);
            assertThat(cycles.place(reversed, () -> {})).containsExactly(node, node, none);
            boolean done = cycles.onCluster(
                    (algorithm, snapshot) -> {
                        assertThat(cycles.place(pods, algorithm, snapshot)).containsExactly(node, node, none);
                        snapshot.takeBack(1);
                        assertThat(cycles.place(pods.subList(1, 3), algorithm, snapshot))
                                .containsExactly(node, none);
                        snapshot.takeBack(0);
                        assertThat(cycles.place(reversed, algorithm, snapshot)).containsExactly(node, node, none);
                        return true;
                    },
                    () -> {});
            assertThat(done).isTrue();
            for (Pod pod : pods) {
                assertThat(scheduler.fits(pod)).as(pod.name()).containsExactly("n");
            }
        }
    }
}
