// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.plugin.builtin.VolumeWriter;

/** Sends changes of persistent volumes and their claims to the API server, as JSON merge patches. */
final class VolumeWrites implements VolumeWriter {
    private final ObjectPatches patches;

    VolumeWrites(ObjectPatches patches) {
        this.patches = patches;
    }

    @Override
    public PersistentVolume bind(PersistentVolume volume, PersistentVolumeClaim claim) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = patch.putObject("metadata");
        String mark = volume.boundTo(claim).metadata().annotations().get(PersistentVolume.BOUND_BY_CONTROLLER);
        if (mark != null) {
            metadata.putObject("annotations").put(PersistentVolume.BOUND_BY_CONTROLLER, mark);
        }
        putResourceVersion(metadata, volume.metadata());
        ObjectNode claimRef = patch.putObject("spec")
                .putObject("claimRef")
                .put("apiVersion", ObjectKind.PERSISTENT_VOLUME_CLAIM.apiVersion())
                .put("kind", ObjectKind.PERSISTENT_VOLUME_CLAIM.kind())
                .put("namespace", claim.namespace())
                .put("name", claim.name())
                .put("uid", claim.metadata().uid());
        putResourceVersion(claimRef, claim.metadata());
        return patches.merge(ObjectKind.PERSISTENT_VOLUME, "", volume.name(), "", patch);
    }

    @Override
    public PersistentVolumeClaim selectNode(PersistentVolumeClaim claim, String nodeName) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = patch.putObject("metadata");
        metadata.putObject("annotations").put(PersistentVolumeClaim.SELECTED_NODE, nodeName);
        putResourceVersion(metadata, claim.metadata());
        return patches.merge(ObjectKind.PERSISTENT_VOLUME_CLAIM, claim.namespace(), claim.name(), "", patch);
    }

    private static void putResourceVersion(ObjectNode json, ObjectMeta metadata) {
        if (!metadata.resourceVersion().isEmpty()) {
            json.put("resourceVersion", metadata.resourceVersion());
        }
    }
}
