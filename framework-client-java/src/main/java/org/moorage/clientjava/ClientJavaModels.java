// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.decode.ObjectDecoder;

/**
 * Objects as client-java has them, and as scheduling reads them.
 *
 * <p>The way there keeps what scheduling reads. The way back is there for objects that carry their JSON text, see {@link Pod#json}: what
 * scheduling does not read is in no other place. Of an object without one, look up the model by its name in an informer.
 *
 * <p>Objects of one cluster should come from one of these, which shares their equal parts. Safe for use by several threads.
 */
public final class ClientJavaModels {
    private final ObjectDecoder decoder = new ObjectDecoder();

    /** One that shares no values yet. */
    public ClientJavaModels() {}

    /**
     * The pod that a model is.
     *
     * @throws ObjectDecodeException if a value in it cannot be read, such as an unknown quantity
     */
    public Pod pod(V1Pod model) {
        return (Pod) decoder.decode(ModelJson.fields(ObjectKind.POD, model));
    }

    /** As {@link #pod(V1Pod)}, of a node. */
    public Node node(V1Node model) {
        return (Node) decoder.decode(ModelJson.fields(ObjectKind.NODE, model));
    }

    /**
     * As {@link #pod(V1Pod)}, of any kind. A model of a kind that scheduling does not know must say its {@code apiVersion} and {@code kind}.
     *
     * @throws ObjectDecodeException also if it names no kind
     */
    public ClusterObject object(KubernetesObject model) {
        return decoder.decode(fields(model));
    }

    /**
     * The fields of a model as in its JSON: what an API server is sent, without the empty lists and maps that client-java sends, some of which
     * API servers refuse.
     */
    public Map<String, ?> fields(KubernetesObject model) {
        return ModelKinds.kind(model.getClass())
                .map(kind -> ModelJson.fields(kind, model))
                .orElseGet(() -> ModelJson.fields(model));
    }

    /**
     * The model of a pod; empty if it does not carry its text.
     *
     * @throws ObjectDecodeException if the model has no place for a value
     */
    public Optional<V1Pod> model(Pod pod) {
        return pod.json().map(json -> model(json, V1Pod.class));
    }

    /** As {@link #model(Pod)}, of a node. */
    public Optional<V1Node> model(Node node) {
        return node.json().map(json -> model(json, V1Node.class));
    }

    /**
     * The model that a text in JSON is. What the model does not have is left out, where client-java refuses the text.
     *
     * @throws ObjectDecodeException if it is not JSON, or the model has no place for a value
     */
    public <M> M model(String json, Class<M> type) {
        try {
            return ModelJson.read(json, type);
        } catch (IOException e) {
            throw new ObjectDecodeException(type.getSimpleName() + ": " + e.getMessage());
        }
    }
}
