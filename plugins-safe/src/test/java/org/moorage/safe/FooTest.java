// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import org.junit.jupiter.api.Test;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

/** The test to copy with {@link Foo}. */
class FooTest {
    @Test
    void acceptsEveryNodeWithTheSameScore() {
        PluginTester.of(new Foo.Factory())
                .cluster(Nodes.named("n1").build(), Nodes.named("n2").build())
                .pod(Pods.named("p").build())
                .accepts("n1", "n2")
                .scores("n1", 1)
                .scores("n2", 1);
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(new Foo.Factory());
    }
}
