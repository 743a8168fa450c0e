// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.concurrent.Callable;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.DisruptedView;
import org.moorage.app.internal.page.PageAnswer;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A question about a cluster. Its options are the question; the cluster is read by {@link ClusterOptions}, or was read before for many questions. */
abstract class QuestionCommand implements Callable<Integer>, Question {
    // 0 is "yes" and 1 is "no".
    static final int NO_ANSWER = 2;

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ReportOptions report = new ReportOptions();

    QuestionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public final Integer call() {
        try (AskedCluster asked = cluster.read(terminal)) {
            Answer answer = answer(asked);
            output.print(answer, terminal);
            report.write(terminal, () -> page(asked, answer));
            return answer.exitCode();
        }
    }

    private PageContent.Builder page(AskedCluster asked, Answer answer) {
        String name = getClass().getAnnotation(Command.class).name();
        ClusterView cluster = ClusterView.of(asked.dump().objects());
        PageContent.Builder content = answer.disruptedPods().isEmpty()
                ? PageContent.of(name, cluster)
                : DisruptedView.of(name, cluster, answer.disruptedPods(), answer.lostNodes());
        return content.notes(asked.dump().warnings()).answer(PageAnswer.of(name, answer));
    }
}
