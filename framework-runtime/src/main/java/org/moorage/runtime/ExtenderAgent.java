// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.BindPlugin;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.ExtensionPoint;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.QueueSortPlugin;
import org.moorage.api.plugin.QueuedPod;
import org.moorage.config.ConfigException;
import org.moorage.config.ExtenderServerConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.GoDuration;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.NodeAnswers;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.extender.ExtenderException;
import org.moorage.runtime.internal.extender.ExtenderReply;
import org.moorage.runtime.internal.extender.ExtenderRequest;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.runtime.metrics.SchedulerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has plugins answer as the extender of another scheduler, such as kube-scheduler: reads the bodies of its requests and gives those of
 * the answers. Who sends them is somebody else's business.
 *
 * <p>The plugins are run as in a scheduling cycle, by the same code: PreFilter before Filter, PreFilter and PreScore before Score and
 * NormalizeScore, one cycle at a time, with a time limit. What they see of the cluster are the nodes of the request and no pods; or
 * with a node cache, all nodes and pods.
 *
 * <p>Routes: {@code predicates/ROUTE} and {@code priorities/ROUTE} ask one plugin, {@code filter} and {@code prioritize} all of them;
 * {@code preempt} and {@code preemption} keep the candidates where Filter accepts the pod without the victims; {@code bind} binds.
 */
