// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.simulation.admission.RecreatedPod;

/**
 * Which pods of a node {@code kubectl drain} evicts, by its flags of the same names. Pods of DaemonSets stay, as with
 * {@code --ignore-daemonsets}, without which it drains no node that has one.
 *
 * @param force whether pods without a controller are evicted, too
 * @param deleteEmptyDirData whether pods that use an emptyDir are evicted, too
 * @param disableEviction whether pods are deleted, which no budget can refuse
 * @param selected the pods that are evicted; others stay
 */
public record DrainRules(boolean force, boolean deleteEmptyDirData, boolean disableEviction, Predicate<Pod> selected) {
    /** None of the flags: {@code kubectl drain --ignore-daemonsets}. */
    public static final DrainRules DEFAULTS = new DrainRules(false, false, false, any -> true);

    private static final String DAEMON_SET = "ignoring DaemonSet-managed Pods";
    private static final String MIRROR = "static pod of the node";
    private static final String NOT_SELECTED = "not selected";
    private static final String LOCAL_STORAGE = "Pods with local storage (use --delete-emptydir-data to override)";
    private static final String UNMANAGED = "Pods that declare no controller (use --force to override)";

    public DrainRules {
        Objects.requireNonNull(selected, "selected");
    }

    /** What is not evicted, and why. */
    record Kept(DisruptedPod.Outcome outcome, String message) {}

    /** Why a pod is not evicted; empty if it is to be. */
    Optional<Kept> keeps(Pod pod) {
        if (!selected.test(pod)) {
            return Optional.of(new Kept(DisruptedPod.Outcome.LEFT, NOT_SELECTED));
        }
        if (RecreatedPod.isMirror(pod)) {
            return Optional.of(new Kept(DisruptedPod.Outcome.OF_NODE, MIRROR));
        }
        if (pod.status().isTerminal()) {
            return Optional.empty();
        }
        if (RecreatedPod.isOfDaemonSet(pod)) {
            return Optional.of(new Kept(DisruptedPod.Outcome.OF_NODE, DAEMON_SET));
        }
        // Of several objections kubectl tells the first.
        if (!deleteEmptyDirData && usesEmptyDir(pod)) {
            return Optional.of(refused(LOCAL_STORAGE));
        }
        if (!force && pod.metadata().controller().isEmpty()) {
            return Optional.of(refused(UNMANAGED));
        }
        return Optional.empty();
    }

    private static Kept refused(String which) {
        return new Kept(DisruptedPod.Outcome.REFUSED, "cannot delete " + which);
    }

    private static boolean usesEmptyDir(Pod pod) {
        for (Volume volume : pod.spec().volumes()) {
            if (volume.source() instanceof Volume.EmptyDir) {
                return true;
            }
        }
        return false;
    }
}
