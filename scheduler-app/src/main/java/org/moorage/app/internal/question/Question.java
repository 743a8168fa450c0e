// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.report.Report;
import picocli.CommandLine.Command;

/**
 * A question about a cluster that has been read: of a command line, a line of a batch, an HTTP request or an MCP
 * client.
 */
public interface Question {
    /**
     * Answers the question. Nothing is printed but progress; the cluster stays as it is.
     *
     * @throws org.moorage.app.internal.process.CommandException if the question names an object that is not in the
     *     cluster, or is invalid
     */
    Report answer(AskedCluster asked);

    /**
     * Answers the question, and returns the content of a page with the answer; empty if the question has no page.
     *
     * @throws org.moorage.app.internal.process.CommandException as {@link #answer} does
     */
    default Optional<PageContent.Builder> page(AskedCluster asked) {
        return Optional.empty();
    }

    /**
     * Returns the names of the schemas in {@code docs/reference/schema}, of which an answer has one; by default the
     * name of the command.
     */
    default List<String> answerSchemas() {
        return List.of(getClass().getAnnotation(Command.class).name());
    }
}
