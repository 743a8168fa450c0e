// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.Suggestions;

/** The kinds of Kubernetes' own API, as of v1.37. */
final class BuiltInKinds {
    private static final Map<String, Map<String, List<ObjectKind<OtherObject>>>> BY_GROUP = load();

    private BuiltInKinds() {}

    private static Map<String, Map<String, List<ObjectKind<OtherObject>>>> load() {
        Map<String, Map<String, List<ObjectKind<OtherObject>>>> byGroup = new HashMap<>();
        for (String line : lines("kinds.txt")) {
            String[] words = line.split(" ", -1);
            ObjectKind<OtherObject> kind =
                    ObjectKind.other(words[0], words[1], words[2], words[3].equals("namespaced"));
            byGroup.computeIfAbsent(kind.group(), any -> new HashMap<>())
                    .computeIfAbsent(kind.kind(), any -> new ArrayList<>())
                    .add(kind);
        }
        return byGroup;
    }

    /** Returns the lines of a resource of this package. */
    static List<String> lines(String resource) {
        try (InputStream in = Objects.requireNonNull(BuiltInKinds.class.getResourceAsStream(resource), resource);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            return reader.lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether a group is one of Kubernetes' own. */
    static boolean isGroup(String group) {
        return BY_GROUP.containsKey(group);
    }

    /** Returns a kind of a group, in its first version. */
    static Optional<ObjectKind<OtherObject>> find(String group, String kind) {
        Map<String, List<ObjectKind<OtherObject>>> byName = BY_GROUP.get(group);
        List<ObjectKind<OtherObject>> versions = byName == null ? null : byName.get(kind);
        return versions == null ? Optional.empty() : Optional.of(versions.get(0));
    }

    /**
     * Returns the fault of an object's kind, if its group belongs to Kubernetes or cannot be another one.
     *
     * @param apiVersion its group and version
     * @param kind its kind
     */
    static Optional<String> doubt(String apiVersion, String kind) {
        String group = ObjectKind.groupOf(apiVersion);
        if (!isGroup(group) && group.contains(".")) {
            return Optional.empty();
        }
        Map<String, List<ObjectKind<OtherObject>>> ofGroup = BY_GROUP.getOrDefault(group, Map.of());
        List<String> versions = new ArrayList<>();
        ofGroup.getOrDefault(kind, List.of()).forEach(known -> versions.add(known.apiVersion()));
        if (versions.contains(apiVersion) || KindVersions.isReadable(apiVersion, kind)) {
            return Optional.empty();
        }
        String readAs = KindVersions.known(apiVersion, kind);
        if (!readAs.equals(apiVersion)) {
            return Optional.of("apiVersion: \"" + apiVersion + "\" is newer than this program; read as " + readAs);
        }
        if (versions.isEmpty()) {
            BY_GROUP.values()
                    .forEach(byName ->
                            byName.getOrDefault(kind, List.of()).forEach(known -> versions.add(known.apiVersion())));
        }
        if (!versions.isEmpty()) {
            return Optional.of("apiVersion: \"" + apiVersion + "\" (expected: "
                    + String.join(" or ", new TreeSet<>(versions)) + " for a " + kind + ")");
        }
        List<String> names = new ArrayList<>();
        BY_GROUP.values().forEach(byName -> names.addAll(byName.keySet()));
        return Optional.of("kind: \"" + kind + "\" (expected: a kind that Kubernetes has in " + apiVersion + ")."
                + Suggestions.hint(kind, names));
    }
}
