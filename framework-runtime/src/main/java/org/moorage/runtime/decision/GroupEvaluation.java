// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Resources;

/**
 * The result of a simulated attempt at a group of pods: the answer to "would it be scheduled, and if not, how far does
 * it get?". Immutable.
 *
 * @param group the group without a parent
 * @param pods the pending pods of the group and of all its descendants, in the order in which they are tried
 * @param fits whether enough of them have a node; also true if no pod is pending
 * @param message the message of the conditions of its pod groups; empty if it fits
 * @param attempt the result for the group and its descendants; empty if it is not tried, for the reason in the message,
 *     or since no pod is pending
 * @param postFilter the status of the PodGroupPostFilter plugins if it does not fit; empty if they do not run
 * @param victims the pods that would be preempted, if the plugins find that this helps
 */
public record GroupEvaluation(
        GroupKey group,
        List<Pod> pods,
        boolean fits,
        String message,
        Optional<Attempt> attempt,
        Optional<PluginStatus> postFilter,
        List<Pod> victims) {
    public GroupEvaluation {
        Objects.requireNonNull(group, "group");
        pods = List.copyOf(pods);
        Objects.requireNonNull(message, "message");
        victims = List.copyOf(victims);
    }

    /**
     * The result for one group.
     *
     * @param group the group
     * @param needed the number of members that must be placed together: pods of a pod group, direct children of a
     *     composite group
     * @param placedBefore the number of a pod group's pods that were placed before, which count toward the total
     * @param fits whether enough members are placed
     * @param message why not; empty if it fits
     * @param placements how far it gets in each placement, in the order in which they are tried
     * @param best details of the placement that it gets, or otherwise of the one in which it gets farthest: the first
     *     of those with the most members; empty if there is no placement
     */
    public record Attempt(
            GroupKey group,
            int needed,
            int placedBefore,
            boolean fits,
            String message,
            List<Placement> placements,
            Optional<Best> best) {
        public Attempt {
            placements = List.copyOf(placements);
        }

        /**
         * Returns the groups from this one down to the one that fails: of each composite group the child that was tried
         * last, down to a pod group if one was tried. Only this one if it fits.
         */
        public List<Attempt> path() {
            List<Attempt> path = new ArrayList<>();
            Optional<Attempt> next = Optional.of(this);
            while (next.isPresent()) {
                Attempt found = next.get();
                path.add(found);
                List<Attempt> below = found.best.map(Best::children).orElse(List.of());
                next = found.fits || below.isEmpty() ? Optional.empty() : Optional.of(below.get(below.size() - 1));
            }
            return path;
        }

        /** Returns how many members are missing in the best placement; 0 if it fits, or there is no placement. */
        public int missing() {
            return fits
                    ? 0
                    : best.map(found -> needed - placedBefore - found.placement.placed)
                            .orElse(0);
        }
    }

    /**
     * The result of a group in a placement.
     *
     * @param name the placement's name, such as the topology domain; empty for all nodes
     * @param nodes the number of its nodes
     * @param placed the number of members that are placed in it, without those that were placed before
     * @param pods the number of pods that have a node in it, including those of all descendants
     * @param fits whether enough members are placed
     * @param message why not; empty if it fits
     */
    public record Placement(String name, int nodes, int placed, int pods, boolean fits, String message) {}

    /**
     * Details of one placement.
     *
     * @param placement the result of the group in it
     * @param members the results of the pods of a pod group that were tried in it, in order
     * @param children the results of the direct children of a composite group that were tried in it, in order
     * @param stop the pod at which a pod group fails in it; empty if it fits, or no pod was tried
     */
    public record Best(Placement placement, List<Member> members, List<Attempt> children, Optional<Stop> stop) {
        public Best {
            members = List.copyOf(members);
            children = List.copyOf(children);
        }
    }

    /**
     * The result for a pod.
     *
     * @param pod the pod
     * @param nodeName the node; empty if there is none
     * @param message why there is none; otherwise empty
     */
    public record Member(Pod pod, String nodeName, String message) {}

    /**
     * The pod without which too few pods remain, and its result in the placement, with the pods before it assumed.
     *
     * @param pod the last pod that was tried
     * @param message why it has no node
     * @param preFilterRejection the rejection of the pod as a whole by PreFilter, after which no node is filtered
     * @param objections the statuses of all filters that reject a node, by node name
     * @param free the free amounts of the resources that the pod requests, by node name
     */
    public record Stop(
            Pod pod,
            String message,
            Optional<PluginStatus> preFilterRejection,
            Map<String, List<PluginStatus>> objections,
            Map<String, Resources> free) {
        public Stop {
            objections = SortedCopies.of(objections, List::copyOf);
            free = Collections.unmodifiableMap(new TreeMap<>(free));
        }
    }

    /** Returns the {@linkplain Attempt#path path} from the group to the one that fails; empty if it was not tried. */
    public List<Attempt> path() {
        return attempt.map(Attempt::path).orElse(List.of());
    }
}
