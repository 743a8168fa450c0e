// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

/**
 * How many decisions came to what.
 *
 * @param equal the chosen node was the only right choice here
 * @param ties it was one of several right choices
 * @param nominated the pod was scheduled to its nominated node, which is not compared with others
 * @param reordered the number of those that were made in another order than observed
 * @param waiting pods that are pending for both
 * @param sampling it may have been the best of the sampled nodes
 * @param differences no order explains it
 * @param fitsHere pods that are pending there and would fit here
 * @param unjudged members of groups, and pods that the plugins could not evaluate
 */
public record Verdicts(
        int equal,
        int ties,
        int nominated,
        int reordered,
        int waiting,
        int sampling,
        int differences,
        int fitsHere,
        int unjudged) {
    /** None yet. */
    static final Verdicts NONE = new Verdicts(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** How many bindings were judged. */
    public int judged() {
        return equal + ties + nominated + sampling + differences;
    }

    /** Whether each decision is explained. */
    public boolean areAllExplained() {
        return differences == 0 && fitsHere == 0;
    }

    Verdicts plusEqual() {
        return new Verdicts(equal + 1, ties, nominated, reordered, waiting, sampling, differences, fitsHere, unjudged);
    }

    Verdicts plusTie() {
        return new Verdicts(equal, ties + 1, nominated, reordered, waiting, sampling, differences, fitsHere, unjudged);
    }

    Verdicts plusNominated() {
        return new Verdicts(equal, ties, nominated + 1, reordered, waiting, sampling, differences, fitsHere, unjudged);
    }

    Verdicts plusReordered() {
        return new Verdicts(equal, ties, nominated, reordered + 1, waiting, sampling, differences, fitsHere, unjudged);
    }

    Verdicts plusWaiting() {
        return new Verdicts(equal, ties, nominated, reordered, waiting + 1, sampling, differences, fitsHere, unjudged);
    }

    Verdicts plusSampling() {
        return new Verdicts(equal, ties, nominated, reordered, waiting, sampling + 1, differences, fitsHere, unjudged);
    }

    Verdicts plusDifference() {
        return new Verdicts(equal, ties, nominated, reordered, waiting, sampling, differences + 1, fitsHere, unjudged);
    }

    Verdicts plusFitsHere() {
        return new Verdicts(equal, ties, nominated, reordered, waiting, sampling, differences, fitsHere + 1, unjudged);
    }

    Verdicts plusUnjudged() {
        return new Verdicts(equal, ties, nominated, reordered, waiting, sampling, differences, fitsHere, unjudged + 1);
    }
}
