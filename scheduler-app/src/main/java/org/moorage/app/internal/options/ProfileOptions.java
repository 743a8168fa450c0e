// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.ProfileConfig;
import org.moorage.objects.Suggestions;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.RecordedChange;
import picocli.CommandLine.Option;

/** The option that selects the profile of pods that name no profile of the configuration. */
@OptionGroup(Heading.SCHEDULER)
public final class ProfileOptions {
    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            description = "The schedulerName of pods that name no profile of the configuration.")
    private Optional<String> profile = Optional.empty();

    /** Returns the names of a configuration's profiles. */
    public static List<String> names(LoadedConfig config) {
        return config.config().profiles().stream()
                .map(ProfileConfig::schedulerName)
                .toList();
    }

    /** Returns whether pods may be scheduled by another profile than the one that they name. */
    public boolean isGiven() {
        return profile.isPresent();
    }

    /**
     * Returns how pods are changed: those that name no profile name the one of the option.
     *
     * @throws CommandException if the configuration has no such profile
     */
    public UnaryOperator<Pod> taking(LoadedConfig config) {
        List<String> names = names(config);
        profile.filter(name -> !names.contains(name)).ifPresent(name -> {
            throw new CommandException("--scheduler-name: \"" + name + "\" (expected: of " + config.sourceName() + ": "
                    + String.join(", ", names) + ")." + Suggestions.hint(name, names));
        });
        return pod -> profile.isEmpty() || names.contains(pod.spec().schedulerName())
                ? pod
                : pod.withSpec(
                        pod.spec().toBuilder().schedulerName(profile.get()).build());
    }

    /**
     * Returns a cluster whose pods name a profile as the option demands. Without the option a note reports pending pods
     * that name none.
     *
     * @throws CommandException if the configuration has no such profile
     */
    public ClusterDump apply(ClusterDump dump, LoadedConfig config, Terminal terminal) {
        UnaryOperator<Pod> taking = taking(config);
        if (profile.isEmpty()) {
            noteOthers(dump, config, terminal);
            return dump;
        }
        List<RecordedChange> changes = new ArrayList<>();
        for (RecordedChange change : dump.changes()) {
            changes.add(new RecordedChange(change.number(), change.type(), taken(change.object(), taking)));
        }
        List<ClusterObject> objects = new ArrayList<>();
        dump.objects().forEach(object -> objects.add(taken(object, taking)));
        return new ClusterDump(dump.json(), objects, dump.notes(), dump.warnings(), changes);
    }

    private static ClusterObject taken(ClusterObject object, UnaryOperator<Pod> taking) {
        return object instanceof Pod pod ? taking.apply(pod) : object;
    }

    private static void noteOthers(ClusterDump dump, LoadedConfig config, Terminal terminal) {
        List<String> names = names(config);
        Map<String, Integer> pending = new TreeMap<>();
        for (Pod pod : dump.pods()) {
            if (!pod.isBound() && !names.contains(pod.spec().schedulerName())) {
                pending.merge(pod.spec().schedulerName(), 1, Integer::sum);
            }
        }
        pending.forEach((name, count) -> terminal.note(count + " pending pod" + (count == 1 ? " names" : "s name")
                + " the scheduler \"" + name + "\", which is no profile of " + config.sourceName() + " ("
                + String.join(", ", names) + "); --scheduler-name NAME schedules such pods"));
    }
}
