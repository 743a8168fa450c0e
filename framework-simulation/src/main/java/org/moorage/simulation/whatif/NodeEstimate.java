// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/** The number of nodes of a type that the pending pods need. Immutable. */
public final class NodeEstimate {
    private final NodeTemplate type;
    private final int waiting;
    private final int placedBefore;
    private final int displaced;
    private final int lost;
    private final List<RescheduledPod> onOwnNodes;
    private final List<RescheduledPod> expendable;
    private final int nodes;
    private final int shownNodes;
    private final RescheduledPods pods;
    private final List<RescheduledPod> left;
    private final List<Attempt> tried;
    private final End end;
    private final boolean everyNumberTried;

    /**
     * An attempt.
     *
     * @param nodes the number of new nodes
     * @param left how many pods were unschedulable with them
     */
    public record Attempt(int nodes, int left) {}

    /** The reasons to end the search for more nodes. */
    public enum End {
        /** All pods fit. */
        ALL_FIT,
        /** More nodes do not help: every pod that is left was rejected by an empty new node in each of the zones. */
        NO_HELP,
        /** The maximum number of nodes; more may help. */
        LIMIT
    }

    /**
     * The result of a search.
     *
     * @param pods the pods that do not fit on the existing nodes
     */
    record Found(
            int nodes,
            int shownNodes,
            RescheduledPods pods,
            List<RescheduledPod> left,
            List<Attempt> tried,
            End end,
            boolean everyNumberTried) {
        static final Found NOTHING =
                new Found(0, 0, new RescheduledPods(List.of(), List.of()), List.of(), List.of(), End.ALL_FIT, true);
    }

    NodeEstimate(
            NodeTemplate type,
            int placedBefore,
            int displaced,
            int lost,
            List<RescheduledPod> onOwnNodes,
            List<RescheduledPod> expendable,
            int left,
            Found found) {
        this.type = type;
        waiting = placedBefore + left;
        this.placedBefore = placedBefore;
        this.displaced = displaced;
        this.lost = lost;
        this.onOwnNodes = List.copyOf(onOwnNodes);
        this.expendable = List.copyOf(expendable);
        nodes = found.nodes;
        shownNodes = found.shownNodes;
        pods = found.pods;
        this.left = List.copyOf(found.left);
        tried = List.copyOf(found.tried);
        end = found.end;
        everyNumberTried = found.everyNumberTried;
    }

    /** The type. */
    public NodeTemplate type() {
        return type;
    }

    /** Returns the number of pending pods that new nodes may help, including displaced pods. */
    public int waiting() {
        return waiting;
    }

    /** Returns the number of these pods that fit on the existing nodes. */
    public int placedBefore() {
        return placedBefore;
    }

    /** Returns the number of these pods that are pending only because others preempt them on the existing nodes. */
    public int displaced() {
        return displaced;
    }

    /** Returns the number of pods that are preempted on the existing nodes and that no controller recreates. */
    public int lost() {
        return lost;
    }

    /**
     * Returns the pods that do not fit on the only node that they may run on, such as those of DaemonSets; no new node
     * helps them.
     */
    public List<RescheduledPod> onOwnNodes() {
        return onOwnNodes;
    }

    /** Returns the expendable pods that do not fit on the existing nodes; no nodes are added for them. */
    public List<RescheduledPod> expendable() {
        return expendable;
    }

    /**
     * Returns the smallest tried number of nodes with which as many pods fit as with any tried number; 0 if new nodes
     * help no pod.
     */
    public int nodes() {
        return nodes;
    }

    /** Returns the number of new nodes with which {@link #pods} was tried: {@link #nodes}, or more if that is 0. */
    public int shownNodes() {
        return shownNodes;
    }

    /** Returns the results, with that many new nodes, of the pods that do not fit on the existing nodes. */
    public RescheduledPods pods() {
        return pods;
    }

    /** Returns the pods that do not fit even then, except for expendable pods. */
    public List<RescheduledPod> left() {
        return left;
    }

    /** Returns the number of pods that fit only with the new nodes. */
    public int placed() {
        return waiting - placedBefore - left.size();
    }

    /** The attempts, by number of nodes. */
    public List<Attempt> tried() {
        return tried;
    }

    /** The reason why the search ended. */
    public End end() {
        return end;
    }

    /** Returns whether every number of nodes was tried that might be a better result. */
    public boolean isEveryNumberTried() {
        return everyNumberTried;
    }

    /** Returns whether all pods fit, except for expendable pods. */
    public boolean isComplete() {
        return left.isEmpty() && onOwnNodes.isEmpty();
    }
}
