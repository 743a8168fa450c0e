// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.guide;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.ReservePlugin;

/** The pods of a gang are bound together or not at all. */
public final class Gang implements ReservePlugin, PermitPlugin, EnqueueExtensions {
    static final String NAME = "Gang";
    static final String LABEL = "example.com/gang";

    static final PluginFactory<Args> FACTORY = PluginFactory.of(NAME, Gang.class, Args.class, Gang::new);

    /**
     * The arguments.
     *
     * @param size the number of pods of a gang
     * @param timeout how long the first pods wait in Permit for the others
     */
    public record Args(int size, Duration timeout) implements PluginArgs {
        public static final Args DEFAULTS = new Args(2, Duration.ofMinutes(1));

        @Override
        public void validate(Problems problems) {
            if (size < 2) {
                problems.at("size").invalid(size, "2 or more");
            }
            if (timeout.isNegative() || timeout.isZero()) {
                problems.at("timeout").invalid(timeout, "more than 0s");
            }
        }
    }

    private final Args args;
    private final Handle handle;
    private final ObjectLister<Pod> pods;

    Gang(Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        pods = handle.cluster().lister(ObjectKind.POD);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        return Status.success();
    }

    // region unreserve
    // A pod of the gang timed out in Permit or failed later: release the nodes that the others have reserved.
    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        for (WaitingPod waiting : waitingMembers(pod)) {
            waiting.reject(NAME, "another pod of the gang was rejected");
        }
    }
    // endregion

    // region permit
    @Override
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        if (!pod.labels().containsKey(LABEL)) {
            return PermitResult.allow();
        }
        List<WaitingPod> members = waitingMembers(pod);
        if (members.size() + 1 < args.size()) {
            // Retry rejected members without waiting for an event: this pod is what they lacked.
            handle.queue().activate(pendingMembers(pod));
            return PermitResult.waitAtMost(args.timeout());
        }
        members.forEach(member -> member.allow(NAME));
        return PermitResult.allow();
    }

    private List<Pod> pendingMembers(Pod pod) {
        List<Pod> members = new ArrayList<>();
        for (Pod other : pods.in(pod.namespace())) {
            if (!other.isBound() && !other.uid().equals(pod.uid()) && isSameGang(pod, other)) {
                members.add(other);
            }
        }
        return members;
    }

    private List<WaitingPod> waitingMembers(Pod pod) {
        List<WaitingPod> members = new ArrayList<>();
        for (WaitingPod waiting : handle.binding().waitingPods()) {
            if (isSameGang(pod, waiting.pod())) {
                members.add(waiting);
            }
        }
        return members;
    }

    private static boolean isSameGang(Pod first, Pod second) {
        String gang = first.labels().get(LABEL);
        return gang != null
                && gang.equals(second.labels().get(LABEL))
                && first.namespace().equals(second.namespace());
    }
    // endregion

    // Members are retried by permit; a changed label may move a pod to another gang.
    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(EventRegistration.of(
                ObjectKind.POD,
                Set.of(ActionType.UPDATE_POD_LABEL),
                (pod, change) -> Hint.queueIf(change.latest().uid().equals(pod.uid()))));
    }
}
