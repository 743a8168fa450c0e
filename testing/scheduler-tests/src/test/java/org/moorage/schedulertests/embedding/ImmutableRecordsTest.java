// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.GroupKey;
import org.moorage.api.Status;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.NodeEstimate;
import org.moorage.simulation.whatif.NodeEstimator;
import org.moorage.simulation.whatif.NodeTemplate;
import org.moorage.simulation.whatif.PodReason;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * Records of the public API copy the collections that they are made of, at every depth: what they return cannot be
 * changed.
 */
class ImmutableRecordsTest {
    private static final Pod POD = Pods.named("p").build();
    private static final Node NODE = Nodes.named("n").build();

    private final SampleValues samples = new SampleValues()
            .with(Pod.class, POD)
            .with(Node.class, NODE)
            .with(ClusterObject.class, NODE)
            .with(Status.class, Status.unschedulable("x"))
            .with(Resources.class, POD.requests())
            .with(RecreatedPod.class, RecreatedPod.of(POD, ClusterSource.of(List.of()), Instant.EPOCH))
            .with(PodSpec.class, POD.spec())
            .with(ObjectMeta.class, POD.metadata())
            .with(Duration.class, Duration.ZERO)
            .with(Instant.class, Instant.EPOCH)
            .with(PodReason.class, PodReason.NONE)
            .with(ResourceName.class, ResourceName.CPU)
            .with(GroupKey.class, GroupKey.podGroup("default", "g"))
            .with(AdmittedPod.class, new AdmittedPod(POD, List.of(), List.of()))
            .with(NodeEstimate.class, estimate());

    private static NodeEstimate estimate() {
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.defaults(plugins);
        NodeTemplate type = new NodeTemplate("t", "t-", NODE, List.of(), List.of(), List.of());
        try (WhatIf whatIf = Scheduler.whatIf(List.of(), config, plugins)) {
            KnownCluster cluster = new KnownCluster(whatIf, List.of(), config, Instant.EPOCH);
            return new NodeEstimator(cluster, -10, tried -> {}).estimate(type, List.of(), 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"framework-runtime", "framework-simulation"})
    void theirCollectionsCannotBeChanged(String module) throws Exception {
        List<String> changeable = new ArrayList<>();
        int checked = 0;
        for (Class<?> type : PublicTypes.of(module)) {
            // A recreated pod is made of parts that fit together.
            if (type.isRecord() && type != RecreatedPod.class) {
                Object made;
                try {
                    made = samples.ofRecord(type);
                } catch (Exception e) {
                    changeable.add(type.getSimpleName() + " NOSAMPLE " + e + e.getCause());
                    continue;
                }
                for (RecordComponent component : type.getRecordComponents()) {
                    Object value = component.getAccessor().invoke(made);
                    if (value instanceof Collection<?> || value instanceof Map<?, ?>) {
                        checked++;
                        check(type.getSimpleName() + "." + component.getName(), value, changeable);
                    }
                }
            }
        }
        assertThat(checked).as("collections").isGreaterThan(10);
        assertThat(changeable).isEmpty();
    }

    private static void check(String name, Object value, List<String> changeable) {
        if (value instanceof Map<?, ?> map) {
            if (canChange(map::clear)) {
                changeable.add(name);
            }
            map.values().forEach(inner -> check(name + ".values", inner, changeable));
        } else if (value instanceof Collection<?> collection) {
            if (canChange(collection::clear)) {
                changeable.add(name);
            }
            collection.forEach(inner -> check(name + ".elements", inner, changeable));
        }
    }

    // An empty collection may take clear() for nothing to do, but none of the samples is empty.
    private static boolean canChange(Runnable change) {
        try {
            change.run();
            return true;
        } catch (UnsupportedOperationException refused) {
            return false;
        }
    }
}
