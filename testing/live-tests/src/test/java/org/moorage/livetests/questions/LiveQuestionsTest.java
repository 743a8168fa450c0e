// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.ControlPlane;
import org.moorage.livetests.RunningProgram;
import org.moorage.livetests.questions.JudgedDecisions.Judged;
import org.moorage.livetests.questions.Questions.Question;
import org.moorage.livetests.questions.RealCluster.Order;

/**
 * Questions about clusters drawn by chance: what Moorage answers about a dump, and what becomes of that cluster when the same is done on a
 * control plane, and kube-scheduler and the controllers do the rest. {@code -Dquestions=100} asks so many, {@code -Dseed=N} the same ones again, and
 * {@code -Dfirst=N} begins with that one.
 *
 * <p>Two things are chance on a control plane: which of several best nodes a pod gets, and in which order pods are created and decided about. So where the
 * end is another one, the cluster is made once more as it was, and changed in the order that answers have. If then the end is that of the answer,
 * chance explains the difference; if it never is and no decision was a tie, the answer is wrong. And each decision of kube-scheduler
 * must be one that Moorage would make, too.
 */
@Tag("live")
class LiveQuestionsTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int TIMES_WRONG = 3;
    // Of several nodes that are equally good, kube-scheduler may need a few attempts to take those of the answer.
    private static final int MOST_REPETITIONS = 4;

    private final int questions = Integer.getInteger("questions", 6);
    private final int first = Integer.getInteger("first", 0);
    private final long seed = Long.getLong("seed", ThreadLocalRandom.current().nextInt(1_000_000));

    /** What came of a question. */
    private enum Outcome {
        SAME,
        /** Others since several nodes were equally good; the real thing came to the answer's end as well. */
        TIES,
        /** Others since the order was another one, with no tie; the real thing came to the answer's end in the answer's order. */
        ORDER,
        /** The answer's end was not seen, but one with the same numbers, and decisions were ties. */
        UNSEEN,
        /** The numbers were never those of the answer, or no tie explains other nodes, or kube-scheduler decided as Moorage would not. */
        WRONG
    }

    /** One time that the change was done. */
    private record Round(Comparison comparison, Judged judged) {
        boolean isExplained() {
            return judged.verdicts().areAllExplained();
        }
    }

    private ControlPlane plane;
    private RealCluster cluster;
    private JudgedDecisions decisions;
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    private final Map<Questions.Kind, Integer> kinds = new EnumMap<>(Questions.Kind.class);
    private final List<String> otherNumbers = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    @Test
    void theAnswerIsWhatBecomesOfTheCluster() throws IOException {
        System.out.println("questions: seed " + seed);
        try (ControlPlane started = ControlPlane.start(Map.of("CONTROLLERS", "1"))) {
            plane = started;
            try (RealCluster real = new RealCluster(plane);
                    JudgedDecisions judged = new JudgedDecisions(plane.kubeconfig())) {
                cluster = real;
                decisions = judged;
                for (int number = first; number < first + questions; number++) {
                    // What is wrong is so each time; what a slow machine did out of time is not.
                    List<String> wrongAnswers;
                    int times = 0;
                    do {
                        wrongAnswers = ask(number);
                        cluster.clear();
                    } while (!wrongAnswers.isEmpty() && ++times < TIMES_WRONG);
                    wrong.addAll(wrongAnswers);
                }
            }
        }
        System.out.printf(
                "%d questions with seed %d, %s: %s; with other numbers: %s%n",
                questions, seed, kinds, outcomes, otherNumbers);
        assertThat(wrong).as("seed %d", seed).isEmpty();
    }

    // What was wrong of the answer.
    private List<String> ask(int number) throws IOException {
        long start = System.nanoTime();
        Random random = new Random(seed * 1000 + number);
        DrawnCluster drawn = DrawnCluster.of(random);
        // Each run has each kind, from another one on.
        Questions.Kind kind = Questions.Kind.values()[Math.floorMod(number + seed, Questions.Kind.values().length)];
        Question question = new Questions(drawn, random, plane.folder()).draw(kind);
        cluster.make(drawn);
        question.prepare(cluster);
        Map<String, String> before = cluster.nodeByPod();
        List<Round> rounds = new ArrayList<>();
        rounds.add(round(question, before, Order.AS_IT_COMES, number + "-0"));
        while (!last(rounds).comparison.isSame() && rounds.size() <= MOST_REPETITIONS) {
            cluster.makeAgain(drawn, before);
            question.prepare(cluster);
            rounds.add(round(question, cluster.nodeByPod(), Order.OF_THE_ANSWER, number + "-" + rounds.size()));
        }
        Outcome outcome = outcome(rounds);
        outcomes.merge(outcome, 1, Integer::sum);
        kinds.merge(kind, 1, Integer::sum);
        String title = number + " " + kind;
        if (!rounds.get(0).comparison.otherNumbers().isEmpty()) {
            otherNumbers.add(title + " " + outcome);
        }
        System.out.printf("%s: %s (%d s)%n", title, outcome, (System.nanoTime() - start) / 1_000_000_000);
        if (outcome != Outcome.SAME) {
            rounds.forEach(round -> System.out.println("    " + round.comparison + " (" + round.judged + ")"));
        }
        if (outcome == Outcome.WRONG || outcome == Outcome.UNSEEN) {
            rounds.forEach(round -> System.out.println("    " + round.judged.course()));
        }
        return outcome == Outcome.WRONG
                ? rounds.stream()
                        .map(round -> title + ": " + round.comparison + " (" + round.judged + ")")
                        .toList()
                : List.of();
    }

    private static Round last(List<Round> rounds) {
        return rounds.get(rounds.size() - 1);
    }

    private static Outcome outcome(List<Round> rounds) {
        boolean isSame = last(rounds).comparison.isSame();
        boolean hadTies = rounds.stream().anyMatch(round -> round.judged.hasTies());
        if (!rounds.stream().allMatch(Round::isExplained)) {
            return Outcome.WRONG;
        }
        if (!isSame) {
            boolean isAsMany = last(rounds).comparison.otherNumbers().isEmpty();
            return hadTies && isAsMany ? Outcome.UNSEEN : Outcome.WRONG;
        }
        if (rounds.size() == 1) {
            return Outcome.SAME;
        }
        return rounds.get(0).judged.hasTies() ? Outcome.TIES : Outcome.ORDER;
    }

    private Round round(Question question, Map<String, String> before, Order order, String name) throws IOException {
        Path dump = Files.writeString(plane.folder().resolve("cluster-" + name + ".json"), cluster.dump());
        JsonNode answer = answer(question, dump, plane.folder().resolve("answer-" + name + ".json"));
        decisions.begin();
        Comparison comparison = question.compare(answer, before, cluster, order);
        return new Round(comparison, decisions.judge());
    }

    private static JsonNode answer(Question question, Path dump, Path out) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                RunningProgram.applicationClassPath(),
                "org.moorage.app.Main"));
        command.addAll(question.arguments());
        command.addAll(List.of(dump.toString(), "-o", "json"));
        try (RunningProgram program = RunningProgram.start(out, command)) {
            assertThat(program.await(LIMIT)).as(program.log()).isLessThan(2);
            // Notes for people come before it.
            String text = program.log();
            return JSON.readTree(text.substring(text.indexOf('{') == 0 ? 0 : text.indexOf("\n{") + 1));
        }
    }
}
