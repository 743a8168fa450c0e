// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Objects;

/**
 * A volume of an in-tree volume plugin that has been, or will be, migrated to a CSI driver.
 *
 * @param type the in-tree plugin
 * @param id the volume's identity in the storage system
 * @param kind for {@link Type#AZURE_DISK} {@code Shared}, {@code Dedicated} or {@code Managed}; otherwise empty
 * @param readOnly whether it is mounted read-only
 */
public record InTreeVolume(Type type, String id, String kind, boolean readOnly) implements Volume.Source {
    /** The in-tree plugins. */
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

    public InTreeVolume {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(kind, "kind");
    }
}
