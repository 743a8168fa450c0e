// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ResourceClaim;

class FirstClaimTest {
    private final List<Runnable> background = new ArrayList<>();
    private final DeviceSelectors selectors = new DeviceSelectors(DeviceFeatures.of(FeatureGates.DEFAULTS));
    private final FirstClaim first = new FirstClaim(
            background::add,
            ObjectTable.of(
                    DeviceObjects.deviceClass("gpu", "selectors: [{cel: {expression: \"device.driver == 'gpu'\"}}]")),
            selectors);

    private static ResourceClaim claim(String name, String expression) {
        return DeviceObjects.claim(
                name,
                DeviceObjects.requests(
                        DeviceObjects.exactly("a", "selectors: [{cel: {expression: \"" + expression + "\"}}]")));
    }

    @Test
    void compilesTheSelectorsOfTheFirstClaimAndOfItsClassOnce() {
        ResourceClaim claim = claim("c", "device.allowMultipleAllocations");
        first.changed(ObjectChange.deleted(claim));
        assertThat(background).isEmpty();

        first.changed(ObjectChange.added(claim));
        first.changed(ObjectChange.updated(claim, claim));
        first.changed(ObjectChange.added(claim("d", "true")));

        assertThat(background).hasSize(1);
        assertThat(selectors.compiledExpressions()).isEmpty();
        background.get(0).run();
        assertThat(selectors.compiledExpressions())
                .containsExactlyInAnyOrder("device.driver == 'gpu'", "device.allowMultipleAllocations");
    }

    @Test
    void leavesAnExpressionThatMakesNoSenseToThePodThatAsksForIt() {
        first.changed(ObjectChange.added(claim("c", "device.gone")));
        background.get(0).run();
        assertThat(selectors.compiledExpressions()).contains("device.gone");
    }
}
