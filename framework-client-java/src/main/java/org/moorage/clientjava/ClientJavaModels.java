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
 * Converts between client-java's models and the objects that scheduling reads.
 *
 * <p>The conversion to objects keeps only the fields that scheduling reads. The conversion back requires objects that
 * carry their JSON text, see {@link Pod#json}, since nothing else contains the other fields. For an object without JSON
 * text, look up the model by its name in an informer.
 *
 * <p>Convert all objects of one cluster with one instance, which shares their equal parts. Safe for use by several
 * threads.
 */
public final class ClientJavaModels {
    private final ObjectDecoder decoder = new ObjectDecoder();

    /** Creates a converter that shares no values yet. */
    public ClientJavaModels() {}

    /**
     * Returns the pod of a model.
     *
     * @throws ObjectDecodeException if a value in it cannot be read, such as an unknown quantity
     */
    public Pod pod(V1Pod model) {
        return (Pod) decoder.decode(ModelJson.fields(ObjectKind.POD, model));
    }

    /** Returns the node of a model, like {@link #pod(V1Pod)}. */
    public Node node(V1Node model) {
        return (Node) decoder.decode(ModelJson.fields(ObjectKind.NODE, model));
    }

    /**
     * Returns the object of a model of any kind, like {@link #pod(V1Pod)}. A model of a kind that scheduling does not
     * know must have its {@code apiVersion} and {@code kind}.
     *
     * @throws ObjectDecodeException also if the model names no kind
     */
    public ClusterObject object(KubernetesObject model) {
        return decoder.decode(fields(model));
    }

    /**
     * Returns the fields of a model as in the JSON for an API server, without the empty lists and maps that client-java
     * sends, some of which API servers reject.
     */
    public Map<String, ?> fields(KubernetesObject model) {
        return ModelKinds.kind(model.getClass())
                .map(kind -> ModelJson.fields(kind, model))
                .orElseGet(() -> ModelJson.fields(model));
    }

    /**
     * Returns the model of a pod; empty if the pod does not carry its JSON text.
     *
     * @throws ObjectDecodeException if the model cannot hold a value
     */
    public Optional<V1Pod> model(Pod pod) {
        return pod.json().map(json -> model(json, V1Pod.class));
    }

    /** Returns the model of a node, like {@link #model(Pod)}. */
    public Optional<V1Node> model(Node node) {
        return node.json().map(json -> model(json, V1Node.class));
    }

    /**
     * Returns the model of a JSON text. Omits fields that the model does not have, where client-java rejects the text.
     *
     * @throws ObjectDecodeException if the text is not JSON, or the model cannot hold a value
     */
    public <M> M model(String json, Class<M> type) {
        try {
            return ModelJson.read(json, type);
        } catch (IOException e) {
            throw new ObjectDecodeException(type.getSimpleName() + ": " + e.getMessage());
        }
    }
}
