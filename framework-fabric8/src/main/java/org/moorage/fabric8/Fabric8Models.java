// SPDX-License-Identifier: Apache-2.0
package org.moorage.fabric8;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.decode.ObjectDecoder;

/**
 * Converts between fabric8's models and the objects that scheduling reads.
 *
 * <p>The conversion to objects keeps only the fields that scheduling reads. The conversion back requires objects that
 * carry their JSON text, see {@link Pod#json}, since nothing else contains the other fields. For an object without JSON
 * text, look up the model by its name in an informer.
 *
 * <p>Convert all objects of one cluster with one instance, which shares their equal parts. Safe for use by several
 * threads.
 */
public final class Fabric8Models {
    private final ObjectDecoder decoder = new ObjectDecoder();
    private final KubernetesSerialization json;

    /**
     * Creates a converter that shares no values yet.
     *
     * @param json reads and writes the models: {@code KubernetesClient.getKubernetesSerialization()} or a new one
     */
    public Fabric8Models(KubernetesSerialization json) {
        this.json = json;
    }

    @SuppressWarnings("unchecked") // of texts, since it comes from an object in JSON
    static Map<String, Object> fields(KubernetesSerialization json, HasMetadata model) {
        return json.convertValue(model, Map.class);
    }

    /**
     * Returns the pod of a model.
     *
     * @throws ObjectDecodeException if a value in it cannot be read, such as an unknown quantity
     */
    public Pod pod(io.fabric8.kubernetes.api.model.Pod model) {
        return (Pod) object(model);
    }

    /** Returns the node of a model, like {@link #pod}. */
    public Node node(io.fabric8.kubernetes.api.model.Node model) {
        return (Node) object(model);
    }

    /**
     * Returns the object of a model of any kind, like {@link #pod}.
     *
     * @throws ObjectDecodeException also if the model names no kind
     */
    public ClusterObject object(HasMetadata model) {
        return decoder.decode(fields(model));
    }

    /** Returns the fields of a model as in its JSON. */
    public Map<String, ?> fields(HasMetadata model) {
        return fields(json, model);
    }

    /**
     * Returns the model of a pod; empty if the pod does not carry its JSON text.
     *
     * @throws ObjectDecodeException if the model cannot hold a value
     */
    public Optional<io.fabric8.kubernetes.api.model.Pod> model(Pod pod) {
        return pod.json().map(text -> model(text, io.fabric8.kubernetes.api.model.Pod.class));
    }

    /** Returns the model of a node, like {@link #model(Pod)}. */
    public Optional<io.fabric8.kubernetes.api.model.Node> model(Node node) {
        return node.json().map(text -> model(text, io.fabric8.kubernetes.api.model.Node.class));
    }

    /**
     * Returns the model of a JSON text.
     *
     * @throws ObjectDecodeException if the text is not JSON, or the model cannot hold a value
     */
    public <M> M model(String text, Class<M> type) {
        try {
            return json.unmarshal(text, type);
        } catch (KubernetesClientException e) {
            throw new ObjectDecodeException(type.getSimpleName() + ": " + e.getMessage());
        }
    }
}
