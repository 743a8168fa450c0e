// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;

/**
 * A volume of a pod, of a type that scheduling reads, or that is lost with its node.
 *
 * @param name its name within the pod
 * @param source its source
 */
public record Volume(String name, Source source) {
    public Volume {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(source, "source");
    }

    /** The source of a volume. */
    public sealed interface Source
            permits Claim, EphemeralClaim, InTreeVolume, Iscsi, Rbd, InlineCsi, EmptyDir, HostPath {}

    /**
     * A persistent volume claim in the pod's namespace.
     *
     * @param claimName the claim's name
     */
    public record Claim(String claimName) implements Source {}

    /** A generic ephemeral volume, whose claim is created for the pod. */
    public record EphemeralClaim() implements Source {}

    /**
     * An iSCSI disk.
     *
     * @param iqn the iSCSI qualified name of the target
     * @param readOnly whether it is mounted read-only
     */
    public record Iscsi(String iqn, boolean readOnly) implements Source {}

    /**
     * A Ceph RADOS block device.
     *
     * @param monitors the monitors of the Ceph cluster
     * @param pool the pool
     * @param image the image's name
     * @param readOnly whether it is mounted read-only
     */
    public record Rbd(List<String> monitors, String pool, String image, boolean readOnly) implements Source {
        public Rbd {
            monitors = List.copyOf(monitors);
        }
    }

    /**
     * A CSI ephemeral volume.
     *
     * @param driver the driver's name
     */
    public record InlineCsi(String driver) implements Source {}

    /**
     * A directory that is deleted with the pod.
     *
     * @param medium the storage medium; {@code Memory}, or empty for the node's default
     */
    public record EmptyDir(String medium) implements Source {}

    /** A file or directory of the node. */
    public record HostPath() implements Source {}

    /** Returns whether it is a persistent volume claim or a generic ephemeral volume. */
    public boolean isClaim() {
        return source instanceof Claim || source instanceof EphemeralClaim;
    }

    /**
     * Returns the name of its claim.
     *
     * @throws IllegalStateException if it has no claim
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
