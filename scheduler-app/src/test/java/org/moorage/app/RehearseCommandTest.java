// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RehearseCommandTest {
    @Test
    void endsWhenTheGeneratedPodsAreDecidedOn() {
        assertThat(CapturedRun.of("rehearse")).isEqualTo(new CapturedRun(0, "", ""));
    }

    @Test
    void isNoCommandToOffer() {
        assertThat(CapturedRun.of("--help").out()).doesNotContain("rehearse");
        assertThat(CapturedRun.of("rehears").err()).doesNotContain("rehearse");
    }
}
