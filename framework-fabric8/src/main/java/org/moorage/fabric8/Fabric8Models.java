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
 * Objects as fabric8's client has them, and as scheduling reads them.
 *
 * <p>The way there keeps what scheduling reads. The way back is there for objects that carry their JSON text, see {@link Pod#json}: what
 * scheduling does not read is in no other place. Of an object without one, look up the model by its name in an informer.
 *
 * <p>Objects of one cluster should come from one of these, which shares their equal parts. Safe for use by several threads.
 */
public final class Fabric8Models {
    private final ObjectDecoder decoder = new ObjectDecoder();
    private final KubernetesSerialization json;

    /**
     * One that shares no values yet.
     *
     * @param json reads and writes the models, as {@code KubernetesClient.getKubernetesSerialization()} or a new one
     */
    public Fabric8Models(KubernetesSerialization json) {
        this.json = json;
    }

    @SuppressWarnings("unchecked") // of texts, since it comes from an object in JSON
    static Map<String, Object> fields(KubernetesSerialization json, HasMetadata model) {
        return json.convertValue(model, Map.class);
    }

    /**
     * The pod that a model is.
     *
     * @throws ObjectDecodeException if a value in it cannot be read, such as an unknown quantity
     */
    public Pod pod(io.fabric8.kubernetes.api.model.Pod model) {
        return (Pod) object(model);
    }

    /** As {@link #pod}, of a node. */
    public Node node(io.fabric8.kubernetes.api.model.Node model) {
        return (Node) object(model);
    }

    /**
     * As {@link #pod}, of any kind.
     *
     * @throws ObjectDecodeException also if it names no kind
     */
    public ClusterObject object(HasMetadata model) {
        return decoder.decode(fields(model));
    }

    /** The fields of a model as in its JSON. */
    public Map<String, ?> fields(HasMetadata model) {
        return fields(json, model);
    }

    /**
     * The model of a pod; empty if it does not carry its text.
     *
     * @throws ObjectDecodeException if the model has no place for a value
     */
    public Optional<io.fabric8.kubernetes.api.model.Pod> model(Pod pod) {
        return pod.json().map(text -> model(text, io.fabric8.kubernetes.api.model.Pod.class));
    }

    /** As {@link #model(Pod)}, of a node. */
    public Optional<io.fabric8.kubernetes.api.model.Node> model(Node node) {
        return node.json().map(text -> model(text, io.fabric8.kubernetes.api.model.Node.class));
    }

    /**
     * The model that a text in JSON is.
     *
     * @throws ObjectDecodeException if it is not JSON, or the model has no place for a value
     */
    public <M> M model(String text, Class<M> type) {
        try {
            return json.unmarshal(text, type);
        } catch (KubernetesClientException e) {
            throw new ObjectDecodeException(type.getSimpleName() + ": " + e.getMessage());
        }
    }
}
