// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.ClusterException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.internal.TreeDecoder;

/** Reads, creates and patches objects. What the API server answers with is the object as it is then. */
final class ObjectPatches {
    private final ApiServer server;
    private final TreeDecoder decoder;

    ObjectPatches(ApiServer server, TreeDecoder decoder) {
        this.server = server;
        this.decoder = decoder;
    }

    /** The object as it is now; empty if it is not there. */
    <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        String what = "read " + kind.kind() + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
        try {
            return Optional.of(decoded(what, kind, server.object(what, ApiServer.path(kind, namespace, name))));
        } catch (ClusterException failed) {
            if (failed.isNotFound()) {
                return Optional.empty();
            }
            throw failed;
        }
    }

    <T extends ClusterObject> T create(ObjectKind<T> kind, String namespace, ObjectNode object) {
        String what = "create " + kind.kind();
        String path = ApiServer.path(kind, namespace, "");
        return decoded(what, kind, server.changeObject(what, "POST", path, ApiServer.JSON, object));
    }

    /** Sends a JSON merge patch of an object, or of a subresource of it; that is empty for the object itself. */
    <T extends ClusterObject> T merge(
            ObjectKind<T> kind, String namespace, String name, String subresource, ObjectNode patch) {
        return patch(kind, namespace, name, subresource, ApiServer.JSON_MERGE, patch);
    }

    /** Sends a strategic merge patch of an object, or of a subresource of it; that is empty for the object itself. */
    <T extends ClusterObject> T mergeStrategically(
            ObjectKind<T> kind, String namespace, String name, String subresource, ObjectNode patch) {
        return patch(kind, namespace, name, subresource, ApiServer.STRATEGIC_MERGE, patch);
    }

    private <T extends ClusterObject> T patch(
            ObjectKind<T> kind,
            String namespace,
            String name,
            String subresource,
            String contentType,
            ObjectNode patch) {
        String what = "patch " + kind.kind() + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
        String path = ApiServer.path(kind, namespace, name) + (subresource.isEmpty() ? "" : "/" + subresource);
        return decoded(what, kind, server.changeObject(what, "PATCH", path, contentType, patch));
    }

    private <T extends ClusterObject> T decoded(String what, ObjectKind<T> kind, ObjectNode object) {
        try {
            return decoder.decode(kind, object, KeptJson.NONE);
        } catch (ObjectDecodeException e) {
            throw new ClusterException(what + ": " + e.getMessage(), 0, e);
        }
    }
}
