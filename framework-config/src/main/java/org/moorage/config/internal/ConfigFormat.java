// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import java.util.List;

/** The API version, kind and top-level fields of a kube-scheduler configuration. */
public final class ConfigFormat {
    /** The API group, which all versions share. */
    public static final String GROUP = "kubescheduler.config.k8s.io";

    /** The API version that is read; earlier versions are converted to it. */
    public static final String API_VERSION = GROUP + "/v1";

    /** The kind. */
    public static final String KIND = "KubeSchedulerConfiguration";

    /** The top-level fields. */
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

    /** The origin of settings that the configuration does not contain. */
    public static final String DEFAULT_ORIGIN = "default";

    private ConfigFormat() {}
}
