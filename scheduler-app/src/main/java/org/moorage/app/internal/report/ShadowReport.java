// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.temporal.ChronoUnit;
import org.moorage.app.internal.shadow.Difference;
import org.moorage.app.internal.shadow.Verdicts;

/** Tells of differences as they are found, a line each, and of all decisions at the end. */
public final class ShadowReport {
    private final boolean isLines;
    private final Terminal terminal;

    /**
     * A report.
     *
     * @param isLines whether it is lines of JSON, for programs
     */
    public ShadowReport(boolean isLines, Terminal terminal) {
        this.isLines = isLines;
        this.terminal = terminal;
    }

    /** A difference was found. */
    public void tell(Difference difference) {
        terminal.out().println(isLines ? tree(difference).toString() : text(difference));
        terminal.out().flush();
    }

    private String text(Difference difference) {
        String chosen = difference.nodeName().isEmpty() ? "waits" : "on " + difference.nodeName();
        String kind = difference.kind() == Difference.Kind.SAMPLING ? " (perhaps by sampling)" : "";
        return difference.pod() + " " + chosen + kind + ": " + difference.reason();
    }

    private ObjectNode tree(Difference difference) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("at", terminal.clock().instant().truncatedTo(ChronoUnit.MILLIS).toString());
        tree.put("difference", difference.kind().toString());
        tree.put("pod", difference.pod());
        tree.put("node", difference.nodeName());
        ArrayNode best = tree.putArray("best");
        difference.best().forEach(best::add);
        difference.total().ifPresent(total -> tree.put("score", total));
        difference.bestTotal().ifPresent(total -> tree.put("bestScore", total));
        ArrayNode plugins = tree.putArray("plugins");
        for (Difference.PluginScores scores : difference.plugins()) {
            plugins.addObject()
                    .put("plugin", scores.plugin())
                    .put("score", scores.chosen())
                    .put("bestScore", scores.best());
        }
        difference
                .rejection()
                .ifPresent(rejection -> tree.putObject("rejectedBy")
                        .put("plugin", rejection.plugin())
                        .put("reason", rejection.status().message()));
        tree.put("reason", difference.reason());
        return tree;
    }

    /** No more comes. */
    public void end(Verdicts verdicts) {
        if (isLines) {
            ObjectNode summary = JsonNodeFactory.instance.objectNode();
            summary.putObject("summary")
                    .put("judged", verdicts.judged())
                    .put("equal", verdicts.equal())
                    .put("ties", verdicts.ties())
                    .put("nominated", verdicts.nominated())
                    .put("reordered", verdicts.reordered())
                    .put("sampling", verdicts.sampling())
                    .put("differences", verdicts.differences())
                    .put("rejectionsAgreed", verdicts.waiting())
                    .put("fitsHere", verdicts.fitsHere())
                    .put("unjudged", verdicts.unjudged());
            terminal.out().println(summary);
        } else {
            terminal.out()
                    .println(verdicts.judged() + " bindings: " + verdicts.equal() + " equal, " + verdicts.ties()
                            + " ties, "
                            + verdicts.nominated() + " on the nominated node, " + verdicts.sampling()
                            + " perhaps by sampling, " + verdicts.differences() + " different; of the others "
                            + verdicts.reordered() + " in another order than seen.");
            terminal.out()
                    .println(verdicts.waiting() + " rejections as here, " + verdicts.fitsHere()
                            + " pods that wait there and fit here; " + verdicts.unjudged() + " pods not judged.");
        }
        terminal.out().flush();
    }
}
