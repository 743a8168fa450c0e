// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;

/**
 * Completes pods in batches, in the order in which they are added, while the caller continues.
 *
 * @param <P> a pod as it was read
 */
final class CompletedPods<P> implements AutoCloseable {
    private static final int MOST_IN_BATCH = 64;

    private final Optional<Executor> executor;
    private final Function<P, ClusterObject> completion;
    // One batch is completed at a time.
    private final List<Completed> completed = new ArrayList<>();
    private final List<Failed<P>> failed = new ArrayList<>();
    private List<Added<P>> batch = new ArrayList<>(MOST_IN_BATCH);
    private @Nullable OrderedTasks tasks;

    private record Added<P>(int place, P pod, int problemsBefore) {}

    /** A pod that was completed, without the tree that it was read from. */
    record Completed(int place, ClusterObject object) {}

    /**
     * A pod that was not completed.
     *
     * @param problemsBefore the number of problems when it was added
     */
    record Failed<P>(P pod, int problemsBefore, RuntimeException failure) {}

    /**
     * Creates an instance without pods.
     *
     * @param executor completes pods on another thread; if empty, the caller completes them
     * @param completion completes a pod
     */
    CompletedPods(Optional<Executor> executor, Function<P, ClusterObject> completion) {
        this.executor = executor;
        this.completion = completion;
    }

    /**
     * Adds a pod, which the caller does not read any more once it adds the next one.
     *
     * @param place its place among the objects
     * @param problemsBefore the number of problems so far
     */
    void add(int place, P pod, int problemsBefore) {
        if (batch.size() == MOST_IN_BATCH) {
            List<Added<P>> full = batch;
            batch = new ArrayList<>(MOST_IN_BATCH);
            complete(full);
        }
        batch.add(new Added<>(place, pod, problemsBefore));
    }

    private void complete(List<Added<P>> pods) {
        if (tasks == null && executor.isPresent()) {
            tasks = OrderedTasks.on(executor.get());
        }
        if (tasks == null) {
            pods.forEach(this::complete);
        } else {
            tasks.add(() -> pods.forEach(this::complete));
        }
    }

    private void complete(Added<P> pod) {
        try {
            completed.add(new Completed(pod.place, completion.apply(pod.pod)));
        } catch (ObjectRefusedException | ClusterFileException | ObjectDecodeException wrong) {
            failed.add(new Failed<>(pod.pod, pod.problemsBefore, wrong));
        }
    }

    /** Returns once all pods are completed or have failed. */
    void finish() {
        if (tasks != null) {
            tasks.finish();
        }
        batch.forEach(this::complete);
        batch = new ArrayList<>();
    }

    /** Returns the completed pods, after {@link #finish}. */
    List<Completed> completed() {
        return completed;
    }

    /** Returns the failed pods, after {@link #finish}, in the order in which they were added. */
    List<Failed<P>> failed() {
        return failed;
    }

    @Override
    public void close() {
        if (tasks != null) {
            tasks.close();
        }
    }
}
