// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

/**
 * How many pods count in each domain of a constraint. Immutable.
 *
 * <p>What is tried is tried on one node, so one domain's change is kept apart from the counts of the whole cluster. The two
 * lowest counts are known, so the lowest is at hand whichever domain changes.
 */
final class DomainCounts {
    private static final int NONE = -1;

    private final int[] counts;
    private final boolean[] isEligible;
    private final int eligible;
    private final int lowestDomain;
    private final int lowest;
    private final int secondLowest;
    private final int changedDomain;
    private final int change;

    /** Counts of domains; those that are not eligible count 0. Takes the arrays over. */
    DomainCounts(int[] counts, boolean[] isEligible) {
        this.counts = counts;
        this.isEligible = isEligible;
        int found = 0;
        int at = NONE;
        int first = Integer.MAX_VALUE;
        int second = Integer.MAX_VALUE;
        for (int i = 0; i < counts.length; i++) {
            if (!isEligible[i]) {
                continue;
            }
            found++;
            if (counts[i] < first) {
                second = first;
                first = counts[i];
                at = i;
            } else if (counts[i] < second) {
                second = counts[i];
            }
        }
        eligible = found;
        lowestDomain = at;
        lowest = first;
        secondLowest = second;
        changedDomain = NONE;
        change = 0;
    }

    private DomainCounts(DomainCounts other, int changedDomain, int change) {
        counts = other.counts;
        isEligible = other.isEligible;
        eligible = other.eligible;
        lowestDomain = other.lowestDomain;
        lowest = other.lowest;
        secondLowest = other.secondLowest;
        this.changedDomain = changedDomain;
        this.change = change;
    }

    /** The count of a domain. */
    int of(int domain) {
        return domain == changedDomain ? counts[domain] + change : counts[domain];
    }

    /** How many domains are eligible. */
    int eligible() {
        return eligible;
    }

    /** The lowest count of an eligible domain; the highest number there is if there is none. */
    int lowest() {
        if (changedDomain == NONE) {
            return lowest;
        }
        return Math.min(changedDomain == lowestDomain ? secondLowest : lowest, counts[changedDomain] + change);
    }

    /** The counts with some more in an eligible domain. */
    DomainCounts plus(int domain, int more) {
        if (changedDomain == NONE || changedDomain == domain) {
            return new DomainCounts(this, domain, change + more);
        }
        int[] settled = counts.clone();
        settled[changedDomain] += change;
        return new DomainCounts(new DomainCounts(settled, isEligible), domain, more);
    }
}
