// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import org.moorage.app.internal.report.Answer;

/** What can be asked about a cluster that has been read: by a command line of its own, or by a line of a work list. */
interface Question {
    /**
     * Answers it. Nothing is printed but progress; the cluster stays as it is, for the next question.
     *
     * @throws org.moorage.app.internal.process.CommandException if the question names what is not in the cluster, or makes no sense
     */
    Answer answer(AskedCluster asked);
}
