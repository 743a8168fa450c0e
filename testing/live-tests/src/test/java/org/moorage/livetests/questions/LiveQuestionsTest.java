// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.questions.JudgedDecisions.Judged;
import org.moorage.livetests.questions.Questions.Question;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;

/**
 * Questions about random clusters: the answer of Moorage from a dump, and the state of that cluster after the same
 * change on a control plane with kube-scheduler and the controllers. The seed is fixed; {@code -Dseed=N} takes another
 * one, {@code -Dseed=random} a random one, {@code -Dquestions=100} asks that many questions, and {@code -Dfirst=N}
 * begins with that one.
 *
 * <p>One thing is random on a control plane: which of several best nodes a pod gets. So each decision of kube-scheduler
 * must be one that Moorage would make, too, and where none of them was among equal nodes, the cluster must end as
 * answered.
 */
@Tag("live")
@Tag("nightly")
class LiveQuestionsTest {
    private final int questions = Integer.getInteger("questions", 7);
    private final int first = Integer.getInteger("first", 0);
    private final long seed = Scene.seed("questions");

    /** The result of a question. */
    private enum Outcome {
        SAME,
        /** The cluster ended in another state, where several nodes were equally good for a pod. */
        TIES,
        WRONG
    }

    private Scene scene;
    private RealCluster cluster;
    private JudgedDecisions decisions;
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    private final Map<Questions.Kind, Integer> kinds = new EnumMap<>(Questions.Kind.class);
    private final List<String> wrong = new ArrayList<>();

    @Test
    void theAnswerMatchesTheCluster() throws IOException {
        try (Scene open = Scene.withControllers();
                RealCluster real = new RealCluster(open);
                JudgedDecisions judged = new JudgedDecisions(open.plane().kubeconfig())) {
            scene = open;
            cluster = real;
            decisions = judged;
            for (int number = first; number < first + questions; number++) {
                ask(number);
                cluster.clear();
            }
        }
        System.out.printf("%d questions with seed %d, %s: %s%n", questions, seed, kinds, outcomes);
        assertThat(wrong).as("seed %d", seed).isEmpty();
    }

    private void ask(int number) throws IOException {
        Random random = new Random(seed * 1000 + number);
        DrawnCluster drawn = DrawnCluster.of(random);
        // Each run has each kind, from another one on.
        Questions.Kind kind = Questions.Kind.values()[Math.floorMod(number + seed, Questions.Kind.values().length)];
        Question question = new Questions(drawn, random, scene.plane().folder()).draw(kind);
        cluster.make(drawn);
        question.prepare(cluster);
        Map<String, String> before = cluster.nodeByPod();
        Path dump = scene.write("cluster-" + number + ".json", cluster.dump());
        JsonNode answer = answer(question, dump, "answer-" + number);
        awaitSeen();
        decisions.begin();
        Comparison comparison = question.compare(answer, before, cluster);
        awaitSeen();
        Judged judged = decisions.judge(cluster.attempts());
        Outcome outcome = !judged.verdicts().areAllExplained() || !comparison.isSame() && !judged.hasTies()
                ? Outcome.WRONG
                : comparison.isSame() ? Outcome.SAME : Outcome.TIES;
        outcomes.merge(outcome, 1, Integer::sum);
        kinds.merge(kind, 1, Integer::sum);
        String text = number + " " + kind + ": " + outcome + ": " + comparison + " (" + judged + ")";
        System.out.println(text);
        if (outcome == Outcome.WRONG) {
            wrong.add(text + "\n" + String.join("\n", judged.course()) + "\nin "
                    + scene.plane().folder());
        }
    }

    // The watch of the decisions may be later than lists.
    private void awaitSeen() {
        Map<String, String> pods = cluster.nodeByPod();
        Map<String, String> ignored = scene.await("the test has seen " + pods, decisions::nodeByPod, pods::equals);
    }

    private JsonNode answer(Question question, Path dump, String name) {
        List<String> arguments = new ArrayList<>(question.arguments());
        arguments.addAll(List.of(dump.toString(), "-o", "json"));
        RunningProgram program = scene.moorage(name, arguments.toArray(String[]::new));
        assertThat(program.await()).as(program.log()).isLessThan(2);
        // Notes for people come before it.
        String text = program.log();
        return ApiAccess.parse(text.substring(text.indexOf('{') == 0 ? 0 : text.indexOf("\n{") + 1));
    }
}
