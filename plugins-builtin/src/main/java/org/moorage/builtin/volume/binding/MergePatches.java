// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.plugin.Patch;

/** What is written to the cluster. A patch names the version that it is for, so that it does not overwrite a newer one. */
final class MergePatches {
    private MergePatches() {}

    /** Binds a volume to a claim. */
    static Patch ofBinding(Reservation.Binding binding) {
        PersistentVolume volume = binding.after();
        PersistentVolumeClaim claim = binding.claim();
        String mark = volume.metadata().annotations().get(PersistentVolume.BOUND_BY_CONTROLLER);
        String annotations = mark == null ? "" : field(PersistentVolume.BOUND_BY_CONTROLLER, mark);
        String reference = field("apiVersion", "v1")
                + "," + field("kind", "PersistentVolumeClaim")
                + "," + field("namespace", claim.namespace())
                + "," + field("name", claim.name())
                + "," + field("uid", claim.metadata().uid())
                + version(claim.metadata());
        return Patch.merge("{\"metadata\":{\"annotations\":{" + annotations + "}" + version(volume.metadata())
                + "},\"spec\":{\"claimRef\":{" + reference + "}}}");
    }

    /** Has a volume made for a claim. */
    static Patch ofProvision(PersistentVolumeClaim claim) {
        String node =
                field(PersistentVolumeClaim.SELECTED_NODE, claim.selectedNode().orElseThrow());
        return Patch.merge("{\"metadata\":{\"annotations\":{" + node + "}" + version(claim.metadata()) + "}}");
    }

    private static String version(ObjectMeta metadata) {
        return metadata.resourceVersion().isEmpty() ? "" : "," + field("resourceVersion", metadata.resourceVersion());
    }

    private static String field(String name, String value) {
        return quoted(name) + ":" + quoted(value);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
