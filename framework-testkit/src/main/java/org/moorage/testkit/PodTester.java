// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.HintEvaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.testkit.TestScheduler.Asked;
import org.moorage.testkit.TesterPlugin.TrialChange;

/**
 * A tester that checks a plugin's results for a pod. Each method checks one result and returns this tester. On a
 * mismatch it throws an {@link AssertionError} whose message lists all results of the plugin.
 */
public final class PodTester {
    private static final String PRE_FILTER = "preFilter";
    private static final String PRE_SCORE = "preScore";
    private static final String SKIPPED = "not asked, since PreFilter answered Skip";

    private final @Nullable PluginTester tester;
    private final @Nullable TestScheduler running;
    private final Pod pod;
    private final List<TrialChange> changes;
    private @Nullable Asked asked;

    PodTester(PluginTester tester, Pod pod) {
        this(tester, null, pod, List.of());
    }

    PodTester(TestScheduler running, Pod pod) {
        this(null, running, pod, List.of());
    }

    private PodTester(
            @Nullable PluginTester tester, @Nullable TestScheduler running, Pod pod, List<TrialChange> changes) {
        this.tester = tester;
        this.running = running;
        this.pod = pod;
        this.changes = List.copyOf(changes);
    }

    /**
     * Returns a tester that simulates this pod on that node, as preemption and nominated pods do. {@link #accepts},
     * {@link #rejects} and {@link #filters} of that tester check the results after the change, on all nodes.
     */
    public PodTester withPodAdded(String nodeName, Pod added) {
        return with(new TrialChange(nodeName, added, TrialChange.Action.ADD));
    }

    /** Returns a tester that simulates removing this pod from that node; see {@link #withPodAdded}. */
    public PodTester withPodRemoved(String nodeName, Pod removed) {
        return with(new TrialChange(nodeName, removed, TrialChange.Action.REMOVE));
    }

    private PodTester with(TrialChange change) {
        List<TrialChange> all = new ArrayList<>(changes);
        all.add(change);
        return new PodTester(tester, running, pod, all);
    }

    private String plugin() {
        return running != null
                ? running.plugin()
                : Objects.requireNonNull(tester).plugin();
    }

    private <T> T ask(Function<TestScheduler, T> question) {
        if (running != null) {
            return question.apply(running);
        }
        try (TestScheduler once = Objects.requireNonNull(tester).start()) {
            return question.apply(once);
        }
    }

    private Asked asked() {
        Asked known = asked;
        if (known == null) {
            known = ask(scheduler -> {
                if (changes.isEmpty()) {
                    return scheduler.evaluate(pod, List.of());
                }
                Asked before = scheduler.evaluate(pod, List.of());
                Asked tried = scheduler.evaluate(pod, changes);
                checkUntouched(before, tried);
                return tried;
            });
            asked = known;
        }
        return known;
    }

    // Changes that were simulated on forks must not affect the results for the unchanged nodes.
    private static void checkUntouched(Asked before, Asked tried) {
        Evaluation expected = before.evaluation();
        Evaluation answered = tried.evaluation();
        if (expected != null && answered != null && !expected.rejections().equals(answered.rejections())) {
            throw new AssertionError(FailureText.of(
                    "AddPod or RemovePod changes what Filter says about the nodes as they are.",
                    expected.rejections().toString(),
                    answered.rejections().toString(),
                    tried.answers()));
        }
    }

    private Evaluation evaluation() {
        Evaluation evaluation = asked().evaluation();
        if (evaluation == null) {
            throw new AssertionError(
                    FailureText.of("Asking about pod " + pod.key() + " fails: " + asked().failure(), asked().answers()),
                    asked().failure());
        }
        return evaluation;
    }

    private void check(String what, Object expected, Object answered) {
        if (!expected.equals(answered)) {
            throw new AssertionError(FailureText.of(what, text(expected), text(answered), asked().answers()));
        }
    }

    private static String text(Object value) {
        return value instanceof Status status ? PluginCall.text(status) : value.toString();
    }

    private Optional<PluginCall> answer(String method) {
        for (PluginCall answer : asked().answers()) {
            if (answer.method().equals(method)) {
                return Optional.of(answer);
            }
        }
        return Optional.empty();
    }

    /** Checks that PreEnqueue lets the pod into the queue. */
    public PodTester entersQueue() {
        return preEnqueues(Status.success());
    }

    /** Checks that PreEnqueue keeps the pod out of the queue. */
    public PodTester isGated(Status status) {
        return preEnqueues(status);
    }

