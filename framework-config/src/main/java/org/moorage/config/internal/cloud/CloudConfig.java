// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.cloud;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.moorage.api.plugin.Problems;
import org.moorage.config.cloud.ConfigShape;
import org.moorage.config.internal.SourceTree;

/**
 * A configuration that may be of a cloud's shape, converted to one of kube-scheduler before it is read. Its values keep
 * their locations in the text, and messages name its fields as the text does.
 *
 * @param tree the configuration of kube-scheduler; without fields if the cloud's object was refused
 * @param shape the shape of the text
 * @param warnings settings that the cloud may not accept or ignores, one line each
 */
public record CloudConfig(SourceTree tree, ConfigShape shape, List<String> warnings) {
    public CloudConfig {
        warnings = List.copyOf(warnings);
    }

    /** Converts the tree to one of kube-scheduler if it is of a cloud's shape; any other tree stays unchanged. */
    public static CloudConfig read(SourceTree tree, Problems problems) {
        if (AksConfig.isShapeOf(tree)) {
            return AksConfig.read(tree, problems);
        }
        return EksConfig.isShapeOf(tree)
                ? EksConfig.read(tree, problems)
                : new CloudConfig(tree, ConfigShape.KUBE_SCHEDULER, List.of());
    }

    /**
     * Returns the settings of EKS for a configuration.
     *
     * @param changed the settings that differ from the defaults
     * @param effective the configuration with every default
     * @param problems receives the settings that EKS does not have
     */
    public static ObjectNode eks(ObjectNode changed, ObjectNode effective, Problems problems) {
        return EksConfig.write(changed, effective, problems);
    }

    /**
     * Returns the custom resource of AKS for a configuration.
     *
     * @param source the configuration of version v1
     * @param text the same as a text
     * @param name the name of the configuration, for warnings
     * @param warnings receives the settings that AKS may not accept, one line each
     * @param problems receives the settings that AKS refuses
     */
    public static ObjectNode aks(
            ObjectNode source, String text, String name, List<String> warnings, Problems problems) {
        return AksConfig.write(source, text, name, warnings, problems);
    }
}
