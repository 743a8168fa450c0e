// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.SourcePosition;

/**
 * Messages about an input: its problems, possible mistakes, and the documents that were skipped.
 */
public final class InputNotes {
    private static final int MOST_PROBLEMS = 20;
    private static final int MOST_NAMES = 10;

    private final Set<String> problems = new LinkedHashSet<>();
    private final List<String> passedOver = new ArrayList<>();
    private final List<String> templates = new ArrayList<>();
    private final List<String> repeated = new ArrayList<>();
    private final List<String> others = new ArrayList<>();
    private final Map<String, Doubt> doubts = new LinkedHashMap<>();

    /** The object whose fields are all known, as another thread has found. */
    private @Nullable JsonNode checked;

    private static final class Doubt {
        private final String message;
        private int count;

        Doubt(String message) {
            this.message = message;
        }
    }

    /** Creates notes without entries. */
    public InputNotes() {}

    /** Adds a problem that makes the input unusable. */
    public void problem(String message) {
        problems.add(message);
    }

    /** Adds information that is not about a mistake. */
    public void note(String message) {
        others.add(message);
    }

    /** Adds a document that is skipped, since it is not a Kubernetes object. */
    public void passOver(SourcePosition position) {
        passedOver.add(position.place());
    }

    /** Adds a Helm template, which is skipped. */
    void passOverTemplate(String file) {
        templates.add(file);
    }

    /** Adds a duplicate of an object, which is skipped. */
    void passOverRepeated(String title, SourcePosition position) {
        repeated.add(title + " at " + position.place());
    }

    /** Sets the object whose fields are all known; null for none. */
    void checked(@Nullable JsonNode object) {
        checked = object;
    }

    /**
     * Adds what is doubtful about an object, which is used as it is: its kind, or a field that its kind does not have.
     */
    @SuppressWarnings("ReferenceEquality") // the same object; defaults may have been added to it since
    public void check(ObjectNode object, SourcePosition position) {
        String apiVersion = object.path("apiVersion").asText("");
        String kind = object.path("kind").asText("");
        BuiltInKinds.doubt(apiVersion, kind)
                .ifPresent(doubt -> doubt(apiVersion + "/" + kind, title(object, position) + doubt));
        if (object == checked) {
            return;
        }
        for (KnownFields.UnknownField field : KnownFields.unknownIn(object)) {
            doubt(
                    kind + ": " + field.path().replaceAll("\\[[0-9]+]", ""),
                    title(object, position) + field.path() + ": no such field." + field.hint());
        }
    }

    private static String title(ObjectNode object, SourcePosition position) {
        return position + ": " + ObjectKey.of(object).title() + ": ";
    }

    /** Adds something that may be a mistake. */
    public void warning(String message) {
        doubt(message, message);
    }

    private void doubt(String likeness, String message) {
        doubts.computeIfAbsent(likeness, any -> new Doubt(message)).count++;
    }

    /** Returns the documents that were skipped without harm and other information, one line each. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (!passedOver.isEmpty()) {
            notes.add(counted(
                            passedOver.size(),
                            "document that is no Kubernetes object",
                            "documents that are no" + " Kubernetes objects")
                    + " skipped: " + names(passedOver));
        }
        if (!repeated.isEmpty()) {
            notes.add(
                    counted(repeated.size(), "duplicate object", "duplicate objects") + " skipped: " + names(repeated));
        }
        notes.addAll(others);
        return notes;
    }

    /** Returns possible mistakes, one line each. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (!templates.isEmpty()) {
            warnings.add(counted(templates.size(), "Helm template", "Helm templates")
                    + " skipped (expected: manifests, as helm template prints them): " + names(templates));
        }
        List<Doubt> first = new ArrayList<>(doubts.values());
        for (Doubt doubt : first.subList(0, Math.min(MOST_PROBLEMS, first.size()))) {
            warnings.add(doubt.count == 1 ? doubt.message : doubt.message + " In " + doubt.count + " places.");
        }
        if (first.size() > MOST_PROBLEMS) {
            warnings.add("and " + (first.size() - MOST_PROBLEMS) + " more doubtful fields and kinds");
        }
        return warnings;
    }

    /**
     * Throws an exception if there are problems.
     *
     * @throws ClusterFileException with a line for each problem
     */
    public void throwProblems() {
        List<String> messages = List.copyOf(problems);
        if (messages.size() == 1) {
            throw new ClusterFileException(messages.get(0));
        }
        if (!messages.isEmpty()) {
            List<String> lines = new ArrayList<>();
            lines.add("the cluster cannot be read, " + messages.size() + " problems");
            messages.subList(0, Math.min(MOST_PROBLEMS, messages.size())).forEach(problem -> lines.add("  " + problem));
            if (problems.size() > MOST_PROBLEMS) {
                lines.add("  and " + (problems.size() - MOST_PROBLEMS) + " more");
            }
            throw new ClusterFileException(String.join("\n", lines));
        }
    }

    int templateCount() {
        return templates.size();
    }

    /** Returns the number of problems. */
    public int problemCount() {
        return problems.size();
    }

    /**
     * Adds problems that were found late, in the places that they would have had.
     *
     * @param late the problems, by the number of the problems before them
     */
    public void insertProblems(Map<Integer, List<String>> late) {
        List<String> known = List.copyOf(problems);
        problems.clear();
        for (int i = 0; i <= known.size(); i++) {
            problems.addAll(late.getOrDefault(i, List.of()));
            if (i < known.size()) {
                problems.add(known.get(i));
            }
        }
    }

    private static String counted(int count, String one, String several) {
        return count + " " + (count == 1 ? one : several);
    }

    /** Names in a line: the first ones, and how many more there are. */
    public static String names(List<String> names) {
        if (names.size() <= MOST_NAMES) {
            return String.join(", ", names);
        }
        return String.join(", ", names.subList(0, MOST_NAMES)) + " and " + (names.size() - MOST_NAMES) + " more";
    }
}
