// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.answer.PodExplanation;

/** The content of a page: a cluster, and answers about it. */
public final class PageContent {
    private final String title;
    private final String command;
    private final Instant made;
    private final List<String> notes;
    private final ClusterView cluster;
    private final Optional<ClusterView> before;
    private final List<Move> moves;
    private final List<GroupResult> groups;
    private final List<PodExplanation> evaluations;
    private final List<PageAnswer> answers;
    private final Optional<Paths> paths;

    private PageContent(Builder builder) {
        title = builder.title;
        command = builder.command;
        made = builder.made;
        notes = List.copyOf(builder.notes);
        cluster = builder.cluster;
        before = builder.before;
        moves = List.copyOf(builder.moves);
        groups = List.copyOf(builder.groups);
        evaluations = List.copyOf(builder.evaluations);
        answers = List.copyOf(builder.answers);
        paths = builder.paths;
    }

    /**
     * The change of a pod between two clusters.
     *
     * @param pod its namespace, a slash and its name
     * @param owner what controls it; may be empty
     * @param what in a word or two, such as {@code evicted}; those of one word are counted together
     * @param from the node before; empty if it had none
     * @param to the node after; empty if it has none
     * @param message why; may be empty
     */
    public record Move(String pod, String owner, String what, String from, String to, String message) {}

    /**
     * Where a page that is served finds more, relative to its own address.
     *
     * @param data the content as it is now; empty if it does not change
     * @param explain the results of the plugins for the pod that the parameter {@code pod} names; empty if unavailable
     * @param attempts the state of that pod and its last attempts; empty if unavailable
     * @param questions the questions that the page asks, each below it; empty if unavailable
     */
    public record Paths(String data, String explain, String attempts, String questions) {}

    /** Content with a title for a cluster. */
    public static Builder of(String title, ClusterView cluster) {
        return new Builder(title, cluster);
    }

    String title() {
        return title;
    }

    String command() {
        return command;
    }

    Instant made() {
        return made;
    }

    List<String> notes() {
        return notes;
    }

    ClusterView cluster() {
        return cluster;
    }

    Optional<ClusterView> before() {
        return before;
    }

    List<Move> moves() {
        return moves;
    }

    List<GroupResult> groups() {
        return groups;
    }

    List<PodExplanation> evaluations() {
        return evaluations;
    }

    List<PageAnswer> answers() {
        return answers;
    }

    Optional<Paths> paths() {
        return paths;
    }

    /** Builds the content. The page does not show parts that are not set. */
    public static final class Builder {
        private final String title;
        private final ClusterView cluster;
        private String command = "";
        private Instant made = Instant.EPOCH;
        private final List<String> notes = new ArrayList<>();
        private Optional<ClusterView> before = Optional.empty();
        private List<Move> moves = List.of();
        private List<GroupResult> groups = List.of();
        private final List<PodExplanation> evaluations = new ArrayList<>();
        private final List<PageAnswer> answers = new ArrayList<>();
        private Optional<Paths> paths = Optional.empty();

        private Builder(String title, ClusterView cluster) {
            this.title = Objects.requireNonNull(title, "title");
            this.cluster = Objects.requireNonNull(cluster, "cluster");
        }

        /** Sets the command line that the page answers. */
        public Builder command(String line) {
            command = Objects.requireNonNull(line, "line");
            return this;
        }

        /** Sets when the page was made. */
        public Builder made(Instant time) {
            made = Objects.requireNonNull(time, "time");
            return this;
        }

        /** Adds sentences that a reader should know. */
        public Builder notes(List<String> sentences) {
            notes.addAll(sentences);
            return this;
        }

        /** Sets the cluster before, which the page compares with the cluster. */
        public Builder before(ClusterView view) {
            before = Optional.of(view);
            return this;
        }

        /** Sets the changes of pods. If not set, the page lists pods whose node differs. */
        public Builder moves(List<Move> all) {
            moves = List.copyOf(all);
            return this;
        }

        /** Sets the groups of pods. */
        public Builder groups(List<GroupResult> all) {
            groups = List.copyOf(all);
            return this;
        }

        /** Adds the answer of {@code explain} for a pod. */
        public Builder evaluation(PodExplanation explanation) {
            evaluations.add(explanation);
            return this;
        }

        /** Adds the answer of a command, with which the page opens. */
        public Builder answer(PageAnswer answer) {
            answers.add(answer);
            return this;
        }

        /** Sets where the page finds more. */
        public Builder paths(Paths more) {
            paths = Optional.of(more);
            return this;
        }

        /** The content. */
        public PageContent build() {
            return new PageContent(this);
        }
    }
}
