// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.process.CommandException;
import picocli.CommandLine;

class FeatureGateOptionsTest {
    record Taken(String name, List<String> flags, String differs) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Taken[] TAKEN = {
        new Taken("nothing said", List.of(), ""),
        new Taken("what is the default anyway", gates("SchedulerAsyncPreemption=true"), ""),
        new Taken("another value", gates("SchedulerAsyncPreemption=false"), "SchedulerAsyncPreemption=false"),
        new Taken("the component's name", gates("kube:SchedulerAsyncPreemption=F"), "SchedulerAsyncPreemption=false"),
        new Taken("blanks", gates(" SchedulerAsyncPreemption = 0 ,"), "SchedulerAsyncPreemption=false"),
        new Taken(
                "the flag twice, the last counts",
                gates("StorageCapacityScoring=false,SchedulerAsyncPreemption=false", "SchedulerAsyncPreemption=true"),
                "StorageCapacityScoring=false"),
        new Taken("a locked one as it is", gates("DRAExtendedResource=true"), ""),
        new Taken(
                "what is locked now and was not then",
                List.of("--emulated-version=1.36", "--feature-gates=DRAExtendedResource=false"),
                "DRAExtendedResource=false"),
        new Taken(
                "a default of then set to that of now, before the version is said",
                List.of("--feature-gates=StorageCapacityScoring=true", "--emulated-version=v1.36"),
                "StorageCapacityScoring=true"),
        new Taken(
                "a default that needs all of the control plane to be of the version",
                List.of("--feature-gates=DRAFractionalCapacityRange=false", "--min-compatibility-version=1.37"),
                "DRAFractionalCapacityRange=false"),
        new Taken(
                "the default of a control plane that is not all of the version",
                List.of("--feature-gates=DRAFractionalCapacityRange=false"),
                ""),
    };

    private static List<String> gates(String... values) {
        return Stream.of(values).map(value -> "--feature-gates=" + value).toList();
    }

    private static FeatureGates parse(List<String> flags) {
        FeatureGateOptions options = new FeatureGateOptions();
        new CommandLine(options).parseArgs(flags.toArray(String[]::new));
        return options.gates();
    }

    @ParameterizedTest
    @FieldSource("TAKEN")
    void takes(Taken c) {
        assertThat(parse(c.flags)).hasToString(c.differs);
    }

    record Refused(String flags, String message) {}

