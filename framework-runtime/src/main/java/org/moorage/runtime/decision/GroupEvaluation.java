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
 * Everything that an attempt at a group of pods finds: the answer to "would it be placed, and how far does it come?". Immutable.
 *
 * @param group the group, which has no parent
 * @param pods its pods that wait, and those of all groups below it, in the order in which they are tried
 * @param fits whether as many of them as it takes have a node; also if no pod waits
 * @param message what the conditions of its pod groups would say; empty if it fits
 * @param attempt what is found for the group and those below it; empty if it is not tried, for the reason that the message says, or since no
 *     pod waits
 * @param postFilter what the PodGroupPostFilter plugins say if it does not fit; empty if they are not asked
 * @param victims the pods that would have to leave to make room, if the plugins find that this helps
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
     * What is found for one group.
     *
     * @param group the group
     * @param needed how many of its members have to be placed together: of a pod group its pods, of a composite group the groups right
     *     below it
     * @param placedBefore how many of a pod group's pods have been placed before, which count
     * @param fits whether enough members are placed
     * @param message why not; empty if it fits
     * @param placements how far it comes in each placement, in the order in which they are tried
     * @param best more of the placement that it gets, or otherwise of the one in which it comes farthest: the first of those with the most
     *     members; empty if there is no placement
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
         * The groups on the way from this one to what stops it: of each composite group the child that was tried last, down to a pod group if
         * one was tried. Only this one if it fits.
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

        /** How many more of its members would have to be placed in the best placement; 0 if it fits, or there is no placement. */
        public int missing() {
            return fits
                    ? 0
                    : best.map(found -> needed - placedBefore - found.placement.placed)
                            .orElse(0);
        }
    }

    /**
     * How far a group comes in a placement.
     *
     * @param name the placement's name, such as the topology domain; empty for all nodes
     * @param nodes how many nodes it has
     * @param placed how many members have a place in it, those not counted that were placed before
     * @param pods how many pods have a node in it, those of all groups below included
     * @param fits whether these are enough
     * @param message why not; empty if it fits
     */
    public record Placement(String name, int nodes, int placed, int pods, boolean fits, String message) {}

    /**
     * More of one placement.
     *
     * @param placement how far the group comes in it
     * @param members what is found for each pod of a pod group that was tried in it, in their order
     * @param children what is found for each group right below a composite one that was tried in it, in their order
     * @param stop what stops a pod group in it; empty if it fits, or no pod was tried
     */
    public record Best(Placement placement, List<Member> members, List<Attempt> children, Optional<Stop> stop) {
        public Best {
            members = List.copyOf(members);
            children = List.copyOf(children);
        }
    }

    /**
     * What is found for a pod.
     *
     * @param pod the pod
     * @param nodeName the node; empty if there is none
     * @param message why there is none; otherwise empty
     */
    public record Member(Pod pod, String nodeName, String message) {}

    /**
     * The pod without which too few are left, and what it finds in the placement, with the pods before it in place.
     *
     * @param pod the last pod that was tried
     * @param message why it has no node
     * @param preFilterRejection the rejection of the pod as a whole, after which no node is looked at
     * @param objections what each filter that rejects a node answers, by the name of the node
     * @param free what is left of the resources that the pod requests, by the name of the node
     */
    public record Stop(
            Pod pod,
            String message,
            Optional<Rejection> preFilterRejection,
            Map<String, List<PluginStatus>> objections,
            Map<String, Resources> free) {
        public Stop {
            objections = SortedCopies.of(objections, List::copyOf);
            free = Collections.unmodifiableMap(new TreeMap<>(free));
        }
    }

    /** The {@linkplain Attempt#path way} from the group to what stops it; empty if it was not tried. */
    public List<Attempt> path() {
        return attempt.map(Attempt::path).orElse(List.of());
    }
}
