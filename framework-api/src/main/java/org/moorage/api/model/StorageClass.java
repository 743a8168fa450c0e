// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Map;

/**
 * A storage class.
 *
 * @param metadata its name and the like
 * @param provisioner the provisioner of its volumes
 * @param volumeBindingMode {@link #IMMEDIATE} or {@link #WAIT_FOR_FIRST_CONSUMER}; empty if not set
 * @param allowedTopologies the nodes that volumes may be provisioned for, one of the terms must match; empty for all
 */
public record StorageClass(
        ObjectMeta metadata, String provisioner, String volumeBindingMode, List<NodeSelector.Term> allowedTopologies)
        implements ClusterObject {
    /** Claims are bound as soon as they are created. */
    public static final String IMMEDIATE = "Immediate";
    /** Claims are bound when a pod that uses them is scheduled. */
    public static final String WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer";
    /** The provisioner of classes without dynamic provisioning. */
    public static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    static final String BETA_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

    public StorageClass {
        allowedTopologies = List.copyOf(allowedTopologies);
    }

    /** Returns whether claims are bound when a pod that uses them is scheduled. */
    public boolean waitsForFirstConsumer() {
        return volumeBindingMode.equals(WAIT_FOR_FIRST_CONSUMER);
    }

    /** Returns whether volumes are provisioned dynamically. */
    public boolean hasProvisioner() {
        return !provisioner.isEmpty() && !provisioner.equals(NO_PROVISIONER);
    }

    /** Returns whether volumes may be provisioned for a node with these labels. */
    public boolean allows(Map<String, String> nodeLabels) {
        if (allowedTopologies.isEmpty()) {
            return true;
        }
        for (int i = 0; i < allowedTopologies.size(); i++) {
            if (allowedTopologies.get(i).matchesLabels(nodeLabels)) {
                return true;
            }
        }
        return false;
    }
}
