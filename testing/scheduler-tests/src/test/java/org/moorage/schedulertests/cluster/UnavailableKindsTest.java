// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Tests kinds that cannot be listed: pods that need one of them get a message, and others are scheduled. */
class UnavailableKindsTest {
    private static final String REASON = "these are not served by the API server";

    /**
     * A test case.
     *
     * @param kind the kind that cannot be listed
     * @param spec the spec of the pod
     * @param message the start of the pod's message; empty if the pod is scheduled
     */
    record Case(String name, ObjectKind<?> kind, String spec, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String PLAIN = "{'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}";
    private static final String LARGE =
            "{'priority':10,'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]}";
    private static final String WITH_VOLUME =
            "{'containers':[{'name':'c'}],'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'data'}}]}";
    private static final String WITH_CLAIM =
            "{'containers':[{'name':'c'}],'resourceClaims':[{'name':'r','resourceClaimName':'gpu'}]}";
    private static final String SELECTING_NAMESPACES =
            "{'containers':[{'name':'c'}],'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                    + "[{'topologyKey':'kubernetes.io/hostname','labelSelector':{'matchLabels':{'a':'b'}},"
                    + "'namespaceSelector':{'matchLabels':{'team':'x'}}}]}}}";
    private static final String TOLD = "0/1 nodes are available: " + REASON + ".";

    static final List<Case> CASES = List.of(
            new Case("a pod with a claim, without claims", ObjectKind.RESOURCE_CLAIM, WITH_CLAIM, TOLD),
            new Case("a pod with a claim, without slices", ObjectKind.RESOURCE_SLICE, WITH_CLAIM, TOLD),
            new Case("a pod with a claim, without device classes", ObjectKind.DEVICE_CLASS, WITH_CLAIM, TOLD),
            new Case("a pod without a claim, without claims", ObjectKind.RESOURCE_CLAIM, PLAIN, ""),
            new Case("a pod with a volume, without claims", ObjectKind.PERSISTENT_VOLUME_CLAIM, WITH_VOLUME, TOLD),
            new Case("a pod with a volume, without volumes", ObjectKind.PERSISTENT_VOLUME, WITH_VOLUME, TOLD),
            new Case("a pod with a volume, without storage classes", ObjectKind.STORAGE_CLASS, WITH_VOLUME, TOLD),
            new Case("a pod with a volume, without CSI nodes", ObjectKind.CSI_NODE, WITH_VOLUME, TOLD),
            new Case("a pod with a volume, without attachments", ObjectKind.VOLUME_ATTACHMENT, WITH_VOLUME, TOLD),
            new Case("a pod without a volume, without CSI nodes", ObjectKind.CSI_NODE, PLAIN, ""),
            new Case(
                    "a pod that selects namespaces, without namespaces",
                    ObjectKind.NAMESPACE,
                    SELECTING_NAMESPACES,
                    TOLD),
            new Case("a pod that selects none, without namespaces", ObjectKind.NAMESPACE, PLAIN, ""),
            new Case("a pod whose default spreading has nothing to go by", ObjectKind.REPLICA_SET, PLAIN, ""),
            new Case(
                    "a pod that would have to preempt, without disruption budgets",
                    ObjectKind.POD_DISRUPTION_BUDGET,
                    LARGE,
                    "0/1 nodes are available: 1 Insufficient cpu. preemption: " + REASON),
            new Case(
                    "a pod that does not have to preempt, without disruption budgets",
                    ObjectKind.POD_DISRUPTION_BUDGET,
                    PLAIN,
                    ""));

    private final AtomicReference<ClusterListener> listener = new AtomicReference<>();

    @ParameterizedTest
    @FieldSource("CASES")
    void rejectsPodsThatNeedThemAndSchedulesOthers(Case c) {
        InMemoryCluster objects = InMemoryCluster.of(List.of(
                decoded("{'apiVersion':'v1','kind':'Node','metadata':{'name':'n'},"
                        + "'status':{'allocatable':{'cpu':'2','memory':'4Gi','pods':'10'}}}"),
                decoded("{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'default'}}"),
                decoded(
                        "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'data','namespace':'default','annotations':{'pv.kubernetes.io/bind-completed':'yes'}},"
                                + "'spec':{'volumeName':'pv'}}"),
                decoded("{'apiVersion':'resource.k8s.io/v1','kind':'ResourceClaim','metadata':{'name':'gpu',"
                        + "'namespace':'default','uid':'gpu'},'spec':{'devices':{'requests':[{'name':'r','exactly':"
                        + "{'deviceClassName':'gpu'}}]}}}"),
                decoded("{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'pv'},'spec':{}}"),
                decoded("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'low','namespace':'default','uid':'low'},"
                        + "'spec':{'nodeName':'n','containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}"),
                decoded(
                        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'tried','namespace':'default','uid':'tried'},"
                                + "'spec':" + c.spec + "}")));
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.defaults(registry), registry, without(c.kind, objects))
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();

            Decision decision = scheduler.scheduleNext().orElseThrow();

            assertThat(decision.message()).startsWith(c.message);
            assertThat(decision.nodeName()).isEqualTo(c.message.isEmpty() ? "n" : "");
            assertThat(objects.all(ObjectKind.POD)).hasSize(2);

            list(c.kind, objects);

            boolean isTriedAgain = scheduler.scheduleNext().isPresent();
            assertThat(isTriedAgain).isEqualTo(!c.message.isEmpty());
        }
    }

    private <T extends ClusterObject> void list(ObjectKind<T> kind, InMemoryCluster objects) {
        listener.get().replaced(kind, objects.all(kind));
    }

    private static ClusterObject decoded(String json) {
        try {
            return new TreeDecoder().decode(ObjectStreams.object(json.replace('\'', '"')));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the cluster without access to one kind. */
    private Cluster without(ObjectKind<?> missing, InMemoryCluster cluster) {
        return (Cluster) Proxy.newProxyInstance(
                UnavailableKindsTest.class.getClassLoader(),
                new Class<?>[] {Cluster.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("watch")) {
                        listener.set((ClusterListener) arguments[2]);
                        arguments[2] = withoutLists(missing, listener.get());
                    }
                    try {
                        return method.invoke(cluster, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static ClusterListener withoutLists(ObjectKind<?> missing, ClusterListener listener) {
        return (ClusterListener) Proxy.newProxyInstance(
                UnavailableKindsTest.class.getClassLoader(),
                new Class<?>[] {ClusterListener.class},
                (proxy, method, arguments) -> {
                    if (arguments[0].equals(missing)) {
                        listener.unavailable(missing, REASON);
                        return null;
                    }
                    try {
                        return method.invoke(listener, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
