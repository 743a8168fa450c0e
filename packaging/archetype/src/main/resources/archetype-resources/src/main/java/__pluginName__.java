package ${package};

import java.util.List;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;

/** A node with a certain label takes only pods that have the label with the same value. */
public final class ${pluginName} implements FilterPlugin, EnqueueExtensions {
    static final String NAME = "${pluginName}";
    static final Status RESERVED = Status.unresolvable("node(s) were reserved for other pods");

    /**
     * The arguments, as they stand in the configuration.
     *
     * @param label the label of nodes and pods
     */
    public record Args(String label) implements PluginArgs {
        public static final Args DEFAULTS = new Args("example.com/reserved-for");

        @Override
        public void validate(Problems problems) {
            if (label.isBlank()) {
                problems.at("label").missing("the label of nodes and pods");
            }
        }
    }

    private final Args args;

    ${pluginName}(Args args, Handle handle) {
        this.args = args;
        handle.logger().info("Nodes are reserved", "label", args.label());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        String reservedFor = node.node().labels().get(args.label());
        return reservedFor == null || reservedFor.equals(pod.labels().get(args.label())) ? Status.success() : RESERVED;
    }

    // Events that may make a rejected pod fit: a new node, or changed labels.
    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ObjectKind.NODE, Set.of(ActionType.ADD, ActionType.UPDATE_NODE_LABEL)),
                EventRegistration.always(ObjectKind.POD, Set.of(ActionType.UPDATE_POD_LABEL)));
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}, which is how the plugin is found. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new ${pluginName}(args, handle);
        }
    }
}
