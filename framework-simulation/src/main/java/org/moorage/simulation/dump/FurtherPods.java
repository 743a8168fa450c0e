// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.moorage.api.model.Pod;
import org.moorage.simulation.admission.AdmittedPod;

/** The unlimited sequence of pods that a workload would get next if it were scaled up. Immutable. */
public final class FurtherPods {
    private final AdmittedPod first;
    private final boolean haveOwnClaims;
    private final IntFunction<Optional<AdmittedPod>> byNumber;

    /**
     * Creates them.
     *
     * @param first the first of them
     * @param haveOwnClaims whether each pod has its own claims
     * @param byNumber returns the pod with a number, from 0, and the claims that are created for it
     */
    private FurtherPods(AdmittedPod first, boolean haveOwnClaims, IntFunction<Optional<AdmittedPod>> byNumber) {
        this.first = first;
        this.haveOwnClaims = haveOwnClaims;
        this.byNumber = byNumber;
    }

    /** Returns copies of one pod, which differ in their names and in the claims that are created for them. */
    static FurtherPods copiesOf(AdmittedPod pod) {
        Objects.requireNonNull(pod, "pod");
        return new FurtherPods(pod, !pod.claims().isEmpty(), number -> Optional.of(pod.copy(number)));
    }

    /**
     * Returns copies of one pod, which have the names that the controller of the workload creates.
     *
     * @param names returns the name of the pod with a number, from 0; empty if the name is taken
     */
    static FurtherPods copiesOf(AdmittedPod pod, IntFunction<Optional<String>> names) {
        Objects.requireNonNull(pod, "pod");
        return new FurtherPods(
                pod, !pod.claims().isEmpty(), number -> names.apply(number).map(pod::copy));
    }

    /**
     * Returns the replicas of a StatefulSet with claim templates. The ordinal of a replica determines its claims, some
     * of which may exist already.
     */
    static Optional<FurtherPods> replicas(IntFunction<Optional<AdmittedPod>> byNumber) {
        return byNumber.apply(0).map(first -> new FurtherPods(first, true, byNumber));
    }

    /** Returns the same pods, each of them changed. */
    FurtherPods with(UnaryOperator<Pod> change) {
        return new FurtherPods(
                first.withPod(change.apply(first.pod())),
                haveOwnClaims,
                number -> byNumber.apply(number).map(pod -> pod.withPod(change.apply(pod.pod()))));
    }

    /** Returns the first of them. The others differ from it in their names and claims. */
    public AdmittedPod first() {
        return first;
    }

    /** Returns whether each pod has its own claims. If not, the pods are equivalent for a scheduler. */
    public boolean haveOwnClaims() {
        return haveOwnClaims;
    }

    /**
     * Returns one of them, with the claims that are created for it.
     *
     * @param number 0 or more
     * @return empty if it cannot be created, since its name is taken
     */
    public Optional<AdmittedPod> pod(int number) {
        return byNumber.apply(number);
    }
}
