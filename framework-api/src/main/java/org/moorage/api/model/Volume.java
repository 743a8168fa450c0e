// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;

/**
 * A volume of a pod, of a sort that scheduling looks at.
 *
 * @param name its name within the pod
 * @param source where it comes from
 */
public record Volume(String name, Source source) {
    public Volume {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(source, "source");
    }

    /** Where a volume comes from. */
    public sealed interface Source permits Claim, EphemeralClaim, InTreeVolume, Iscsi, Rbd, InlineCsi {}

    /**
     * The claim of that name in the pod's namespace.
     *
     * @param claimName the claim's name
     */
    public record Claim(String claimName) implements Source {}

    /** A claim that is made for the pod alone, from a template. */
    public record EphemeralClaim() implements Source {}

    /**
     * A disk that is reached over the network by iSCSI.
     *
     * @param iqn its qualified name
     * @param readOnly whether the pod only reads it
     */
    public record Iscsi(String iqn, boolean readOnly) implements Source {}

    /**
     * An image of a Ceph block device.
     *
     * @param monitors the monitors of the Ceph cluster
     * @param pool the pool
     * @param image the image's name
     * @param readOnly whether the pod only reads it
     */
    public record Rbd(List<String> monitors, String pool, String image, boolean readOnly) implements Source {
        public Rbd {
            monitors = List.copyOf(monitors);
        }
    }

    /**
     * A volume that a storage driver makes for the pod on its node.
     *
     * @param driver the driver's name
     */
    public record InlineCsi(String driver) implements Source {}

    /** Whether it is a claim, the pod's own or another. */
    public boolean isClaim() {
        return source instanceof Claim || source instanceof EphemeralClaim;
    }

    /**
     * The name of the claim that it is for a pod.
     *
     * @throws IllegalStateException if it is not a claim
     */
    public String claimName(Pod pod) {
        if (source instanceof Claim claim) {
            return claim.claimName();
        }
        if (source instanceof EphemeralClaim) {
            return pod.name() + "-" + name;
        }
        throw new IllegalStateException("volume " + name + " (expected: a claim)");
    }
}
