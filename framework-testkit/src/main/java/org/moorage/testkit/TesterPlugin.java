// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Trial;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;

/**
 * The tester's plugin, which runs alongside the one under test. It is the first filter and the last plugin at the other
 * points, and does what a test requires: restricts the cycle to one node, simulates pods on nodes as preemption does,
 * makes a pod wait in Permit, binds.
 */
final class TesterPlugin implements FilterPlugin, PermitPlugin, BindPlugin, EnqueueExtensions {
    static final String NAME = "PluginTester";
    private static final Status OTHER_NODE = Status.unresolvable("node(s) were not the one that the test asks for");
    private static final Duration LONG = Duration.ofMinutes(15);

    private final Handle handle;
    private Optional<String> onlyNode = Optional.empty();
    private boolean waits;
    private Optional<BiConsumer<CycleState, Pod>> question = Optional.empty();

    TesterPlugin(Handle handle) {
        this.handle = handle;
    }

    /** A simulated addition or removal of a pod. */
    record TrialChange(String nodeName, Pod pod, Action action) {
        /** The kind of change. */
        enum Action {
            ADD,
            REMOVE
        }
    }

    /** Restricts the cycle to this node; allows all nodes if empty. */
    void leave(Optional<String> nodeName) {
        onlyNode = nodeName;
    }

    /** Sets whether pods wait in Permit from now on. */
    void hold(boolean value) {
        waits = value;
    }

    /** Runs an action in the next cycle, with its state, after PreFilter and before the first Filter. */
    void inNextCycle(BiConsumer<CycleState, Pod> asked) {
        question = Optional.of(asked);
    }

    /** Discards the pending action: a cycle may end before the first Filter. */
    void askNothing() {
        question = Optional.empty();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        if (question.isPresent()) {
            BiConsumer<CycleState, Pod> asked = question.get();
            // Cleared first: filters that the action runs must not run it again.
            question = Optional.empty();
            asked.accept(state, pod);
        }
        return onlyNode.isEmpty() || onlyNode.get().equals(node.name()) ? Status.success() : OTHER_NODE;
    }

    /** Returns the filters' results for each node after these simulated changes, as in preemption. */
    Map<String, Status> onTrial(List<TrialChange> wanted, CycleState original, Pod pod) {
        Trial trial = handle.preemption().trial(original, pod);
        for (TrialChange change : wanted) {
            switch (change.action()) {
                case ADD -> trial.assume(change.pod(), change.nodeName());
                case REMOVE -> trial.remove(change.pod(), change.nodeName());
            }
        }
        Map<String, Status> answers = new TreeMap<>();
        for (NodeInfo node : trial.snapshot().nodes()) {
            answers.put(node.name(), handle.preemption().filterWithNominatedPods(trial.state(), pod, node));
        }
        return answers;
    }

    @Override
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        return waits ? PermitResult.waitAtMost(LONG) : PermitResult.allow();
    }

    @Override
    public Status bind(CycleState state, Pod pod, String nodeName) {
        handle.cluster().writer().bind(pod, nodeName);
        return Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of();
    }
}
