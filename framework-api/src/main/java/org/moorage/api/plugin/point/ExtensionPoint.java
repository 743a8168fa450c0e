// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.Arrays;
import java.util.List;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementScorePlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;

/**
 * The extension points at which a profile calls plugins, in the order of kube-scheduler's configuration, which has a
 * field for each {@linkplain #configurable() but one}.
 */
public enum ExtensionPoint {
    /** {@link PreEnqueuePlugin}. */
    PRE_ENQUEUE("preEnqueue", PreEnqueuePlugin.class),
    /** {@link QueueSortPlugin}. */
    QUEUE_SORT("queueSort", QueueSortPlugin.class),
    /** {@link PreFilterPlugin}. */
    PRE_FILTER("preFilter", PreFilterPlugin.class),
    /** {@link FilterPlugin}. */
    FILTER("filter", FilterPlugin.class),
    /** {@link PostFilterPlugin}. */
    POST_FILTER("postFilter", PostFilterPlugin.class),
    /** {@link PreScorePlugin}. */
    PRE_SCORE("preScore", PreScorePlugin.class),
    /** {@link ScorePlugin}. */
    SCORE("score", ScorePlugin.class),
    /** {@link ReservePlugin}. */
    RESERVE("reserve", ReservePlugin.class),
    /** {@link PermitPlugin}. */
    PERMIT("permit", PermitPlugin.class),
    /** {@link PreBindPlugin}. */
    PRE_BIND("preBind", PreBindPlugin.class),
    /** {@link BindPlugin}. */
    BIND("bind", BindPlugin.class),
    /** {@link PostBindPlugin}. */
    POST_BIND("postBind", PostBindPlugin.class),
    /** {@link PlacementGeneratePlugin}. */
    @Experimental
    PLACEMENT_GENERATE("placementGenerate", PlacementGeneratePlugin.class),
    /**
     * {@link PlacementFeasiblePlugin}. Not configurable: as in kube-scheduler, each such plugin of a profile is called,
     * regardless of the points at which it is enabled.
     */
    @Experimental
    PLACEMENT_FEASIBLE("placementFeasible", PlacementFeasiblePlugin.class),
    /** {@link PlacementScorePlugin}. */
    @Experimental
    PLACEMENT_SCORE("placementScore", PlacementScorePlugin.class),
    /** {@link PodGroupPostFilterPlugin}. */
    @Experimental
    POD_GROUP_POST_FILTER("podGroupPostFilter", PodGroupPostFilterPlugin.class);

    private static final List<ExtensionPoint> CONFIGURABLE =
            Arrays.stream(values()).filter(point -> point != PLACEMENT_FEASIBLE).toList();

    private final String field;
    private final Class<? extends Plugin> type;

    ExtensionPoint(String field, Class<? extends Plugin> type) {
        this.field = field;
        this.type = type;
    }

    /** Returns the points at which a configuration enables plugins: all except {@link #PLACEMENT_FEASIBLE}. */
    public static List<ExtensionPoint> configurable() {
        return CONFIGURABLE;
    }

    /** Returns the name of the field of a profile's {@code plugins} in the configuration. */
    public String field() {
        return field;
    }

    /**
     * Returns the interface of the plugins that are called at this point. kube-scheduler's messages use its simple
     * name.
     */
    public Class<? extends Plugin> type() {
        return type;
    }
}
