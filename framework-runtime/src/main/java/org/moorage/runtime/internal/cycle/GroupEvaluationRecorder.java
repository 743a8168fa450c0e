// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.runtime.decision.GroupEvaluation.Attempt;
import org.moorage.runtime.decision.GroupEvaluation.Best;
import org.moorage.runtime.decision.GroupEvaluation.Member;
import org.moorage.runtime.decision.GroupEvaluation.Placement;
import org.moorage.runtime.decision.GroupEvaluation.Stop;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.TrialSnapshot;

/**
 * Records how far an attempt at a group came in each placement, and the details of the best placement. The calls are in
 * order, and those for a group are nested in those for its parent.
 */
public final class GroupEvaluationRecorder {
    /** How much is recorded. */
    public enum Detail {
        /** How far it came, and the pod that stopped it. */
        PROGRESS,
        /**
         * Also the result of each pod and, for the pod that stopped it, the rejections and the free resources of each
         * node.
         */
        ALL
    }

    private final Detail detail;
    private final Deque<Frame> frames = new ArrayDeque<>();
    private @Nullable Attempt root;

    /** A group that is being tried. */
    private static final class Frame {
        private final GroupTree group;
        private final List<Placement> placements = new ArrayList<>();
        // By placement number: the details of each placement that fits, and of the one in which the group came farthest
        // so far.
        private final Map<Integer, Best> found = new HashMap<>();
        private int farthest = -1;
        private int chosen = -1;
        private final int placedBefore;
        // The placement that is being tried.
        private String name = "";
        private int nodes;
        private List<Attempt> children = new ArrayList<>();
        private @Nullable Stop stop;

        Frame(GroupTree group, int placedBefore) {
            this.group = group;
            this.placedBefore = placedBefore;
        }
    }

    public GroupEvaluationRecorder(Detail detail) {
        this.detail = detail;
    }

    /** Returns the attempt at the root group; empty if none was made. */
    public Optional<Attempt> attempt() {
        return Optional.ofNullable(root);
    }

    private Frame frame() {
        return Objects.requireNonNull(frames.peek());
    }

    /** Begins a group, of which that many pods were scheduled before. */
    void began(GroupTree group, int placedBefore) {
        frames.push(new Frame(group, placedBefore));
    }

    /** Begins a placement of the group, with that many nodes; its name is empty for all nodes. */
    void beganPlacement(String placement, int nodes) {
        Frame frame = frame();
        frame.name = placement;
        frame.nodes = nodes;
        frame.children = new ArrayList<>();
        frame.stop = null;
    }

    /**
     * Records that the attempt stopped: too few pods are left for the group to be feasible, or enough pods were scheduled
     * before and none of the others fits a node.
     *
     * @param last the pod that was tried last, for which there is no node
     * @param snapshot the nodes, with the pods before it in place
     */
    void stopped(MemberResult last, TrialSnapshot snapshot) {
        Optional<PluginStatus> preFilterRejection = Optional.empty();
        Map<String, List<PluginStatus>> objections = new HashMap<>();
        Map<String, Resources> free = new HashMap<>();
        if (detail == Detail.ALL && last.found() != null) {
            PodAttempt attempt = PodAttempt.of(last.state());
            PodFilters filters = attempt.filters();
            PluginStatus rejection = attempt.rejection();
            if (rejection != null && rejection.isRejection()) {
                preFilterRejection = Optional.of(rejection);
            }
            for (NodeInfo node : snapshot.candidates()) {
                if (rejection == null) {
                    List<PluginStatus> ofNode = filters.objections(node);
                    if (!ofNode.isEmpty()) {
                        objections.put(node.name(), ofNode);
                    }
                }
                free.put(
                        node.name(),
                        free(
                                filters.nodeWithNominatedPods(node),
                                last.pod().spec().requests()));
            }
        }
        frame().stop = new Stop(last.pod(), last.message().text(), preFilterRejection, objections, free);
    }

    private static Resources free(NodeInfo node, Resources wanted) {
        Map<String, Long> scalars = new HashMap<>();
        for (int i = 0; i < wanted.scalarCount(); i++) {
            scalars.put(wanted.scalarName(i), free(node, ResourceName.of(wanted.scalarName(i))));
        }
        return Resources.of(
                free(node, ResourceName.CPU),
                free(node, ResourceName.MEMORY),
                free(node, ResourceName.EPHEMERAL_STORAGE),
                scalars);
    }

    private static long free(NodeInfo node, ResourceName resource) {
        return Math.max(0, node.allocatable(resource) - node.requested(resource));
    }

    /** Ends a placement. */
    void endedPlacement(GroupResult result) {
        Frame frame = frame();
        boolean fits = result.status().isSuccess();
        int placed = 0;
        int pods = 0;
        for (MemberResult member : result.members()) {
            placed += member.isScheduled() ? 1 : 0;
        }
        pods += placed;
        for (Attempt child : frame.children) {
            placed += child.fits() ? 1 : 0;
            pods += child.best().map(best -> best.placement().pods()).orElse(0);
        }
        Placement placement = new Placement(
                frame.name, frame.nodes, placed, pods, fits, result.status().message());
        int number = frame.placements.size();
        frame.placements.add(placement);
        boolean isFarthest = frame.farthest < 0 || isFarther(placement, frame.placements.get(frame.farthest));
        if (isFarthest) {
            Best before = frame.found.get(frame.farthest);
            if (before != null && !before.placement().fits()) {
                frame.found.remove(frame.farthest);
            }
            frame.farthest = number;
        }
        if (isFarthest || fits) {
            frame.found.put(
                    number, new Best(placement, members(result), frame.children, Optional.ofNullable(frame.stop)));
        }
    }

    private static boolean isFarther(Placement placement, Placement than) {
        return placement.placed() > than.placed()
                || placement.placed() == than.placed() && placement.pods() > than.pods();
    }

    private List<Member> members(GroupResult result) {
        List<Member> members = new ArrayList<>();
        if (detail == Detail.ALL) {
            for (MemberResult member : result.members()) {
                members.add(new Member(
                        member.pod(),
                        member.isScheduled() ? member.nodeName() : "",
                        member.message().text()));
            }
        }
        return members;
    }

    /** Records which of the placements that were tried was chosen. */
    void chose(int placement) {
        frame().chosen = placement;
    }

    /** Ends a group; later calls are about its parent. */
    void ended(GroupResult result) {
        Frame frame = frames.pop();
        boolean fits = result.status().code() == Code.SUCCESS;
        Attempt attempt = new Attempt(
                frame.group.key(),
                frame.group.group().minimum(),
                frame.placedBefore,
                fits,
                result.status().message(),
                frame.placements,
                Optional.ofNullable(frame.found.get(frame.chosen >= 0 ? frame.chosen : frame.farthest)));
        Frame parent = frames.peek();
        if (parent == null) {
            root = attempt;
        } else {
            parent.children.add(attempt);
        }
    }
}