public final class ExtenderAgent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderAgent.class);

    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int FAILED = 500;
    /** The highest score of an extender. */
    private static final long MAX_SCORE = 10;

    private static final String NODE_CACHE = "nodeCache: true for this agent";
    private static final Status UNKNOWN_NODE = Status.unschedulable("node not found in the extender's node cache");
    private static final String DOES_NOT_BIND =
            "Extender doesn't support Bind: make 'BindVerb' be empty in your ExtenderConfig";
    private static final Set<ExtensionPoint> FILTERING = Set.of(ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER);
    private static final Set<ExtensionPoint> SCORING =
            Set.of(ExtensionPoint.PRE_FILTER, ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE);

    private final ExtenderServerConfig.Agent agent;
    private final Scheduler scheduler;
    private final Profile profile;
    private final Duration limit;
    private final RequestMemory memory;
    private final ExtenderCycles cycles;
    private final ExtenderRequest requests;
    private final ObjectLister<Pod> pods;
    private final List<PluginCaller> binders = new ArrayList<>();
    private final Map<String, Asked> routes = new LinkedHashMap<>();

    /** An answer. What it takes of the memory is given back when it is closed. */
    public static final class Answer implements AutoCloseable {
        private final int status;
        private final List<byte[]> body;
        private final String error;
        private final List<RequestMemory.Use> memory;

        private Answer(int status, List<byte[]> body, String error, List<RequestMemory.Use> memory) {
            this.status = status;
            this.body = body;
            this.error = error;
            this.memory = memory;
        }

        private static Answer of(byte[] body) {
            return new Answer(OK, List.of(body), "", List.of());
        }

        /** A failure, with its message in the body. */
        public static Answer failure(int status, String message) {
            return new Answer(status, List.of(ExtenderReply.error(message)), message, List.of());
        }

        private Answer with(RequestMemory.Use use) {
            return new Answer(status, body, error, List.of(use));
        }

        /**
         * The HTTP status: 200, 400 for a request that cannot be read, 413 for one that there will never be memory for, 500 for a failure that the
         * protocol has no place for, 503 for a request that there is no memory for as long as others have it.
         */
        public int status() {
            return status;
        }

        /** What failed; empty if nothing did. */
        public String error() {
            return error;
        }

        /** The length of the body in bytes. */
        public long length() {
            long length = 0;
            for (byte[] part : body) {
                length += part.length;
            }
            return length;
        }

        /**
         * Writes the body, in JSON; that of a failure has the field {@code Error}.
         *
         * @throws IOException if it cannot be written
         */
        public void writeTo(OutputStream out) throws IOException {
            for (byte[] part : body) {
                out.write(part);
            }
        }

        @Override
        public void close() {
            memory.forEach(RequestMemory.Use::close);
        }
    }

    /**
     * What agents are made with.
     *
     * @param registry the plugins that there are
     * @param features which features are on
     * @param limit how long an answer may take
     * @param metrics is told what is measured
     * @param listeners are told what happens
     * @param memory what requests may take, of all agents that share it
     */
    public record Settings(
            PluginRegistry registry,
            FeatureGates features,
            Duration limit,
            SchedulerMetrics metrics,
            List<SchedulerListener> listeners,
            RequestMemory memory) {
        public Settings {
            listeners = List.copyOf(listeners);
            if (limit.isNegative() || limit.isZero()) {
                throw new IllegalArgumentException("limit: " + limit + " (expected: more than zero)");
            }
        }
    }

    /**
     * An agent that knows nothing but what it is asked about.
     *
     * @throws ConfigException if its plugins cannot be made
     */
    public static ExtenderAgent withoutCluster(
            ExtenderServerConfig config, ExtenderServerConfig.Agent agent, Settings settings) {
        return new ExtenderAgent(config, agent, new NoCluster(NODE_CACHE), settings);
    }

    /**
     * An agent that knows a cluster, once it is {@linkplain #start started}. It closes the cluster with itself.
     *
     * @throws ConfigException if its plugins cannot be made
     */
    public static ExtenderAgent of(
            ExtenderServerConfig config, ExtenderServerConfig.Agent agent, Cluster cluster, Settings settings) {
        return new ExtenderAgent(config, agent, cluster, settings);
    }

    private ExtenderAgent(
            ExtenderServerConfig config, ExtenderServerConfig.Agent agent, Cluster cluster, Settings settings) {
        this.agent = agent;
        limit = settings.limit();
        memory = settings.memory();
        PluginRegistry registry = settings.registry()
                .with(List.of(PluginFactory.of(Bystander.NAME, Bystander.class, handle -> new Bystander())));
        SchedulerConfig made = agent.schedulerConfig(Bystander.NAME);
        requests = new ExtenderRequest(made.keptJson(settings.registry()).contains(KeptJson.PENDING_PODS));
        scheduler = build(config, made, registry, cluster, settings);
        profile = scheduler.profile(agent.name());
        cycles = scheduler.extenderCycles(limit);
        pods = scheduler.pods();
        for (PluginCaller plugin : profile.at(ExtensionPoint.BIND)) {
            if (!plugin.name().equals(Bystander.NAME)) {
                binders.add(plugin);
            }
        }
        addRoutes();
        Problems problems = Problems.collector();
        check(problems);
        if (!problems.isEmpty()) {
            scheduler.close();
            throw config.refusal(problems.all());
        }
    }

    private Scheduler build(
            ExtenderServerConfig config,
            SchedulerConfig made,
            PluginRegistry registry,
            Cluster cluster,
            Settings settings) {
        try {
            Scheduler.Builder builder = Scheduler.builder(made, registry, cluster)
                    .featureGates(settings.features())
                    .pluginCallTimeout(limit)
                    .metrics(settings.metrics());
            settings.listeners().forEach(builder::listener);
            return builder.build();
        } catch (ConfigException refused) {
            throw config.refusal(refused.problems().stream()
                    .map(problem -> new Problems.Problem(agent.path(), problem.message()))
                    .toList());
        }
    }

    // What shows only once the plugins are made.
    private void check(Problems problems) {
        if (!agent.nodeCache() && !binders.isEmpty()) {
            problems.at(agent.path())
                    .at("nodeCache")
                    .invalid(false, "true, since " + binders.get(0).name() + " binds");
        }
        for (int i = 0; i < agent.plugins().size(); i++) {
            ExtenderServerConfig.AgentPlugin plugin = agent.plugins().get(i);
            boolean binds = binders.stream().anyMatch(binder -> binder.name().equals(plugin.name()));
            if (!binds && routes.keySet().stream().noneMatch(route -> route.endsWith("/" + plugin.route()))) {
                problems.at(agent.path())
                        .at("plugins")
                        .at(i)
                        .at("name")
                        .invalid(plugin.name(), "a plugin that filters, scores or binds");
            }
        }
    }

    private void addRoutes() {
        Set<String> all = new HashSet<>();
        for (ExtenderServerConfig.AgentPlugin plugin : agent.plugins()) {
            Set<String> alone = Set.of(plugin.name());
            all.add(plugin.name());
            if (isAt(ExtensionPoint.FILTER, plugin) || isAt(ExtensionPoint.PRE_FILTER, plugin)) {
                Profile filtering = profile.only(FILTERING, alone);
                routes.put("predicates/" + plugin.route(), (body, use) -> filter(filtering, body, use));
            }
            if (isAt(ExtensionPoint.SCORE, plugin)) {
                Profile scoring = profile.only(SCORING, alone);
                routes.put(
                        "priorities/" + plugin.route(), (body, use) -> prioritize(scoring, List.of(plugin), body, use));
            }
        }
        Profile filtering = profile.only(FILTERING, all);
        Profile scoring = profile.only(SCORING, all);
        List<ExtenderServerConfig.AgentPlugin> scorers = agent.plugins().stream()
                .filter(plugin -> isAt(ExtensionPoint.SCORE, plugin))
                .toList();
        routes.put("filter", (body, use) -> filter(filtering, body, use));
        routes.put("prioritize", (body, use) -> prioritize(scoring, scorers, body, use));
        routes.put("preempt", (body, use) -> preempt(filtering, body, use));
        routes.put("preemption", (body, use) -> preempt(filtering, body, use));
        routes.put("bind", this::bind);
    }

    private boolean isAt(ExtensionPoint point, ExtenderServerConfig.AgentPlugin plugin) {
        return profile.at(point).stream().anyMatch(at -> at.name().equals(plugin.name()));
    }

    /** Has the cluster tell about its objects, and returns when all of them are known; called once, before any question. */
    public void start() {
        scheduler.start();
        scheduler.watchPlugins();
    }

    /** The routes, without the agent's prefix. */
    public Set<String> routes() {
        return routes.keySet();
    }

    /** Reads a request, counts what it takes, and answers it. */
    private interface Asked {
        Answer answer(InputStream body, RequestMemory.Use use) throws IOException;
    }

    /**
     * Answers a request. It is to be closed, once it has been sent or has turned out to be of no use.
     *
     * @param route one of {@link #routes}
     * @param body the request's body, read as far as it is needed, and not closed
     * @param length the length that it is said to have; negative if none is said
     * @throws IllegalArgumentException if there is no such route
     * @throws IOException if the body cannot be read
     */
    public Answer answer(String route, InputStream body, long length) throws IOException {
        Asked asked = routes.get(route);
        if (asked == null) {
            throw new IllegalArgumentException("route: \"" + route + "\" (expected: one of " + routes.keySet() + ")");
        }
        try (RequestMemory.Use use = memory.use(limit)) {
            use.expect(length);
            return asked.answer(body, use).with(use.shared());
        } catch (RequestMemory.RefusedException refused) {
            return Answer.failure(refused.status(), refused.getMessage());
        } catch (ExtenderException malformed) {
            return Answer.failure(BAD_REQUEST, malformed.getMessage());
        }
    }

    private Answer filter(Profile asked, InputStream body, RequestMemory.Use use) throws IOException {
        ExtenderRequest.Args args = requests.args(body, true, use);
        try {
            Map<String, Status> rejections = answers(asked, args, use, (answers, known) -> {
                Map<String, Status> rejected = new LinkedHashMap<>();
                for (String name : args.nodeNames()) {
                    if (!known.contains(name)) {
                        rejected.put(name, UNKNOWN_NODE);
                    } else {
                        answers.rejection(name).ifPresent(rejection -> rejected.put(name, rejection.status()));
                    }
                }
                return rejected;
            });
            return new Answer(OK, ExtenderReply.filter(args, rejections), "", List.of());
        } catch (RuntimeException failed) {
            String message = message(failed);
            return new Answer(OK, List.of(ExtenderReply.filterFailure(message)), message, List.of());
        }
    }

    private Answer prioritize(
            Profile asked, List<ExtenderServerConfig.AgentPlugin> scorers, InputStream body, RequestMemory.Use use)
            throws IOException {
        ExtenderRequest.Args args = requests.args(body, false, use);
        try {
            return Answer.of(ExtenderReply.prioritize(
                    answers(asked, args, use, (answers, known) -> totals(args.nodeNames(), answers, scorers))));
        } catch (ExtenderException unusable) {
            return Answer.failure(BAD_REQUEST, unusable.getMessage());
        } catch (RuntimeException failed) {
            return Answer.failure(FAILED, message(failed));
        }
    }

    // The weighted mean of the plugins' scores, from 0 to 10. Rounded down, so that 10 means what the
    // plugins mean by their highest score.
    private static Map<String, Long> totals(
            List<String> names, NodeAnswers answers, List<ExtenderServerConfig.AgentPlugin> scorers) {
        Map<String, Double> shares = new LinkedHashMap<>();
        double weights = 0;
        for (ExtenderServerConfig.AgentPlugin plugin : scorers) {
            weights += plugin.weight();
            NodeScores scores = answers.scores().get(plugin.name());
            for (int i = 0; scores != null && i < scores.size(); i++) {
                long score = Math.min(scores.score(i), plugin.maxScore());
                shares.merge(scores.node(i).name(), (double) plugin.weight() * score / plugin.maxScore(), Double::sum);
            }
        }
        Map<String, Long> totals = new LinkedHashMap<>();
        for (String name : names) {
            double mean = weights == 0 ? 0 : shares.getOrDefault(name, 0.0) / weights;
            // What is a whole number but for the error of the division stays one.
            totals.put(name, (long) Math.floor(MAX_SCORE * mean + 1e-9));
        }
        return totals;
    }

    /** Makes something of what the plugins answer; it is given the names of those nodes of the request that are known. */
    private interface Reading<T> {
        T of(NodeAnswers answers, Set<String> known);
    }

    private <T> T answers(Profile asked, ExtenderRequest.Args args, RequestMemory.Use use, Reading<T> reading) {
        if (args.nodes().isEmpty() && !agent.nodeCache()) {
            throw new ExtenderException("NodeNames without Nodes (expected: " + NODE_CACHE
                    + ", or nodeCacheCapable: false for this extender in the scheduler's configuration)");
        }
        Pod pod = scheduler.seen(args.pod());
        return cycles.run(
                (algorithm, snapshot) -> {
                    try {
                        update(snapshot, args.nodes().orElse(List.of()));
                        List<NodeInfo> nodes = new ArrayList<>();
                        Set<String> known = new HashSet<>();
                        for (String name : args.nodeNames()) {
                            Optional<NodeInfo> node = snapshot.node(name);
                            if (node.isPresent() && known.add(name)) {
                                nodes.add(node.get());
                            }
                        }
                        return reading.of(NodeAnswers.of(algorithm, asked, pod, snapshot, nodes), known);
                    } finally {
                        // What a request has taken is given back after it, so nothing of it may be left.
                        snapshot.takeBack(0);
                    }
                },
                use.shared()::close);
    }

    private void update(TrialSnapshot snapshot, List<Node> nodes) {
        if (agent.nodeCache()) {
            snapshot.update(scheduler.cache());
        } else {
            snapshot.putNodes(nodes);
        }
    }

    private Answer preempt(Profile asked, InputStream body, RequestMemory.Use use) throws IOException {
        ExtenderRequest.PreemptionArgs args = requests.preemptionArgs(body, use);
        if (!agent.nodeCache()) {
            // The request has no nodes, so nothing can be said against any.
            return Answer.of(ExtenderReply.preemption(args, Optional.empty()));
        }
        try {
            Pod pod = scheduler.seen(args.pod());
            Set<String> fitting = cycles.run(
                    (algorithm, snapshot) -> {
                        snapshot.update(scheduler.cache());
                        return NodeAnswers.fitsWithout(asked, pod, snapshot, victims(args, snapshot));
                    },
                    use.shared()::close);
            return Answer.of(ExtenderReply.preemption(args, Optional.of(fitting)));
        } catch (RuntimeException failed) {
            return Answer.failure(FAILED, message(failed));
        }
    }

    // A victim that is not known is gone already, or not here yet.
    private static Map<String, List<Pod>> victims(ExtenderRequest.PreemptionArgs args, TrialSnapshot snapshot) {
        Map<String, List<Pod>> victims = new LinkedHashMap<>();
        args.victimsByNode().forEach((name, asked) -> {
            Set<String> uids = new TreeSet<>(asked.uids());
            List<Pod> found = new ArrayList<>();
            snapshot.node(name).ifPresent(node -> {
                for (Pod pod : node.pods()) {
                    if (uids.contains(pod.uid())) {
                        found.add(pod);
                    }
                }
            });
            victims.put(name, found);
        });
        return victims;
    }

    private Answer bind(InputStream body, RequestMemory.Use use) throws IOException {
        if (binders.isEmpty()) {
            return Answer.failure(OK, DOES_NOT_BIND);
        }
        ExtenderRequest.BindingArgs args = requests.bindingArgs(body, use);
        try {
            String failure = CompletableFuture.supplyAsync(() -> bind(args), scheduler.bindingThreads())
                    .get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return failure.isEmpty() ? Answer.of(ExtenderReply.error("")) : Answer.failure(OK, failure);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            return Answer.failure(OK, message(cause == null ? failed : cause));
        } catch (TimeoutException overdue) {
            return Answer.failure(
                    OK, "binding did not end within " + GoDuration.format(limit) + "; it may still happen");
        } catch (RejectedExecutionException stopping) {
            return Answer.failure(OK, "the extender stops");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.failure(OK, "interrupted; the binding may still happen");
        }
    }

    // What failed, or nothing.
    private String bind(ExtenderRequest.BindingArgs args) {
        String key = args.podNamespace() + "/" + args.podName();
        Optional<Pod> known = pods.get(args.podNamespace(), args.podName()).filter(pod -> isAskedFor(pod, args));
        if (known.isEmpty()) {
            known = scheduler.read(ObjectKind.POD, args.podNamespace(), args.podName());
        }
        if (known.isEmpty()) {
            return "pod " + key + " not found";
        }
        Pod pod = known.get();
        if (!isAskedFor(pod, args)) {
            return "pod " + key + " has the UID " + pod.uid() + " (expected: " + args.podUid() + ")";
        }
        for (PluginCaller plugin : binders) {
            Status status = plugin.bind(new CycleState(), pod, args.nodeName());
            if (!status.isSkip()) {
                return status.isSuccess() ? "" : status.message();
            }
        }
        return DOES_NOT_BIND;
    }

    private static boolean isAskedFor(Pod pod, ExtenderRequest.BindingArgs args) {
        return args.podUid().isEmpty() || pod.uid().equals(args.podUid());
    }

    private String message(Throwable failed) {
        if (failed instanceof PluginFailure failure) {
            profile.metrics().pluginFailed(failure.plugin(), failure.method().toString());
            LOG.atError()
                    .addKeyValue("plugin", failure.plugin())
                    .setCause(failure)
                    .log("Plugin failed");
        } else if (!(failed instanceof ExtenderException
                || failed instanceof ExtenderCycles.OverdueException
                || failed instanceof ClusterException)) {
            LOG.atError().addKeyValue("agent", agent.name()).setCause(failed).log("Request failed");
        }
        String message = failed.getMessage();
        return message == null || message.isBlank() ? failed.toString() : message;
    }

    /** Why it cannot answer any more; empty if it can. */
    public Optional<String> failure() {
        return cycles.failure();
    }

    /** Stops, and closes the plugins. */
    @Override
    public void close() {
        scheduler.close();
    }

    /** Does what a scheduler must have somebody for, and what no extender is asked for. */
    private static final class Bystander implements QueueSortPlugin, BindPlugin {
        private static final String NAME = "ExtenderBystander";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return false;
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            return Status.skip();
        }
    }
}
