// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.moorage.api.plugin.ApiVersion;

/**
 * The recorded public API of a module: {@code api.txt}. Its first line names the last release, the others a public type, constructor,
 * method or field each.
 *
 * @param lastRelease the version of the API that was released last; empty before the first release
 * @param lines the API, sorted
 */
record RecordedApi(String lastRelease, List<String> lines) {
    private static final String HEADER = "# last release: ";
    private static final String NO_RELEASE = "none";

    /** Interfaces that the scheduler implements: what is added to them takes nothing from a plugin. */
    private static final Set<String> OF_THE_SCHEDULER = Set.of(
            "org.moorage.api.NodeInfo",
            "org.moorage.api.Snapshot",
            "org.moorage.api.plugin.ClusterWriter",
            "org.moorage.api.plugin.Extender",
            "org.moorage.api.plugin.Handle",
            "org.moorage.api.plugin.Trial",
            "org.moorage.api.plugin.NodeStatuses",
            "org.moorage.api.plugin.ObjectLister",
            "org.moorage.api.plugin.PluginLogger",
            "org.moorage.api.plugin.PodInPreBind",
            "org.moorage.api.plugin.QueuedPod",
            "org.moorage.api.plugin.ResourceClaimWriter",
            "org.moorage.api.plugin.VolumeWriter",
            "org.moorage.api.plugin.WaitingPod");

    RecordedApi {
        lines = List.copyOf(lines);
    }

    static RecordedApi read(Path file) throws IOException {
        List<String> all = Files.readAllLines(file);
        if (all.isEmpty() || !all.get(0).startsWith(HEADER)) {
            throw new IOException(file + ": does not begin with \"" + HEADER + "\"");
        }
        String release = all.get(0).substring(HEADER.length());
        return new RecordedApi(release.equals(NO_RELEASE) ? "" : release, all.subList(1, all.size()));
    }

    void write(Path file) throws IOException {
        List<String> all = new ArrayList<>();
        all.add(HEADER + (lastRelease.isEmpty() ? NO_RELEASE : lastRelease));
        all.addAll(lines);
        Files.write(file, all);
    }

    /** Whether that version may leave out what the last release had. */
    boolean mayBreakIn(ApiVersion version) {
        return lastRelease.isEmpty() || !version.takes(ApiVersion.parse(lastRelease));
    }

    /**
     * What of an API breaks plugins that were built for this one: what is gone or has another type, and what plugins would have to
     * implement anew.
     */
    List<String> breaks(List<String> current) {
        List<String> breaks = new ArrayList<>();
        Set<String> now = new HashSet<>(current);
        for (String line : lines) {
            if (!now.contains(line)) {
                breaks.add("- " + line);
            }
        }
        Set<String> knownTypes = new HashSet<>();
        lines.forEach(line -> knownTypes.add(name(line)));
        for (String line : added(current)) {
            if (isAbstractMethod(line) && knownTypes.contains(type(line)) && !OF_THE_SCHEDULER.contains(type(line))) {
                breaks.add("+ " + line + " (abstract)");
            }
        }
        return breaks;
    }

    /** What of an API is not in this one. */
    List<String> added(List<String> current) {
        List<String> added = new ArrayList<>(current);
        added.removeAll(new HashSet<>(lines));
        return added;
    }

    private static String name(String line) {
        return line.substring(0, line.indexOf(" : "));
    }

    private static boolean isAbstractMethod(String line) {
        String modifiers = line.substring(line.indexOf(" : ") + " : ".length());
        return name(line).endsWith(")") && modifiers.startsWith("abstract ");
    }

    private static String type(String line) {
        String withMethod = line.substring(0, line.indexOf('('));
        return withMethod.substring(0, withMethod.lastIndexOf('.'));
    }
}
