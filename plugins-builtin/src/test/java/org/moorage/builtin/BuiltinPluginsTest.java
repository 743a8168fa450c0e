// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.testkit.PluginContract;

class BuiltinPluginsTest {
    static Iterable<PluginFactory<?>> all() {
        return BuiltinPlugins.all();
    }

    @ParameterizedTest
    @MethodSource("all")
    void eachKeepsTheContract(PluginFactory<?> factory) {
        PluginContract.verify(factory);
    }

    @Test
    void noTwoHaveOneName() {
        assertThat(BuiltinPlugins.all()).extracting(PluginFactory::name).doesNotHaveDuplicates();
    }
}
