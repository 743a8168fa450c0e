// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.binding;

import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import java.util.Collection;
import java.util.Optional;
import org.mockito.stubbing.Answer;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.simulation.cluster.InMemoryCluster;

/** An in-memory cluster whose requests a test stubs, and whose watch it can freeze. */
final class FaultyCluster {
    private final InMemoryCluster cluster;
    private final Cluster api;
    private volatile boolean isWatchFrozen;
    private Optional<ClusterListener> listener = Optional.empty();

    FaultyCluster(InMemoryCluster cluster) {
        this.cluster = cluster;
        api = mock(Cluster.class, real());
        doAnswer(call -> {
                    ClusterListener target = call.getArgument(2);
                    listener = Optional.of(target);
                    cluster.watch(call.getArgument(0), call.getArgument(1), new Watch(target));
                    return null;
                })
                .when(api)
                .watch(any(), any(), any());
    }

    /** The cluster as a mock. A request without a stub is executed in the cluster. */
    Cluster api() {
        return api;
    }

    /** Executes a request in the cluster, for stubs that fail only sometimes. */
    Answer<Object> real() {
        return delegatesTo(cluster);
    }

    /** Stops the events of the watch. */
    void freezeWatch() {
        isWatchFrozen = true;
    }

    /** Resumes the watch and lists the pods. */
    void relist() {
        isWatchFrozen = false;
        listener.orElseThrow().replaced(ObjectKind.POD, cluster.all(ObjectKind.POD));
    }

    private final class Watch implements ClusterListener {
        private final ClusterListener target;

        Watch(ClusterListener target) {
            this.target = target;
        }

        @Override
        public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
            target.replaced(kind, objects);
        }

        @Override
        public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
            if (!isWatchFrozen) {
                target.applied(kind, object);
            }
        }

        @Override
        public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
            if (!isWatchFrozen) {
                target.deleted(kind, object);
            }
        }
    }
}