    static final Refused[] REFUSED = {
        new Refused("--feature-gates=Foo=true", "--feature-gates: unrecognized feature gate: Foo"),
        new Refused("--feature-gates=Foo", "--feature-gates: missing bool value for Foo"),
        new Refused("--feature-gates==true", "--feature-gates: unrecognized feature gate: "),
        new Refused(
                "--feature-gates=DRAExtendedResource=false",
                "--feature-gates: cannot set feature gate DRAExtendedResource to false, feature is locked to true"),
        new Refused(
                "--feature-gates=SchedulerAsyncPreemption=xx",
                "--feature-gates: invalid value of SchedulerAsyncPreemption=xx (expected: true or false)"),
        new Refused(
                "--feature-gates=wardle:A=true", "--feature-gates: component not registered: wardle (expected: kube)"),
        new Refused(
                "--feature-gates=kube:AllAlpha=false,SchedulerAsyncPreemption=true",
                "--feature-gates: set kube feature gates with default empty prefix or kube: prefix consistently, do not mix"
                        + " use"),
        new Refused(
                "--feature-gates=TopologyAwareWorkloadScheduling=true",
                "--feature-gates: TopologyAwareWorkloadScheduling is enabled, but depends on features that are disabled:"
                        + " [GenericWorkload]"),
        new Refused(
                "--feature-gates=CompositePodGroup=true",
                "--feature-gates: CompositePodGroup is enabled, but depends on features that are disabled:"
                        + " [GenericWorkload TopologyAwareWorkloadScheduling]"),
        new Refused(
                "--feature-gates=GenericWorkload=true,CompositePodGroup=true",
                "--feature-gates: CompositePodGroup is enabled, but depends on features that are disabled:"
                        + " [TopologyAwareWorkloadScheduling]"),
        new Refused(
                "--feature-gates=DRAWorkloadResourceClaims=true,PodGroupPreemptionPolicy=true",
                "--feature-gates: [DRAWorkloadResourceClaims is enabled, but depends on features that are disabled:"
                        + " [GenericWorkload], PodGroupPreemptionPolicy is enabled, but depends on features that are"
                        + " disabled: [GenericWorkload]]"),
        new Refused(
                "--feature-gates=WorkloadWithJob=true",
                "--feature-gates: WorkloadWithJob is enabled, but depends on features that are disabled:"
                        + " [GenericWorkload]"),
        // Dependencies of a default count too.
        new Refused(
                "--feature-gates=DRADeviceTaints=false",
                "--feature-gates: DRADeviceTaintRules is enabled, but depends on features that are disabled:"
                        + " [DRADeviceTaints]"),
        // Removed upstream, so not known in any version.
        new Refused(
                "--emulated-version=1.36 --feature-gates=SchedulerQueueingHints=true",
                "--feature-gates: unrecognized feature gate: SchedulerQueueingHints. Did you mean SchedulerPreQueueingHints?"),
        new Refused(
                "--emulated-version=1.36 --feature-gates=DRADerivedAttributes=false",
                "--feature-gates: cannot set feature gate DRADerivedAttributes to false, feature is PreAlpha at emulated"
                        + " version 1.36, min compatibility version 1.35"),
        new Refused(
                "--emulated-version=1.33",
                "--emulated-version, --min-compatibility-version: emulation version 1.33 is not between [1.34, 1.37];"
                        + " minCompatibilityVersion version 1.34 is not between [1.34, 1.33]"),
        new Refused(
                "--emulated-version=1.36 --min-compatibility-version=1.37",
                "--emulated-version, --min-compatibility-version: minCompatibilityVersion version 1.37 is not between [1.34,"
                        + " 1.36]"),
        new Refused(
                "--emulated-version=kube=1.36.3", "--emulated-version: patch version not allowed, got: kube=1.36.3"),
        new Refused(
                "--emulated-version=1.36,kube=1.37",
                "--emulated-version: duplicate version flag, kube=1.36 and kube=1.37"),
        new Refused(
                "--emulated-version=wardle=1.2",
                "--emulated-version: component not registered: wardle (expected: kube)"),
        new Refused("--emulated-version=new", "--emulated-version: \"new\" (expected: a version such as 1.37)"),
        new Refused(
                "--min-compatibility-version=1.36.1",
                "--min-compatibility-version: patch version not allowed, got: kube=1.36.1"),
    };

    @ParameterizedTest
    @FieldSource("REFUSED")
    void refuses(Refused c) {
        assertThatThrownBy(() -> parse(List.of(c.flags.split(" ", -1))))
                .isInstanceOf(CommandException.class)
                .hasMessage(c.message);
    }

    @Test
    void turnsAWholeStageOnAndOff() {
        FeatureGates alpha = parse(gates("AllAlpha=true,GenericWorkload=true,WorkloadWithJob=false"));
        assertThat(alpha.isEnabled("GenericWorkload")).isTrue();
        assertThat(alpha.isEnabled("WorkloadWithJob")).isFalse();
        assertThat(alpha.isEnabled("SchedulerAsyncAPICalls")).isFalse();
        FeatureGates beta = parse(gates("AllBeta=false"));
        assertThat(beta.isEnabled(FeatureGates.SCHEDULER_ASYNC_PREEMPTION)).isFalse();
        assertThat(beta.isEnabled("DynamicResourceAllocation")).isTrue();
    }

    @Test
    void knowsAsManyGatesAsKubeScheduler() {
        assertThat(FeatureGates.DEFAULTS.all()).hasSize(251);
    }
}