    private PodTester preEnqueues(Status expected) {
        List<PluginCall> answers = ask(scheduler -> scheduler.enqueue(pod));
        Object answered = "PreEnqueue was not asked";
        for (PluginCall answer : answers) {
            if (answer.method().equals("preEnqueue") && answer.podKey().equals(pod.key()) && answer.value() != null) {
                answered = answer.value();
            }
        }
        if (!expected.equals(answered)) {
            throw new AssertionError(
                    FailureText.of("PreEnqueue of pod " + pod.key(), text(expected), text(answered), answers));
        }
        return this;
    }

    /** Checks that PreFilter rejects the pod on all nodes. */
    public PodTester rejectsPod(Status status) {
        check(
                "PreFilter of pod " + pod.key(),
                status,
                evaluation()
                        .preFilterRejection()
                        .<Object>map(PluginStatus::status)
                        .orElseGet(() ->
                                preFilter().<Object>map(PreFilterResult::status).orElse("not asked")));
        return this;
    }

    /** Checks that PreFilter returns Skip: the plugin's Filter is not called. */
    public PodTester skipsFilter() {
        Evaluation ignored = evaluation();
        check(
                "PreFilter of pod " + pod.key(),
                Status.skip(),
                preFilter().<Object>map(PreFilterResult::status).orElse("not asked"));
        return this;
    }

    private Optional<PreFilterResult> preFilter() {
        return answer(PRE_FILTER).map(PluginCall::value).map(PreFilterResult.class::cast);
    }

    /** Checks that PreFilter restricts the nodes to these. */
    public PodTester leavesOnlyNodes(String... nodeNames) {
        check(
                "Nodes that PreFilter leaves pod " + pod.key(),
                Optional.of(new TreeSet<>(List.of(nodeNames))),
                leftNodes());
        return this;
    }

    /** Checks that PreFilter returns Success and does not restrict the nodes. */
    public PodTester leavesAllNodes() {
        check("Nodes that PreFilter leaves pod " + pod.key(), Optional.empty(), leftNodes());
        return this;
    }

    private Object leftNodes() {
        Evaluation ignored = evaluation();
        Optional<PreFilterResult> result = preFilter();
        if (result.isEmpty()) {
            return "PreFilter was not asked";
        }
        Status status = result.get().status();
        return status.isSuccess() ? result.get().nodeNames().<Set<String>>map(TreeSet::new) : status;
    }

    /** Checks that Filter accepts these nodes. */
    public PodTester accepts(String... nodeNames) {
        for (String nodeName : nodeNames) {
            filters(nodeName, Status.success());
        }
        return this;
    }

    /** Checks that Filter rejects this node. */
    public PodTester rejects(String nodeName, Status status) {
        if (!status.isRejection()) {
            throw new IllegalArgumentException("status: " + status.code() + " (expected: a rejection)");
        }
        return filters(nodeName, status);
    }

    /** Checks the result of Filter for the node: a rejection, or {@link Status#success()}. */
    public PodTester filters(String nodeName, Status status) {
        check("Filter of pod " + pod.key() + " on node " + nodeName, status, filtered(nodeName));
        return this;
    }

    private Object filtered(String nodeName) {
        Evaluation evaluation = evaluation();
        if (evaluation.preFilterRejection().isPresent()) {
            return "not asked, since PreFilter rejected the pod";
        }
        if (preFilter().map(result -> result.status().isSkip()).orElse(false)) {
            return SKIPPED;
        }
        Map<String, Status> onTrial = asked().onTrial();
        if (!changes.isEmpty()) {
            Status answer = onTrial.get(nodeName);
            return answer == null ? "there is no such node" : answer;
        }
        PluginStatus rejection = evaluation.rejections().get(nodeName);
        if (rejection != null) {
            return rejection.status();
        }
        if (evaluation.feasible().contains(nodeName)) {
            return Status.success();
        }
        return evaluation.preFilterNodes().isPresent()
                ? "not asked, since PreFilter left the node out"
                : "there is no such node";
    }

    /** Checks that PreScore returns Skip: the plugin's Score is not called. */
    public PodTester skipsScore() {
        Evaluation ignored = evaluation();
        check(
                "PreScore of pod " + pod.key(),
                Status.skip(),
                answer(PRE_SCORE).<Object>map(PluginCall::value).orElse("not asked"));
        return this;
    }

