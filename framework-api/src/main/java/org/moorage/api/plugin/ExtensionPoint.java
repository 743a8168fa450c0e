// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

/** The extension points at which a profile calls plugins, in the order of kube-scheduler's configuration. */
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
    PLACEMENT_GENERATE("placementGenerate", PlacementGeneratePlugin.class),
    /** {@link PlacementScorePlugin}. */
    PLACEMENT_SCORE("placementScore", PlacementScorePlugin.class),
    /** {@link PodGroupPostFilterPlugin}. */
    POD_GROUP_POST_FILTER("podGroupPostFilter", PodGroupPostFilterPlugin.class);

    private final String field;
    private final Class<? extends Plugin> type;

    ExtensionPoint(String field, Class<? extends Plugin> type) {
        this.field = field;
        this.type = type;
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
