// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.app.internal.process.CommandException;

class FeatureGateOptionsTest {
    record Taken(String name, List<String> flags, String differs) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Taken[] TAKEN = {
        new Taken("nothing said", List.of(), ""),
        new Taken("what is the default anyway", List.of("SchedulerAsyncPreemption=true"), ""),
        new Taken("another value", List.of("SchedulerAsyncPreemption=false"), "SchedulerAsyncPreemption=false"),
        new Taken("the component's name", List.of("kube:SchedulerAsyncPreemption=F"), "SchedulerAsyncPreemption=false"),
        new Taken("blanks", List.of(" SchedulerAsyncPreemption = 0 ,"), "SchedulerAsyncPreemption=false"),
        new Taken(
                "the flag twice, the last counts",
                List.of("StorageCapacityScoring=true,SchedulerAsyncPreemption=false", "SchedulerAsyncPreemption=true"),
                "StorageCapacityScoring=true"),
        new Taken("a locked one as it is", List.of("SchedulerQueueingHints=true"), ""),
    };

    @ParameterizedTest
    @FieldSource("TAKEN")
    void takes(Taken c) {
        assertThat(FeatureGateOptions.parse(c.flags)).hasToString(c.differs);
    }

    record Refused(String flag, String message) {}

    static final Refused[] REFUSED = {
        new Refused("Foo=true", "unrecognized feature gate: Foo"),
        new Refused("Foo", "missing bool value for Foo"),
        new Refused("=true", "unrecognized feature gate: "),
        new Refused(
                "SchedulerQueueingHints=false",
                "cannot set feature gate SchedulerQueueingHints to false, feature is locked to true"),
        new Refused(
                "SchedulerAsyncPreemption=xx",
                "invalid value of SchedulerAsyncPreemption=xx (expected: true or false)"),
        new Refused("wardle:A=true", "component not registered: wardle (expected: kube)"),
        new Refused(
                "GangScheduling=true",
                "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]"),
        new Refused(
                "GangScheduling=true,WorkloadAwarePreemption=true,GenericWorkload=false,GangScheduling=false",
                "WorkloadAwarePreemption is enabled, but depends on features that are disabled: [GangScheduling]"),
    };

    @ParameterizedTest
    @FieldSource("REFUSED")
    void refuses(Refused c) {
        assertThatThrownBy(() -> FeatureGateOptions.parse(List.of(c.flag)))
                .isInstanceOf(CommandException.class)
                .hasMessage("--feature-gates: " + c.message);
    }

    @Test
    void turnsAWholeStageOnAndOff() {
        FeatureGates alpha = FeatureGateOptions.parse(List.of("AllAlpha=true,WorkloadWithJob=false"));
        assertThat(alpha.isEnabled("GenericWorkload")).isTrue();
        assertThat(alpha.isEnabled("WorkloadWithJob")).isFalse();
        assertThat(alpha.isEnabled("SchedulerAsyncAPICalls")).isFalse();
        FeatureGates beta = FeatureGateOptions.parse(List.of("AllBeta=false"));
        assertThat(beta.isEnabled(FeatureGates.SCHEDULER_ASYNC_PREEMPTION)).isFalse();
        assertThat(beta.isEnabled("DynamicResourceAllocation")).isTrue();
    }

    @Test
    void knowsAsManyGatesAsKubeScheduler() {
        assertThat(FeatureGates.DEFAULTS.all()).hasSize(239);
    }
}
