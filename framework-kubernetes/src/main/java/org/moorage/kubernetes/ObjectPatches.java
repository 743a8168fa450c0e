// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.tree.KindVersions;
import org.moorage.objects.tree.TreeDecoder;

/**
 * Reads, creates, patches and deletes objects, in the API version that the server serves. Methods return the object
 * after the change.
 */
final class ObjectPatches {
    private final ApiServer server;
    private final ServedVersions versions;
    private final TreeDecoder decoder;

    ObjectPatches(ApiServer server, ServedVersions versions, TreeDecoder decoder) {
        this.server = server;
        this.versions = versions;
        this.decoder = decoder;
    }

    /** Returns the current object; empty if it does not exist. */
    <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        String what = what("read", kind, namespace, name);
        try {
            ObjectNode object =
                    versions.last(kind, version -> server.object(what, ApiServer.path(version, namespace, name)));
            return Optional.of(decoded(what, kind, object));
        } catch (ClusterException failed) {
            if (failed.isNotFound()) {
                return Optional.empty();
            }
            throw failed;
        }
    }

    <T extends ClusterObject> T create(ObjectKind<T> kind, String namespace, ObjectNode object) {
        String what = "create " + kind.kind();
        return decoded(
                what,
                kind,
                versions.last(
                        kind,
                        version -> server.changeObject(
                                what,
                                "POST",
                                ApiServer.path(version, namespace, ""),
                                ApiServer.JSON,
                                KindVersions.inVersion(object, version))));
    }

    /** Deletes an object; does nothing if it does not exist. */
    void delete(ObjectKind<?> kind, String namespace, String name) {
        String what = what("delete", kind, namespace, name);
        ObjectNode options = JsonNodeFactory.instance.objectNode();
        try {
            versions.last(kind, version -> {
                server.change(what, "DELETE", ApiServer.path(version, namespace, name), ApiServer.JSON, options);
                return true;
            });
        } catch (ClusterException failed) {
            if (!failed.isNotFound()) {
                throw failed;
            }
        }
    }

    /** Sends a JSON merge patch of an object or its subresource, which is empty for the object itself. */
    <T extends ClusterObject> T merge(
            ObjectKind<T> kind, String namespace, String name, String subresource, ObjectNode patch) {
        return patch(kind, namespace, name, subresource, ApiServer.JSON_MERGE, patch);
    }

    /** Sends a strategic merge patch of an object or its subresource, which is empty for the object itself. */
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
        String what = what("patch", kind, namespace, name);
        String below = subresource.isEmpty() ? "" : "/" + subresource;
        return decoded(
                what,
                kind,
                versions.last(
                        kind,
                        version -> server.changeObject(
                                what, "PATCH", ApiServer.path(version, namespace, name) + below, contentType, patch)));
    }

    private static String what(String verb, ObjectKind<?> kind, String namespace, String name) {
        return verb + " " + kind.kind() + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
    }

    private <T extends ClusterObject> T decoded(String what, ObjectKind<T> kind, ObjectNode object) {
        try {
            return decoder.decode(kind, object, KeptJson.NONE);
        } catch (ObjectDecodeException e) {
            throw new ClusterException(what + ": " + e.getMessage(), 0, e);
        }
    }
}
