// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.ClusterWriter;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.simulation.InMemoryCluster;

/** A cluster of which each change is kept that is asked of it, and that can be told to refuse them. */
final class ObservedCluster implements InvocationHandler {
    private static final Instant DELETED = Instant.parse("2024-01-01T00:00:00Z");

    private final InMemoryCluster cluster;
    private final List<Write> writes = new CopyOnWriteArrayList<>();
    private volatile @Nullable ClusterException failure;
    private volatile boolean keepsTerminatingPods;

    ObservedCluster(InMemoryCluster cluster) {
        this.cluster = cluster;
    }

    Cluster asCluster() {
        return (Cluster)
                Proxy.newProxyInstance(ObservedCluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, this);
    }

    List<Write> writes() {
        return List.copyOf(writes);
    }

    void fail(ClusterException with) {
        failure = with;
    }

    void keepTerminatingPods() {
        keepsTerminatingPods = true;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Object[] given = arguments == null ? new Object[0] : arguments;
        boolean isWrite = method.getDeclaringClass() == ClusterWriter.class;
        ClusterException with = failure;
        // Reports never fail.
        if (isWrite && with != null && !method.getName().equals("report")) {
            throw with;
        }
        if (isWrite) {
            writes.add(new Write(method.getName(), Arrays.asList(given)));
        }
        if (keepsTerminatingPods && method.getName().equals("delete") && given[0] instanceof Pod pod) {
            cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                    .ifPresent(known -> cluster.apply(known.withMetadata(known.metadata().toBuilder()
                            .deletionTimestamp(DELETED)
                            .build())));
            return null;
        }
        try {
            return method.invoke(cluster, given);
        } catch (InvocationTargetException failed) {
            throw failed.getCause() == null ? failed : failed.getCause();
        }
    }
}
