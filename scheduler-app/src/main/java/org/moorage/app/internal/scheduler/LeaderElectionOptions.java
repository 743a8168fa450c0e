// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.config.FlagValue;
import picocli.CommandLine.Option;

/** kube-scheduler's flags of leader election. A flag that is set overrides the configuration file. */
@OptionGroup(Heading.LEADER_ELECTION)
final class LeaderElectionOptions {
    private static final String SECTION = "leaderElection.";

    @Option(
            names = "--leader-elect",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "BOOL",
            description = "Schedule only while holding a Lease, so that several replicas can run (default: true).")
    private Optional<Boolean> leaderElect = Optional.empty();

    @Option(
            names = "--leader-elect-lease-duration",
            paramLabel = "DURATION",
            description = "Time after the leader's last renewal when others may take the Lease (default: 15s).")
    private Optional<String> leaseDuration = Optional.empty();

    @Option(
            names = "--leader-elect-renew-deadline",
            paramLabel = "DURATION",
            description = "Time that the leader tries to renew the Lease before it exits (default: 10s).")
    private Optional<String> renewDeadline = Optional.empty();

    @Option(
            names = "--leader-elect-retry-period",
            paramLabel = "DURATION",
            description = "Time between two attempts to acquire or renew the Lease (default: 2s).")
    private Optional<String> retryPeriod = Optional.empty();

    @Option(
            names = "--leader-elect-resource-lock",
            paramLabel = "KIND",
            description = "Kind of the lock object; only leases is accepted.")
    private Optional<String> resourceLock = Optional.empty();

    @Option(
            names = "--leader-elect-resource-name",
            paramLabel = "NAME",
            description = "Name of the Lease (default: kube-scheduler).")
    private Optional<String> resourceName = Optional.empty();

    @Option(
            names = "--leader-elect-resource-namespace",
            paramLabel = "NAMESPACE",
            description = "Namespace of the Lease (default: kube-system).")
    private Optional<String> resourceNamespace = Optional.empty();

    /** Returns the values of the flags that are set. */
    List<FlagValue> flagValues() {
        List<FlagValue> values = new ArrayList<>();
        leaderElect.ifPresent(value -> values.add(new FlagValue(SECTION + "leaderElect", value, "--leader-elect")));
        add("leaseDuration", leaseDuration, "lease-duration", values);
        add("renewDeadline", renewDeadline, "renew-deadline", values);
        add("retryPeriod", retryPeriod, "retry-period", values);
        add("resourceLock", resourceLock, "resource-lock", values);
        add("resourceName", resourceName, "resource-name", values);
        add("resourceNamespace", resourceNamespace, "resource-namespace", values);
        return values;
    }

    private static void add(String field, Optional<String> value, String flag, List<FlagValue> values) {
        value.ifPresent(text -> values.add(new FlagValue(SECTION + field, text, "--leader-elect-" + flag)));
    }
}
