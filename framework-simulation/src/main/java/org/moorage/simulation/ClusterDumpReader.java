// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.objects.ClusterFiles;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecoder;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.plugin.PluginRegistry;

/**
 * Reads a {@link ClusterDump} object by object: the tree of an object is given up as soon as the object is decoded, unless the trees are
 * asked for. Only what depends on objects that may come later is kept as a tree until the end: pods that have no priority yet, and
 * claims.
 */
public final class ClusterDumpReader {
    /** Stands for an object that is decoded at the end. */
    private static final ClusterObject PENDING =
            new Namespace(ObjectMeta.named("pending").build());

    private final Set<KeptJson> json;
    private final FeatureGates features;
    private final ObjectDecoder decoder = new ObjectDecoder();
    private boolean createsEphemeralClaims;
    private boolean keepsTrees;

    /** A reader for the features that are on by default, that keeps no JSON text of objects. */
    public ClusterDumpReader() {
        json = KeptJson.NONE;
        features = FeatureGates.DEFAULTS;
    }

    /**
     * A reader.
     *
     * @param config which features are on, and which objects keep their JSON text
     * @param registry the plugins, which decide about that, too
     */
    public ClusterDumpReader(LoadedConfig config, PluginRegistry registry) {
        json = config.config().keptJson(registry);
        features = config.featureGates();
    }

    /** Also creates the claims that controllers create, see {@link EphemeralClaims}. */
    public ClusterDumpReader withEphemeralClaims() {
        createsEphemeralClaims = true;
        return this;
    }

    /** Also gives the objects as JSON texts, which need several times the memory of the objects. */
    public ClusterDumpReader withJson() {
        keepsTrees = true;
        return this;
    }

    /**
     * Reads a cluster as it is.
     *
     * @param sources files, folders, or {@code -} for stdin, see {@link ClusterFiles#read}
     * @param stdin is read for {@code -}
     * @throws org.moorage.objects.ClusterFileException if a source cannot be read, or an object is malformed
     * @throws org.moorage.objects.ObjectDecodeException if a value in an object is not what its type demands
     */
    public ClusterDump read(List<String> sources, InputStream stdin) {
        Reading reading = new Reading();
        ClusterFiles.read(sources, stdin, reading::add);
        return reading.end();
    }

    /** One reading of a dump. */
    private final class Reading {
        private final Admission admission = new Admission(features);
        private final EphemeralClaims claims = new EphemeralClaims();
        private final List<ObjectNode> trees = new ArrayList<>();
        private final List<ClusterObject> objects = new ArrayList<>();
        /** The trees of the objects that are pending, by their places. */
        private final Map<Integer, ObjectNode> pending = new LinkedHashMap<>();

        void add(ObjectNode tree) {
            admission.seen(tree);
            claims.seen(tree);
            if (keepsTrees) {
                trees.add(tree);
            }
            boolean isPending =
                    !Admission.isIndependent(tree) || createsEphemeralClaims && !EphemeralClaims.isIndependent(tree);
            if (isPending) {
                pending.put(objects.size(), tree);
            }
            objects.add(isPending ? PENDING : completed(tree));
        }

        private ClusterObject completed(ObjectNode tree) {
            admission.admit(tree);
            Defaulting.apply(tree, features);
            return decoder.decode(ObjectDecoder.kindOf(tree), tree, json);
        }

        ClusterDump end() {
            if (createsEphemeralClaims) {
                for (ObjectNode claim : claims.created()) {
                    pending.put(objects.size(), claim);
                    objects.add(PENDING);
                    if (keepsTrees) {
                        trees.add(claim);
                    }
                }
                pending.values().forEach(claims::addClass);
            }
            pending.forEach((place, tree) -> objects.set(place, completed(tree)));
            return new ClusterDump(trees.stream().map(ObjectNode::toString).toList(), objects);
        }
    }
}
