// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Container;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Prefers nodes that already have the pod's images. The size of an image is scaled by the share of nodes that have it,
 * so that pods do not all go to the few nodes that have it. Same decisions as kube-scheduler's ImageLocality.
 */
public final class ImageLocality implements ScorePlugin {
    /** The plugin's name. */
    public static final String NAME = "ImageLocality";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, ImageLocality.class, ImageLocality::new);

    private static final long MIB = 1L << 20;
    private static final long MIN_THRESHOLD = 23 * MIB;
    private static final long MAX_IMAGE_THRESHOLD = 1000 * MIB;

    private final Handle handle;
    // The names of the pod that was scored last, computed once and not for each node. They are not computed in PreScore
    // because kube-scheduler's ImageLocality has no PreScore, so configurations must not list it there.
    private volatile @Nullable ImageNames latest;

    private record ImageNames(PodSpec spec, List<String> names) {}

    ImageLocality(Handle handle) {
        this.handle = handle;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        List<String> names = namesOf(pod.spec());
        long sum = 0;
        for (int i = 0; i < names.size(); i++) {
            ImageState image = node.image(names.get(i));
            if (image.nodes() == 0) {
                continue;
            }
            int nodes = handle.snapshot().nodes().size();
            sum += (long) ((double) image.sizeBytes() * ((double) image.nodes() / (double) nodes));
        }
        if (sum <= MIN_THRESHOLD) {
            return 0;
        }
        long maxThreshold = MAX_IMAGE_THRESHOLD * names.size();
        return NodeScores.MAX * (Math.min(sum, maxThreshold) - MIN_THRESHOLD) / (maxThreshold - MIN_THRESHOLD);
    }

    @Override
    public Optional<ToLongFunction<NodeInfo>> nodeScorer(CycleState state, Pod pod) {
        // Most images are built for the pods that use them, and on no node before the first one runs.
        return isOnAnyNode(namesOf(pod.spec())) ? Optional.empty() : Optional.of(node -> 0);
    }

    private boolean isOnAnyNode(List<String> names) {
        Snapshot snapshot = handle.snapshot();
        for (String name : names) {
            if (snapshot.hasImage(name)) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("ReferenceEquality") // the same instance is enough, and quicker than comparing contents
    private List<String> namesOf(PodSpec spec) {
        ImageNames images = latest;
        if (images == null || images.spec() != spec) {
            images = new ImageNames(spec, normalizedNames(spec));
            latest = images;
        }
        return images.names();
    }

    private static List<String> normalizedNames(PodSpec spec) {
        List<String> names = new ArrayList<>();
        for (Container container : spec.initContainers()) {
            names.add(normalized(container.image()));
        }
        for (Container container : spec.containers()) {
            names.add(normalized(container.image()));
        }
        for (String image : spec.imageVolumes()) {
            names.add(normalized(image));
        }
        return List.copyOf(names);
    }

    // A colon before the last slash belongs to a port, not to a tag.
    private static String normalized(String image) {
        return image.lastIndexOf(':') <= image.lastIndexOf('/') ? image + ":latest" : image;
    }
}
