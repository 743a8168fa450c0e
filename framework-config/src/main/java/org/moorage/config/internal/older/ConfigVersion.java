// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.older;

import java.util.Optional;
import org.moorage.config.internal.ConfigFormat;

/** An earlier version of kube-scheduler's configuration format, oldest first. */
enum ConfigVersion {
    /** Of Kubernetes 1.10 to 1.22, with a Policy or a provider in place of profiles. */
    V1ALPHA1,
    /** Of Kubernetes 1.18. */
    V1ALPHA2,
    /** Of Kubernetes 1.19 to 1.22. */
    V1BETA1,
    /** Of Kubernetes 1.22 to 1.27. */
    V1BETA2,
    /** Of Kubernetes 1.23 to 1.28. */
    V1BETA3;

    /** The first version's name until Kubernetes 1.11, with the same fields. */
    private static final String BEFORE_THE_GROUP = "componentconfig/v1alpha1";

    /** Returns the version of an {@code apiVersion}, if it is one of these. */
    static Optional<ConfigVersion> of(String apiVersion) {
        if (apiVersion.equals(BEFORE_THE_GROUP)) {
            return Optional.of(V1ALPHA1);
        }
        for (ConfigVersion version : values()) {
            if (version.apiVersion().equals(apiVersion)) {
                return Optional.of(version);
            }
        }
        return Optional.empty();
    }

    String apiVersion() {
        return ConfigFormat.GROUP + "/" + this;
    }

    boolean isBefore(ConfigVersion other) {
        return compareTo(other) < 0;
    }

    @Override
    public String toString() {
        return switch (this) {
            case V1ALPHA1 -> "v1alpha1";
            case V1ALPHA2 -> "v1alpha2";
            case V1BETA1 -> "v1beta1";
            case V1BETA2 -> "v1beta2";
            case V1BETA3 -> "v1beta3";
        };
    }
}
