// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.Signature;

/** What about a pod the plugins for volumes decide by. */
public final class VolumeSignature {
    private VolumeSignature() {}

    /**
     * The signature of a pod's volumes. Unlike kube-scheduler's it tells claims of one name in two namespaces apart, and
     * claims that are made for pods, so that pods of equal signatures do use the same volumes.
     */
    public static Signature of(Pod pod) {
        List<Volume> volumes = pod.spec().volumes();
        if (volumes.isEmpty()) {
            return Signature.of("volumes", List.of());
        }
        List<Object> parts = new ArrayList<>();
        for (Volume volume : volumes) {
            parts.add(volume.isClaim() ? pod.namespace() + "/" + volume.claimName(pod) : volume.source());
        }
        return Signature.of("volumes", List.copyOf(parts));
    }
}
