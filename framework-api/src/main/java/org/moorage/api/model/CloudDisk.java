// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Objects;

/**
 * A volume of one of the clouds and storage systems that Kubernetes had drivers for before there was CSI.
 *
 * @param type whose it is
 * @param id what it is called there
 * @param kind for {@link Type#AZURE_DISK} {@code Shared}, {@code Dedicated} or {@code Managed}; otherwise empty
 * @param readOnly whether it is only read
 */
public record CloudDisk(Type type, String id, String kind, boolean readOnly) implements Volume.Source {
    /** Whose a volume is. */
    public enum Type {
        /** {@code awsElasticBlockStore}. */
        AWS_ELASTIC_BLOCK_STORE,
        /** {@code gcePersistentDisk}. */
        GCE_PERSISTENT_DISK,
        /** {@code azureDisk}. */
        AZURE_DISK,
        /** {@code azureFile}. */
        AZURE_FILE,
        /** {@code cinder}. */
        CINDER,
        /** {@code portworxVolume}. */
        PORTWORX,
        /** {@code vsphereVolume}. */
        VSPHERE
    }

    public CloudDisk {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(kind, "kind");
    }
}
