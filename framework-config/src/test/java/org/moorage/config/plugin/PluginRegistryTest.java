// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;

class PluginRegistryTest {
    private record First(String name) implements Plugin {}

    private record Second(String name) implements Plugin {}

    private static final class SecondFactory implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return "Same";
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new Second(name());
        }
    }

    @Test
    void namesTheClassesOfTwoPluginsWithOneName() {
        PluginFactory<?> first = PluginFactory.of("Same", First.class, handle -> new First("Same"));
        PluginFactory<?> second = PluginFactory.of("Same", Second.class, handle -> new Second("Same"));
        assertThatThrownBy(() -> PluginRegistry.of(List.of(first, second)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("plugin \"Same\": registered by " + First.class.getName() + " and by "
                        + Second.class.getName() + " (expected: one factory for a name)");
    }

    @Test
    void namesAFactoryThatIsASeparateClass() {
        PluginFactory<?> first = PluginFactory.of("Same", First.class, handle -> new First("Same"));
        assertThatThrownBy(() -> PluginRegistry.of(List.of(first, new SecondFactory())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("plugin \"Same\": registered by " + First.class.getName() + " and by "
                        + SecondFactory.class.getName() + " (expected: one factory for a name)");
    }
}
