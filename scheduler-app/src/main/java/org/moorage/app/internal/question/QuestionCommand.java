// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.util.Optional;
import java.util.concurrent.Callable;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.PageAnswer;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The command of a question. Its options are the question; the cluster is read by {@link ClusterOptions}, or was read
 * before for many questions.
 *
 * @param <R> the answer
 */
public abstract class QuestionCommand<R extends Report> implements Callable<Integer>, Question {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ReportOptions page = new ReportOptions();

    /** Creates the command; its answer is printed to that terminal. */
    protected QuestionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public abstract R answer(AskedCluster asked);

    /**
     * Returns an answer that does not need the cluster to be read as for other questions; empty if there is none.
     *
     * @param cluster the cluster that the command line names
     * @param shown where notes are printed
     */
    protected Optional<R> answerBefore(ClusterOptions cluster, Terminal shown) {
        return Optional.empty();
    }

    /** Returns the title of a page with the answer; by default the name of the command. */
    protected String title() {
        return getClass().getAnnotation(Command.class).name();
    }

    /** Returns the content of a page with the answer; by default the cluster as it is. */
    protected PageContent.Builder view(String title, ClusterView view, R report) {
        return PageContent.of(title, view);
    }

    @Override
    public final Optional<PageContent.Builder> page(AskedCluster asked) {
        return Optional.of(page(asked, answer(asked)));
    }

    @Override
    public final Integer call() {
        Terminal shown = output.terminal(terminal);
        Optional<R> answered = answerBefore(cluster, shown);
        if (answered.isPresent()) {
            output.print(answered.get(), shown);
            return answered.get().succeeded() ? 0 : 1;
        }
        try (AskedCluster asked = cluster.read(shown)) {
            R report = answer(asked);
            output.print(report, shown);
            page.write(shown, () -> page(asked, report));
            return report.succeeded() ? 0 : 1;
        }
    }

    private PageContent.Builder page(AskedCluster asked, R report) {
        return view(title(), ClusterView.of(asked.dump().objects()), report)
                .notes(asked.dump().warnings())
                .notes(asked.dump().notes())
                .answer(PageAnswer.of(title(), report));
    }
}
