// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.older;

import java.io.IOException;
import java.nio.file.Path;
import org.moorage.objects.TextFile;

/**
 * Finds the Policy that a configuration of version {@code v1alpha1} names. Called while the configuration is read, at
 * most once.
 */
public interface PolicyTexts {
    /**
     * The text of a Policy.
     *
     * @param text JSON or YAML
     * @param sourceName the name of its source, for messages and origins
     */
    record PolicyText(String text, String sourceName) {}

    /**
     * Returns the Policy in a file.
     *
     * @param path as in {@code algorithmSource.policy.file.path}
     * @throws IOException if it cannot be read; its message says why, in one line
     */
    default PolicyText file(String path) throws IOException {
        return new PolicyText(TextFile.read(Path.of(path)), path);
    }

    /**
     * Returns the Policy under the key {@code policy.cfg} of a ConfigMap.
     *
     * @param namespace as in {@code algorithmSource.policy.configMap.namespace}
     * @param name as in {@code algorithmSource.policy.configMap.name}
     * @param kubeconfig as in {@code clientConnection.kubeconfig}; empty if the configuration names none
     * @throws IOException if it cannot be read; its message says why, in one line
     */
    PolicyText configMap(String namespace, String name, String kubeconfig) throws IOException;

    /** Reads files, and no ConfigMap. */
    static PolicyTexts files() {
        return (namespace, name, kubeconfig) -> {
            throw new IOException("ConfigMaps are not read here");
        };
    }
}
