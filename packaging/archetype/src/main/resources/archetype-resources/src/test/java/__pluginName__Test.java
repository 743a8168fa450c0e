package ${package};

import org.junit.jupiter.api.Test;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class ${pluginName}Test {
    private static final String LABEL = "example.com/reserved-for";
    private static final Node RESERVED = Nodes.named("reserved").label(LABEL, "batch").build();
    private static final Node FREE = Nodes.named("free").build();

    private static final PluginTester PLUGIN = PluginTester.of(new ${pluginName}.Factory()).cluster(RESERVED, FREE);

    @Test
    void keepsOtherPodsOffReservedNodes() {
        PLUGIN.pod(Pods.named("p").label(LABEL, "batch").build()).accepts("reserved", "free");
        PLUGIN.pod(Pods.named("p").build()).rejects("reserved", ${pluginName}.RESERVED).accepts("free");
    }

    @Test
    void hasPodsTriedAgainWhenNodesChangeTheirLabels() {
        Node freed = Nodes.named("reserved").build();
        PLUGIN.pod(Pods.named("p").build()).hint(ObjectChange.updated(RESERVED, freed), Hint.QUEUE);
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(new ${pluginName}.Factory());
    }
}
