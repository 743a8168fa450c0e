// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.help;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The heading under which the help of a command lists the options of a class. Options of other classes are the
 * command's own.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface OptionGroup {
    /** The heading. */
    Heading value();

    /** The headings, in the order in which a help lists them. */
    enum Heading {
        /** The cluster that a question is about. */
        CLUSTER("Cluster"),
        /** Changes of the cluster before the question. */
        WORKLOADS("Workloads"),
        /** The configuration, features and plugins of the scheduler. */
        SCHEDULER("Scheduler"),
        /** The connection to a running scheduler. */
        RUNNING_SCHEDULER("Running scheduler"),
        /** Leader election. */
        LEADER_ELECTION("Leader election"),
        /** Health, metrics and pages over HTTPS. */
        SERVING("Serving"),
        /** The format of the output. */
        OUTPUT("Output"),
        /** Flags of kube-scheduler that were removed or have no effect. */
        COMPATIBILITY("Compatibility");

        private final String title;

        Heading(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }
}
