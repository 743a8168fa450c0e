// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

/**
 * The number of matching pods in each topology domain of one constraint. Immutable.
 *
 * <p>AddPod and RemovePod change the count of one node's domain, so a changed copy shares the counts of the whole
 * cluster and has one change. The two lowest counts are kept, so that the minimum is known whichever domain changes.
 */
final class DomainCounts {
    private static final int NONE = -1;

    private final int[] counts;
    private final boolean[] isEligible;
    private final int eligibleDomains;
    private final int minimumDomain;
    private final int minimum;
    private final int secondMinimum;
    private final int changedDomain;
    private final int change;

    /** Counts by domain; domains that are not eligible have 0. Takes ownership of the arrays. */
    DomainCounts(int[] counts, boolean[] isEligible) {
        this.counts = counts;
        this.isEligible = isEligible;
        int eligible = 0;
        int domainOfFirst = NONE;
        int first = Integer.MAX_VALUE;
        int second = Integer.MAX_VALUE;
        for (int i = 0; i < counts.length; i++) {
            if (!isEligible[i]) {
                continue;
            }
            eligible++;
            if (counts[i] < first) {
                second = first;
                first = counts[i];
                domainOfFirst = i;
            } else if (counts[i] < second) {
                second = counts[i];
            }
        }
        eligibleDomains = eligible;
        minimumDomain = domainOfFirst;
        minimum = first;
        secondMinimum = second;
        changedDomain = NONE;
        change = 0;
    }

    private DomainCounts(DomainCounts other, int changedDomain, int change) {
        counts = other.counts;
        isEligible = other.isEligible;
        eligibleDomains = other.eligibleDomains;
        minimumDomain = other.minimumDomain;
        minimum = other.minimum;
        secondMinimum = other.secondMinimum;
        this.changedDomain = changedDomain;
        this.change = change;
    }

    /** Returns the count of a domain. */
    int of(int domain) {
        return domain == changedDomain ? counts[domain] + change : counts[domain];
    }

    /** Returns the number of eligible domains. */
    int eligibleDomains() {
        return eligibleDomains;
    }

    /** Returns the lowest count of an eligible domain; {@link Integer#MAX_VALUE} if no domain is eligible. */
    int minimum() {
        if (changedDomain == NONE) {
            return minimum;
        }
        return Math.min(changedDomain == minimumDomain ? secondMinimum : minimum, counts[changedDomain] + change);
    }

    /** Returns the counts with an amount added to an eligible domain. */
    DomainCounts plus(int domain, int amount) {
        if (changedDomain == NONE || changedDomain == domain) {
            return new DomainCounts(this, domain, change + amount);
        }
        int[] merged = counts.clone();
        merged[changedDomain] += change;
        return new DomainCounts(new DomainCounts(merged, isEligible), domain, amount);
    }
}
