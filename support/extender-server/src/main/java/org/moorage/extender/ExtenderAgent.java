// SPDX-License-Identifier: Apache-2.0
package org.moorage.extender;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.moorage.api.CycleState;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.config.ConfigException;
import org.moorage.config.ExtenderServerConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.Thrown;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.runtime.PartialCycles;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.metrics.SchedulerListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs plugins as a scheduler extender for another scheduler, such as kube-scheduler: reads request bodies and returns
 * response bodies. HTTP is up to the caller.
 *
 * <p>The plugins run as in a scheduling cycle, by the same code: PreFilter before Filter, PreFilter and PreScore before
 * Score and NormalizeScore, one cycle at a time, with a timeout. Their snapshot contains the nodes of the request and
 * no pods; with a node cache, all nodes and pods.
 *
 * <p>Routes: {@code predicates/ROUTE} and {@code priorities/ROUTE} call one plugin, {@code filter} and {@code
 * prioritize} all of them; {@code preempt} and {@code preemption} keep the candidates where Filter accepts the pod
 * without the victims; {@code bind} binds.
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
    private final Duration limit;
    private final RequestMemory memory;
    private final PartialCycles cycles;
    private final ExtenderRequest requests;
    private final List<String> binders;
    private final Map<String, Asked> routes = new LinkedHashMap<>();

    /** A response. Closing it releases its memory. */
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

        /** Returns a failure, with its message in the body. */
        public static Answer failure(int status, String message) {
            return new Answer(status, List.of(ExtenderReply.error(message)), message, List.of());
        }

        private Answer with(RequestMemory.Use use) {
            return new Answer(status, body, error, List.of(use));
        }

        /**
         * Returns the HTTP status: 200; 400 for an unreadable request; 413 for a request that is too large for the
         * memory; 500 for a failure that the protocol cannot express; 503 while other requests use the memory.
         */
        public int status() {
            return status;
        }

        /** Returns the error; empty if there is none. */
        public String error() {
            return error;
        }

        /** Returns the length of the body in bytes. */
        public long length() {
            long length = 0;
            for (byte[] part : body) {
                length += part.length;
            }
            return length;
        }

        /**
         * Writes the body as JSON; the body of a failure has the field {@code Error}.
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
     * The settings of agents.
     *
     * @param registry the available plugins
     * @param features the enabled features
     * @param limit the timeout of a request
     * @param listeners receive scheduling events and measurements
     * @param memory the memory for requests, shared by all agents that use it
     */
    public record Settings(
            PluginRegistry registry,
            FeatureGates features,
            Duration limit,
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
     * Creates an agent without a cluster, which sees only the objects in requests.
     *
     * @throws ConfigException if its plugins cannot be created
     */
    public static ExtenderAgent withoutCluster(
            ExtenderServerConfig config, ExtenderServerConfig.Agent agent, Settings settings) {
        return new ExtenderAgent(
                config, agent, ClusterSource.none(NODE_CACHE), ClusterWriter.refusing(NODE_CACHE), settings);
    }

    /**
     * Creates an agent that caches a cluster's objects once it is {@linkplain #start started}. Closing the agent closes
     * the cluster.
     *
     * @throws ConfigException if its plugins cannot be created
     */
    public static ExtenderAgent of(
            ExtenderServerConfig config, ExtenderServerConfig.Agent agent, Cluster cluster, Settings settings) {
        return new ExtenderAgent(config, agent, cluster, cluster, settings);
    }

    private ExtenderAgent(
            ExtenderServerConfig config,
            ExtenderServerConfig.Agent agent,
            ClusterSource source,
            ClusterWriter writer,
            Settings settings) {
        this.agent = agent;
        limit = settings.limit();
        memory = settings.memory();
        PluginRegistry registry = settings.registry()
                .with(List.of(PluginFactory.of(Bystander.NAME, Bystander.class, handle -> new Bystander())));
        SchedulerConfig made = agent.schedulerConfig(Bystander.NAME);
        requests = new ExtenderRequest(made.keptJson(settings.registry()).contains(KeptJson.PENDING_PODS));
        scheduler = build(config, made, registry, source, writer, settings);
        cycles = scheduler.partialCycles(agent.name(), limit);
        binders = cycles.plugins(ExtensionPoint.BIND).stream()
                .filter(name -> !name.equals(Bystander.NAME))
                .toList();
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
            ClusterSource source,
            ClusterWriter writer,
            Settings settings) {
        try {
            SchedulerBuilder builder = Scheduler.builder(made, registry, source, writer)
                    .featureGates(settings.features())
                    .pluginCallTimeout(limit);
            settings.listeners().forEach(builder::listener);
            return builder.build();
        } catch (ConfigException refused) {
            throw config.refusal(refused.problems().stream()
                    .map(problem -> new Problems.Problem(agent.path(), problem.message()))
                    .toList());
        }
    }

    // Checks that need the created plugins.
    private void check(Problems problems) {
        if (!agent.nodeCache() && !binders.isEmpty()) {
            problems.at(agent.path()).at("nodeCache").invalid(false, "true, since " + binders.get(0) + " binds");
        }
        for (int i = 0; i < agent.plugins().size(); i++) {
            ExtenderServerConfig.AgentPlugin plugin = agent.plugins().get(i);
            boolean binds = binders.contains(plugin.name());
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
                PartialCycles filtering = cycles.only(FILTERING, alone);
                routes.put("predicates/" + plugin.route(), (body, use) -> filter(filtering, body, use));
            }
            if (isAt(ExtensionPoint.SCORE, plugin)) {
                PartialCycles scoring = cycles.only(SCORING, alone);
                routes.put(
                        "priorities/" + plugin.route(), (body, use) -> prioritize(scoring, List.of(plugin), body, use));
            }
        }
        PartialCycles filtering = cycles.only(FILTERING, all);
        PartialCycles scoring = cycles.only(SCORING, all);
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
        return cycles.plugins(point).contains(plugin.name());
    }

    /** Starts to watch the cluster, and returns when all of its objects are known. Called once, before any request. */
    public void start() {
        scheduler.start();
    }

    /** Returns the routes, without the agent's prefix. */
    public Set<String> routes() {
        return routes.keySet();
    }

    /** Reads a request, counts its memory, and answers it. */
    private interface Asked {
        Answer answer(InputStream body, RequestMemory.Use use) throws IOException;
    }

    /**
     * Answers a request. The caller must close the answer, whether or not it could be sent.
     *
     * @param route one of {@link #routes}
     * @param body the request's body, read as far as it is needed, and not closed
     * @param length the declared length of the body; negative if unknown
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
        } catch (ObjectDecodeException malformed) {
            return Answer.failure(BAD_REQUEST, String.valueOf(malformed.getMessage()));
        }
    }

    private Answer filter(PartialCycles asked, InputStream body, RequestMemory.Use use) throws IOException {
        ExtenderRequest.Args args = requests.args(body, true, use);
        try {
            Map<String, Status> rejections = ask(asked, args, use, answers -> {
                Map<String, Status> rejected = new LinkedHashMap<>();
                for (String name : args.nodeNames()) {
                    if (!answers.knows(name)) {
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
            PartialCycles asked,
            List<ExtenderServerConfig.AgentPlugin> scorers,
            InputStream body,
            RequestMemory.Use use)
            throws IOException {
        ExtenderRequest.Args args = requests.args(body, false, use);
        try {
            return Answer.of(ExtenderReply.prioritize(
                    ask(asked, args, use, answers -> totals(args.nodeNames(), answers, scorers))));
        } catch (ObjectDecodeException unusable) {
            return Answer.failure(BAD_REQUEST, String.valueOf(unusable.getMessage()));
        } catch (RuntimeException failed) {
            return Answer.failure(FAILED, message(failed));
        }
    }

    // The weighted mean of the plugins' scores, from 0 to 10. Rounded down, so that 10 means the highest score of every
    // plugin.
    private static Map<String, Long> totals(
            List<String> names, PartialCycles.Answers answers, List<ExtenderServerConfig.AgentPlugin> scorers) {
        Map<String, Double> shares = new LinkedHashMap<>();
        double weights = 0;
        for (ExtenderServerConfig.AgentPlugin plugin : scorers) {
            weights += plugin.weight();
            NodeScores scores = answers.scores(plugin.name()).orElse(null);
            for (int i = 0; scores != null && i < scores.size(); i++) {
                long score = Math.min(scores.score(i), plugin.maxScore());
                shares.merge(scores.node(i).name(), (double) plugin.weight() * score / plugin.maxScore(), Double::sum);
            }
        }
        Map<String, Long> totals = new LinkedHashMap<>();
        for (String name : names) {
            double mean = weights == 0 ? 0 : shares.getOrDefault(name, 0.0) / weights;
            // The tolerance keeps whole numbers whole in spite of rounding errors of the division.
            totals.put(name, (long) Math.floor(MAX_SCORE * mean + 1e-9));
        }
        return totals;
    }

    private <T> T ask(
            PartialCycles asked,
            ExtenderRequest.Args args,
            RequestMemory.Use use,
            Function<PartialCycles.Answers, T> reading) {
        if (args.nodes().isEmpty() && !agent.nodeCache()) {
            throw new ObjectDecodeException("NodeNames without Nodes (expected: " + NODE_CACHE
                    + ", or nodeCacheCapable: false for this extender in the scheduler's configuration)");
        }
        Runnable left = use.shared()::close;
        return agent.nodeCache()
                ? asked.ask(args.pod(), args.nodeNames(), reading, left)
                : asked.askOf(args.pod(), args.nodes().get(), reading, left);
    }

    private Answer preempt(PartialCycles asked, InputStream body, RequestMemory.Use use) throws IOException {
        ExtenderRequest.PreemptionArgs args = requests.preemptionArgs(body, use);
        if (!agent.nodeCache()) {
            // The request has no node objects, so no candidate can be rejected.
            return Answer.of(ExtenderReply.preemption(args, Optional.empty()));
        }
        Map<String, List<String>> victims = new LinkedHashMap<>();
        args.victimsByNode().forEach((node, ofNode) -> victims.put(node, ofNode.uids()));
        try {
            Set<String> fitting = asked.fitsWithout(args.pod(), victims, use.shared()::close);
            return Answer.of(ExtenderReply.preemption(args, Optional.of(fitting)));
        } catch (RuntimeException failed) {
            return Answer.failure(FAILED, message(failed));
        }
    }

    private Answer bind(InputStream body, RequestMemory.Use use) throws IOException {
        if (binders.isEmpty()) {
            return Answer.failure(OK, DOES_NOT_BIND);
        }
        ExtenderRequest.BindingArgs args = requests.bindingArgs(body, use);
        try {
            Status status = cycles.bind(args.podNamespace(), args.podName(), args.podUid(), args.nodeName());
            return status.isSuccess()
                    ? Answer.of(ExtenderReply.error(""))
                    : Answer.failure(OK, status.isSkip() ? DOES_NOT_BIND : status.message());
        } catch (RuntimeException failed) {
            return Answer.failure(OK, message(failed));
        }
    }

    private String message(RuntimeException failed) {
        if (!(failed instanceof ObjectDecodeException || failed instanceof PartialCycles.FailedException)) {
            LOG.atError().addKeyValue("agent", agent.name()).setCause(failed).log("Request failed");
        }
        return Thrown.text(failed);
    }

    /** Returns why the agent can no longer answer; empty if it can. */
    public Optional<String> failure() {
        return cycles.failure();
    }

    /** Stops, and closes the plugins. */
    @Override
    public void close() {
        scheduler.close();
    }

    /** Fills the extension points that a scheduler requires and that an extender does not have. */
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