    /** Checks the node's score after normalization, from 0 to 100. */
    public PodTester scores(String nodeName, long score) {
        check("Score of node " + nodeName + " for pod " + pod.key(), score, scored(nodeName));
        return this;
    }

    private Object scored(String nodeName) {
        Evaluation evaluation = evaluation();
        Map<String, Long> byPlugin = evaluation.scores().getOrDefault(nodeName, Map.of());
        Long score = byPlugin.get(plugin());
        if (score != null) {
            return score;
        }
        return evaluation.feasible().contains(nodeName)
                ? "not asked, since PreScore answered Skip"
                : "not asked, since the node is not feasible";
    }

    /** Checks that PostFilter nominates this node and preempts these pods, given by name. */
    public PodTester preempts(String nodeName, String... victims) {
        check(
                "Preemption for pod " + pod.key(),
                "pods " + List.of(victims) + " leave node " + nodeName,
                evaluation()
                        .preemption()
                        .map(found -> "pods "
                                + found.victims().stream().map(Pod::name).toList() + " leave node " + found.nodeName())
                        .orElseGet(() -> evaluation()
                                .postFilter()
                                .map(said -> PluginCall.text(said.status()))
                                .orElse("PostFilter was not asked")));
        return this;
    }

    /** Checks that PostFilter cannot make room. */
    public PodTester doesNotPreempt(Status status) {
        check(
                "PostFilter of pod " + pod.key(),
                status,
                evaluation().postFilter().<Object>map(PluginStatus::status).orElse("not asked"));
        return this;
    }

    /** Checks that the plugin throws, so that the attempt ends with an error. */
    public PodTester fails(String message) {
        Object answered = "nothing is thrown";
        for (PluginCall answer : asked().answers()) {
            if (answer.thrown() != null) {
                answered = String.valueOf(answer.thrown().getMessage());
            }
        }
        check("Message of what the plugin throws for pod " + pod.key(), message, answered);
        if (asked().failure() == null) {
            throw new AssertionError(
                    FailureText.of("The scheduler continues although the plugin throws.", asked().answers()));
        }
        return this;
    }

    /** Checks the queueing hint of the plugin, which has rejected the pod, for a change of an object. */
    public PodTester hint(ObjectChange<? extends ClusterObject> change, Hint hint) {
        HintEvaluation found = ask(scheduler -> scheduler.hints(pod, change));
        checkHint(found, Optional.of(hint));
        return this;
    }

    /** Checks that the plugin has not registered any event that matches this change: the pod stays unschedulable. */
    public PodTester isNotAskedAbout(ObjectChange<? extends ClusterObject> change) {
        HintEvaluation found = ask(scheduler -> scheduler.hints(pod, change));
        checkHint(found, Optional.empty());
        return this;
    }

    private void checkHint(HintEvaluation found, Optional<Hint> expected) {
        Optional<Hint> answered = found.of(plugin());
        if (!answered.equals(expected)) {
            throw new AssertionError("Queueing hint of " + plugin() + " for pod " + pod.key() + "\n  expected: "
                    + expected.map(Hint::toString).orElse("not asked") + "\n  answered: "
                    + answered.map(Hint::toString).orElse("not asked") + "\nThe change is: " + found.events()
                    + "\nWhat the plugins answered: " + found.hints());
        }
    }

    /** Checks that Reserve accepts the node. */
    public PodTester reserves(String nodeName) {
        ask(scheduler -> {
            scheduler.reserve(pod, nodeName);
            return scheduler;
        });
        return this;
    }

    /** Checks the result of Permit for the node. */
    public PodTester permits(String nodeName, PermitResult result) {
        List<PluginCall> answers = ask(scheduler -> {
            Decision ignored = scheduler.schedule(pod, nodeName);
            return scheduler.recorded().answers();
        });
        for (PluginCall answer : answers) {
            if (answer.method().equals("permit")
                    && answer.value() instanceof PermitResult given
                    && given.status().equals(result.status())
                    && given.timeout().equals(result.timeout())) {
                return this;
            }
        }
        throw new AssertionError(FailureText.of(
                "Permit of pod " + pod.key() + " on node " + nodeName + "\n  expected: " + result, answers));
    }

    /** Checks that the pod is bound to the node, after Reserve, Permit and PreBind. */
    public PodTester binds(String nodeName) {
        ask(scheduler -> {
            scheduler.reserve(pod, nodeName);
            scheduler.bind(pod);
            return scheduler;
        });
        return this;
    }
}
