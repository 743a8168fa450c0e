// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.tree.ClusterFiles;

/**
 * The objects of a cluster, read from manifests or the output of {@code kubectl get}, and completed as the API server
 * does on creation: admission, then defaults.
 *
 * @param json the objects as JSON texts; empty unless they were asked for
 * @param objects the same objects, decoded, in the same order
 * @param notes a line for each skipped and each generated object
 * @param warnings a line for each possible mistake in the input
 * @param changes the recorded changes, in order; empty unless they were asked for
 */
public record ClusterDump(
        List<String> json,
        List<ClusterObject> objects,
        List<String> notes,
        List<String> warnings,
        List<RecordedChange> changes) {
    public ClusterDump {
        json = List.copyOf(json);
        objects = List.copyOf(objects);
        notes = List.copyOf(notes);
        warnings = List.copyOf(warnings);
        changes = List.copyOf(changes);
    }

    /**
     * Reads a cluster as it is, with the features that are on by default, and for plugins that do not ask for the JSON
     * text of objects.
     *
     * @param paths files, and folders with all the YAML and JSON files in them
     * @throws org.moorage.objects.ClusterFileException if a file cannot be read, or an object is malformed
     * @throws org.moorage.objects.ObjectDecodeException if a value in an object is not what its type demands
     */
    public static ClusterDump read(Path... paths) {
        List<String> sources = Stream.of(paths).map(Path::toString).toList();
        return new ClusterDumpReader().read(sources, InputStream.nullInputStream());
    }

    /**
     * Reads a cluster as it is, see {@link ClusterDumpReader}.
     *
     * @param sources files, folders, or {@code -} for stdin, see {@link ClusterFiles#read}
     * @param stdin is read for {@code -}
     * @param config which features are on, and which objects keep their JSON text
     * @param registry the plugins, which decide about that, too
     * @throws org.moorage.objects.ClusterFileException with all that is wrong: if a source cannot be read, or an object
     *     is malformed
     */
    public static ClusterDump read(
            List<String> sources, InputStream stdin, LoadedConfig config, PluginRegistry registry) {
        return new ClusterDumpReader(config, registry).read(sources, stdin);
    }

    /** The pods, bound or not, in order. */
    public List<Pod> pods() {
        List<Pod> pods = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof Pod pod) {
                pods.add(pod);
            }
        }
        return pods;
    }
}
