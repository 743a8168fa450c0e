// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.ReservePlugin;

/**
 * A plugin that randomly throws at many extension points, and makes pods with the label {@link #WAITS} wait for a
 * permit that may never come.
 */
final class UnreliablePlugin implements FilterPlugin, ReservePlugin, PermitPlugin, PreBindPlugin, PostBindPlugin {
    static final String NAME = "Unreliable";
    static final String WAITS = "waits-for-permit";

    private final Handle handle;
    private final Faults faults;
    private final RandomGenerator random;
    private final Set<String> seen = new HashSet<>();
    private final Map<String, Pod> rejected = new LinkedHashMap<>();

    private UnreliablePlugin(Handle handle, Faults faults, RandomGenerator random) {
        this.handle = handle;
        this.faults = faults;
        this.random = random;
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
    }

    // Throws an error that the boundary around plugins must not catch, once for each new pod, so that the change of the
    // cluster is not handled.
    private void podChanged(ObjectChange<Pod> change) {
        boolean isNew = change.after()
                .filter(pod -> !pod.isBound() && seen.add(pod.uid()))
                .isPresent();
        if (isNew && faults.happens(Faults.Kind.FAILED_HANDLER)) {
            throw new InternalError("thrown by the simulation");
        }
    }

    /** Returns the factory of the plugin, which passes each created plugin to a callback. */
    static PluginFactory<?> factory(Faults faults, RandomGenerator random, Consumer<UnreliablePlugin> made) {
        return PluginFactory.of(NAME, UnreliablePlugin.class, handle -> {
            UnreliablePlugin plugin = new UnreliablePlugin(handle, faults, random);
            made.accept(plugin);
            return plugin;
        });
    }

    /** Returns the objects of a watched kind, as the scheduler knows them. */
    <T extends ClusterObject> Collection<T> known(ObjectKind<T> kind) {
        return handle.cluster().lister(kind).all();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        if (faults.happens(Faults.Kind.FAILED_PLUGIN) && random.nextInt(8) == 0) {
            fail();
        }
        return Status.success();
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        if (faults.happens(Faults.Kind.FAILED_CYCLE)) {
            throw new InternalError("thrown by the simulation");
        }
        mayFail();
        return Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        mayFail();
    }

    @Override
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        mayFail();
        if (!pod.labels().containsKey(WAITS) || faults.areOver()) {
            return PermitResult.allow();
        }
        // The pod stays in the map if the wait times out.
        rejected.put(pod.uid(), pod);
        if (random.nextInt(6) == 0) {
            return PermitResult.rejected(Status.unschedulable("no permit"));
        }
        return PermitResult.waitAtMost(Duration.ofMillis(random.nextInt(1, 20_000)));
    }

    /** Retries the rejected pods, which no event would requeue. */
    void activateRejected() {
        handle.queue().activate(rejected.values());
    }

    /** Allows or rejects one of the pods that wait at Permit. */
    void answerOne() {
        handle.binding().waitingPods().stream().findFirst().ifPresent(waiting -> {
            if (random.nextInt(3) == 0) {
                waiting.reject(NAME, "no permit");
            } else {
                waiting.allow(NAME);
            }
        });
    }

    @Override
    public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
        return PreBindPreFlightResult.run();
    }

    @Override
    public Status preBind(CycleState state, Pod pod, String nodeName) {
        mayFail();
        return Status.success();
    }

    @Override
    public void postBind(CycleState state, Pod pod, String nodeName) {
        mayFail();
    }

    private void mayFail() {
        if (faults.happens(Faults.Kind.FAILED_PLUGIN)) {
            fail();
        }
    }

    private void fail() {
        switch (random.nextInt(3)) {
            case 0 -> throw new IllegalStateException("thrown by the simulation");
            case 1 -> throw new NoClassDefFoundError("thrown by the simulation");
            default -> throw new StackOverflowError("thrown by the simulation");
        }
    }
}
