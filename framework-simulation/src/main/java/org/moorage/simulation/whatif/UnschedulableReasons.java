// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a message of a pod that finds no node says, whatever the numbers of nodes: pods that wait for the same are told of together. */
public final class UnschedulableReasons {
    private static final Pattern MESSAGE =
            Pattern.compile("0/[0-9]+ nodes are available: (.*?)\\.( preemption: .*)?", Pattern.DOTALL);

    private UnschedulableReasons() {}

    /**
     * The reasons, in the order of the alphabet: of {@code 0/9 nodes are available: 5 Insufficient cpu, 4 node(s) were unschedulable.} that is
     * {@code Insufficient cpu, node(s) were unschedulable}.
     *
     * @return the message itself if it is of another form
     */
    public static String of(String message) {
        Matcher matcher = MESSAGE.matcher(message);
        if (!matcher.matches()) {
            return message;
        }
        TreeSet<String> reasons = new TreeSet<>();
        for (String reason : matcher.group(1).split(", (?=[0-9]+ )", -1)) {
            reasons.add(reason.replaceFirst("^[0-9]+ ", ""));
        }
        return String.join(", ", reasons);
    }
}
