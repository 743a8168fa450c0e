// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import java.util.List;

/** How a configuration of kube-scheduler says what it is, and what it has at the top. */
public final class ConfigFormat {
    /** The group of the format, which all versions have. */
    public static final String GROUP = "kubescheduler.config.k8s.io";

    /** The version that is read; earlier ones are converted. */
    public static final String API_VERSION = GROUP + "/v1";

    /** The kind. */
    public static final String KIND = "KubeSchedulerConfiguration";

    /** What there is at the top. */
    public static final List<String> FIELDS = List.of(
            "apiVersion",
            "kind",
            "parallelism",
            "leaderElection",
            "clientConnection",
            "enableProfiling",
            "enableContentionProfiling",
            "percentageOfNodesToScore",
            "podInitialBackoffSeconds",
            "podMaxBackoffSeconds",
            "profiles",
            "extenders",
            "delayCacheUntilActive");

    /** The origin of what the configuration does not say. */
    public static final String DEFAULT_ORIGIN = "default";

    private ConfigFormat() {}
}
