// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.simulation.admission.RecreatedPod;

/**
 * The pods of a node that {@code kubectl drain} evicts, by its flags of the same names. Pods of DaemonSets stay, as
 * with {@code --ignore-daemonsets}, without which kubectl drains no node that has one.
 *
 * @param force whether pods without a controller, and those of a missing DaemonSet, are evicted as well
 * @param deleteEmptyDirData whether pods that use an emptyDir are evicted as well
 * @param disableEviction whether pods are deleted, which no budget can refuse
 * @param selected the pods that are evicted; others stay
 * @param orphaned the pods whose DaemonSet no longer exists
 */
public record DrainRules(
        boolean force,
        boolean deleteEmptyDirData,
        boolean disableEviction,
        Predicate<Pod> selected,
        Predicate<Pod> orphaned) {
    /** The rules without optional flags: {@code kubectl drain --ignore-daemonsets}. */
    public static final DrainRules DEFAULTS = new DrainRules(false, false, false, any -> true, any -> false);

    private static final String DAEMON_SET = "ignoring DaemonSet-managed Pods";
    private static final String MIRROR = "static pod of the node";
    private static final String NOT_SELECTED = "not selected";
    private static final String LOCAL_STORAGE = "Pods with local storage (use --delete-emptydir-data to override)";
    private static final String UNMANAGED = "Pods that declare no controller (use --force to override)";

    public DrainRules {
        Objects.requireNonNull(selected, "selected");
        Objects.requireNonNull(orphaned, "orphaned");
    }

    /** The outcome of a pod that is not evicted, and the reason. */
    record Kept(DisruptedPod.Outcome outcome, String message) {}

    /** Returns why a pod is not evicted; empty if it is. */
    Optional<Kept> keeps(Pod pod) {
        if (!selected.test(pod)) {
            return Optional.of(new Kept(DisruptedPod.Outcome.NOT_SELECTED, NOT_SELECTED));
        }
        if (RecreatedPod.isMirror(pod)) {
            return Optional.of(new Kept(DisruptedPod.Outcome.DAEMON_PODS, MIRROR));
        }
        if (pod.status().isTerminal()) {
            return Optional.empty();
        }
        // kubectl reports only the first of several objections.
        if (RecreatedPod.isOfDaemonSet(pod)) {
            if (!orphaned.test(pod)) {
                return Optional.of(new Kept(DisruptedPod.Outcome.DAEMON_PODS, DAEMON_SET));
            }
            if (!force) {
                String name = pod.metadata().controller().orElseThrow().name();
                return Optional.of(refused("daemonsets.apps \"" + name + "\" not found"));
            }
        }
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
