// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.guide;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;

/** Limits the number of scheduled pods of a team to the budget in a custom resource. */
public final class TeamBudget implements PreFilterPlugin, EnqueueExtensions {
    static final String NAME = "TeamBudget";
    static final Status SPENT = Status.unschedulable("team's budget of pods was spent");
    static final Status NO_BUDGET = Status.unresolvable("team had no budget");

    // region factory
    static final PluginFactory<Args> FACTORY = PluginFactory.of(NAME, TeamBudget.class, Args.class, TeamBudget::new);
    // endregion

    // region arguments
    /** What to do with the pods of a team without a budget. */
    public enum WithoutBudget {
        ADMIT,
        REJECT_POD
    }

    /**
     * The arguments.
     *
     * @param teamLabel the label of pods that names their team; required
     * @param withoutBudget what to do with the pods of a team without a budget
     */
    public record Args(String teamLabel, WithoutBudget withoutBudget) implements PluginArgs {
        public static final Args DEFAULTS = new Args("", WithoutBudget.ADMIT);

        @Override
        public void validate(Problems problems) {
            if (teamLabel.isBlank()) {
                problems.at("teamLabel").missing("the label that names a pod's team");
            }
        }
    }
    // endregion

    // region custom-resource
    static final ObjectKind<OtherObject> BUDGET = ObjectKind.other("example.com/v1", "Budget", "budgets", true);

    private final Args args;
    private final ObjectLister<OtherObject> budgets;
    private final ObjectLister<Pod> pods;

    TeamBudget(Args args, Handle handle) {
        this.args = args;
        // Requesting a lister makes the scheduler watch the kind.
        budgets = handle.cluster().lister(BUDGET);
        pods = handle.cluster().lister(ObjectKind.POD);
    }

    // The budget has the name of its team and is in the pod's namespace.
    private Optional<Long> mostPods(Pod pod, String team) {
        return budgets.get(pod.namespace(), team)
                .map(budget -> budget.fields().integer("spec", "maxPods").orElse(Long.MAX_VALUE));
    }
    // endregion

    @Override
    public String name() {
        return NAME;
    }

    // region pre-filter
    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        String team = team(pod);
        Optional<String> unknown = budgets.unavailable();
        if (unknown.isPresent()) {
            return PreFilterResult.rejected(Status.unresolvable("budgets are not known: " + unknown.get()));
        }
        Optional<Long> most = mostPods(pod, team);
        if (most.isEmpty()) {
            return args.withoutBudget() == WithoutBudget.ADMIT
                    ? PreFilterResult.skip()
                    : PreFilterResult.rejected(NO_BUDGET);
        }
        long bound = 0;
        for (Pod other : pods.in(pod.namespace())) {
            if (other.isBound() && team.equals(team(other))) {
                bound++;
            }
        }
        return bound < most.get() ? PreFilterResult.skip() : PreFilterResult.rejected(SPENT);
    }
    // endregion

    private String team(Pod pod) {
        return pod.labels().getOrDefault(args.teamLabel(), "");
    }

    // region events
    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(BUDGET, ActionType.ADD_OR_UPDATE, this::afterBudgetChange),
                EventRegistration.of(ObjectKind.POD, Set.of(ActionType.DELETE), this::afterPodDeleted));
    }

    private Hint afterBudgetChange(Pod pod, ObjectChange<OtherObject> change) {
        OtherObject budget = change.latest();
        return Hint.queueIf(
                budget.namespace().equals(pod.namespace()) && budget.name().equals(team(pod)));
    }

    private Hint afterPodDeleted(Pod pod, ObjectChange<Pod> change) {
        Pod gone = change.latest();
        return Hint.queueIf(gone.isBound()
                && gone.namespace().equals(pod.namespace())
                && team(gone).equals(team(pod)));
    }
    // endregion
}
