// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * A scheduler with all plugins on a cluster in memory, some of whose writes fail. Pods are bound on the calling thread.
 */
final class DraScheduler implements AutoCloseable {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - pluginConfig:
              - name: DynamicResources
                %s
            """;

    private final InMemoryCluster cluster;
    private final List<String> writes = new ArrayList<>();
    private final Set<Integer> failing = new TreeSet<>();
    private Function<String, RuntimeException> failure = message -> new ClusterException(message, 500, null);
    private final Map<Integer, Consumer<InMemoryCluster>> before = new HashMap<>();
    private final List<String> bindingFailures = new ArrayList<>();
    private final Scheduler scheduler;

    DraScheduler(FeatureGates features, List<? extends ClusterObject> objects) {
        this(features, "args: {bindingTimeout: 1s}", objects);
    }

    DraScheduler(FeatureGates features, String args, List<? extends ClusterObject> objects) {
        cluster = InMemoryCluster.of(objects);
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG.formatted(args), "test.yaml", registry, features), registry, (Cluster)
                                failingAsTold(Cluster.class, ClusterWriter.class, cluster))
                .bindingExecutor(Runnable::run)
                .listener(new SchedulerListener() {
                    @Override
                    public void bindingFailed(Pod pod, String nodeName, String message) {
                        bindingFailures.add(message);
                    }
                })
                .build();
        scheduler.start();
    }

    static DraScheduler of(ClusterObject... objects) {
        return new DraScheduler(FeatureGates.DEFAULTS, List.of(objects));
    }

    private Object failingAsTold(Class<?> type, Class<?> writes, Object target) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getName().equals("resourceClaims")) {
                return failingAsTold(ResourceClaimWriter.class, ResourceClaimWriter.class, cluster.resourceClaims());
            }
            if (method.getDeclaringClass() == writes) {
                note(method);
            }
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException failed) {
                throw failed.getCause();
            }
        };
        return Proxy.newProxyInstance(DraScheduler.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private void note(Method method) {
        if (method.getName().equals("report")
                || method.getName().equals("volumes")
                || method.getName().equals("patchStatus")) {
            return;
        }
        writes.add(method.getName());
        before.getOrDefault(writes.size(), any -> {}).accept(cluster);
        if (failing.contains(writes.size())) {
            throw failure.apply("write " + writes.size() + " fails");
        }
    }

    /** Makes the writes of these numbers fail, counted from 1; reports and conditions of pods do not count. */
    DraScheduler failingWrites(Integer... numbers) {
        failing.addAll(Arrays.asList(numbers));
        return this;
    }

    /** Sets the exception of these writes, instead of a failure of the API server. */
    DraScheduler failingBy(Function<String, RuntimeException> thrown) {
        failure = thrown;
        return this;
    }

    /** Changes the cluster as another client before the write of that number. */
    DraScheduler beforeWrite(int number, Consumer<InMemoryCluster> change) {
        before.put(number, change);
        return this;
    }

    /** Why a pod was not bound the last time. */
    String bindingFailure() {
        return bindingFailures.get(bindingFailures.size() - 1);
    }

    /** The writes so far. */
    List<String> writes() {
        return writes;
    }

    InMemoryCluster cluster() {
        return cluster;
    }

    Decision scheduleNext() {
        return scheduler.scheduleNext().orElseThrow(() -> new AssertionError("no pod is ready to be scheduled"));
    }

    Evaluation evaluate(Pod pod) {
        return scheduler.evaluate(pod);
    }

    ResourceClaim claim(String name) {
        return cluster.find(ObjectKind.RESOURCE_CLAIM, "default", name).orElseThrow();
    }

    Pod pod(String name) {
        return cluster.find(ObjectKind.POD, "default", name).orElseThrow();
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
