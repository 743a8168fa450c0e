// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Lets policies in Rego decide which nodes a pod may run on, and with which scores: opa-kube-scheduler as a plugin.
 *
 * <p>A policy defines the fit document, {@code {node: weight}}, for {@code input.pod}, over the objects of the cluster
 * in {@code data.<resource>["<uid>"]}. A node that is missing in the document does not fit; among the others, the one
 * with the highest weight has the best score. If the document is undefined, the policy does not apply to the pod, and
 * the plugin neither rejects nor scores nodes.
 *
 * <p>The plugin evaluates the document once per pod, in PreFilter, for all nodes of the snapshot: which of them Filter
 * will visit is not known in advance, since Filter stops when enough nodes fit. The evaluation sees assumed pods:
 * Reserve adds them to the data, Unreserve removes them. When preemption simulates adding or removing pods on a node,
 * the document is evaluated again for that node, with {@code input.candidates}, {@code input.removed} (uids) and {@code
 * input.added} (pods). A policy that ignores these inputs returns the same result as before, so preemption evicts no
 * pod in vain.
 */
public final class OpaPolicy
        implements PreFilterPlugin,
                PreFilterExtensions,
                FilterPlugin,
                PreScorePlugin,
                ScorePlugin,
                ReservePlugin,
                EnqueueExtensions,
                AutoCloseable {
    static final String NAME = "OpaPolicy";

    private static final JsonMapper JSON = new JsonMapper();
    private static final int MOST_LOGGED = 20;

    /** Where policies are evaluated. */
    public enum Mode {
        /** In a separate OPA server, over its REST API. */
        server,
        /** In this process; policies are compiled to WebAssembly. */
        wasm
    }

    /** How a pod is treated when the policies cannot be evaluated. */
    public enum FailurePolicy {
        /** The scheduling attempt fails and is retried. */
        FAIL,
        /** The pod is scheduled as if the profile did not enable the plugin. */
        IGNORE
    }

    /**
     * The weights that map to the scores 0 and 100.
     *
     * @param min the weight of the score 0
     * @param max the weight of the score 100
     */
    public record WeightRange(double min, double max) {
        /** The range of the policy that comes with the plugin. */
        public static final WeightRange DEFAULTS = new WeightRange(0, 10);
    }

    /**
     * The server for pushed policies. An address other than a loopback address requires a certificate, and a token or
     * client certificates.
     *
     * @param address host and port
     * @param tokenFile the file with the bearer token that requests must have; empty for none
     * @param certFile the server's certificate in PEM; empty for plain HTTP
     * @param keyFile its key in PEM (PKCS#8)
     * @param clientCaFile the authorities of the certificates that clients must have; empty for none
     */
    public record PolicyServer(String address, String tokenFile, String certFile, String keyFile, String clientCaFile) {
        /** The port of opa-kube-scheduler, on the loopback address only. */
        public static final PolicyServer DEFAULTS = new PolicyServer("127.0.0.1:8181", "", "", "", "");

        URI uri() {
            return URI.create("http://" + address);
        }

        void validate(Problems problems) {
            try {
                URI uri = uri();
                if (uri.getHost() == null || uri.getPort() < 0) {
                    problems.at("address").invalid(address, "host:port, such as 127.0.0.1:8181");
                    return;
                }
                String host = uri.getHost();
                boolean isLoopback =
                        host.matches("127(\\.[0-9]{1,3}){3}") || host.equals("[::1]") || host.equals("localhost");
                if (!isLoopback && tokenFile.isEmpty() && clientCaFile.isEmpty()) {
                    problems.at("address")
                            .invalid(
                                    address,
                                    "a loopback address, or tokenFile or clientCaFile with it: who can push"
                                            + " policies decides where pods go");
                }
                if ((!isLoopback || !clientCaFile.isEmpty()) && certFile.isEmpty()) {
                    problems.at("certFile")
                            .missing("a certificate, unless the address is a loopback address without clientCaFile");
                }
            } catch (IllegalArgumentException notOne) {
                problems.at("address").invalid(address, "host:port, such as 127.0.0.1:8181");
            }
            if (certFile.isEmpty() != keyFile.isEmpty()) {
                problems.at("keyFile").invalid(keyFile, "a file exactly if certFile names one");
            }
        }
    }

    /**
     * The arguments.
     *
     * @param mode where the policies are evaluated
     * @param url with mode server, the URL of OPA
     * @param tokenFile with mode server, the file with a bearer token for OPA; empty for none
     * @param caFile with mode server and https, the authorities of OPA's certificate; empty for those of the JDK
     * @param fitPath the path of the fit document
     * @param timeout the time limit of an evaluation
     * @param failurePolicy how pods are treated when the policies cannot be evaluated
     * @param weightRange the weights that map to the scores 0 and 100; by default the lowest and the highest among a
     *     pod's nodes
     * @param originalBehavior {@code input.config.originalBehavior} for the policies; if true, the policy that comes
     *     with the plugin reproduces the bugs of the original
     * @param resources the objects that policies see, by their resource names in API paths
     * @param policies files, folders of files, and {@code shipped} for the policy that comes with the plugin
     * @param policyDir the folder that persists pushed policies; empty to not persist them
     * @param policyServer the server for pushed policies; by default none
     */
    public record Args(
            Mode mode,
            String url,
            String tokenFile,
            String caFile,
            String fitPath,
            Duration timeout,
            FailurePolicy failurePolicy,
            Optional<WeightRange> weightRange,
            boolean originalBehavior,
            List<String> resources,
            List<String> policies,
            String policyDir,
            Optional<PolicyServer> policyServer)
            implements PluginArgs {
        /** The policy that comes with the plugin, evaluated in this process. */
        public static final Args DEFAULTS = new Args(
                Mode.wasm,
                "http://127.0.0.1:8182",
                "",
                "",
                "/io/k8s/scheduler/fit",
                Duration.ofSeconds(5),
                FailurePolicy.FAIL,
                Optional.empty(),
                false,
                List.of(
                        "nodes",
                        "pods",
                        "services",
                        "replicationcontrollers",
                        "replicasets",
                        "persistentvolumes",
                        "persistentvolumeclaims"),
                List.of(Policies.SHIPPED),
                "",
                Optional.empty());

        public Args {
            resources = List.copyOf(resources);
            policies = List.copyOf(policies);
        }

        @Override
        public void validate(Problems problems) {
            if (mode == Mode.server && !url.matches("https?://[^/]+/?.*")) {
                problems.at("url").invalid(url, "http:// or https://, and where OPA is");
            }
            if (!fitPath.matches("(/[A-Za-z0-9_.-]+)+")) {
                problems.at("fitPath").invalid(fitPath, "a path such as /io/k8s/scheduler/fit");
            }
            if (timeout.isNegative() || timeout.isZero()) {
                problems.at("timeout").invalid(timeout, "> 0");
            }
            if (weightRange.isPresent()
                    && !(weightRange.get().min() < weightRange.get().max())) {
                problems.at("weightRange").invalid(weightRange.get(), "min below max");
            }
            for (String needed : List.of("nodes", "pods")) {
                if (!resources.contains(needed)) {
                    problems.at("resources").invalid(resources, needed + " among them");
                }
            }
            for (int i = 0; i < resources.size(); i++) {
                if (kind(resources.get(i)).isEmpty()) {
                    problems.at("resources").at(i).invalid(resources.get(i), "one of " + String.join(", ", RESOURCES));
                }
            }
            policyServer.ifPresent(server -> server.validate(problems.at("policyServer")));
        }
    }

    private static final List<String> RESOURCES = List.of(
            "nodes",
            "pods",
            "services",
            "replicationcontrollers",
            "replicasets",
            "statefulsets",
            "persistentvolumes",
            "persistentvolumeclaims",
            "namespaces");

    /** Returns the kind with that resource name in API paths. */
    static Optional<ObjectKind<?>> kind(String resource) {
        for (ObjectKind<?> kind : ObjectKind.TYPED) {
            if (kind.plural().equals(resource) && RESOURCES.contains(resource)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    /**
     * The result of the policies for a pod.
     *
     * @param pod the pod as JSON text
     * @param weights the weights by the nodes' indexes in the snapshot; NaN for nodes that are not in the document
     * @param removed uids of pods that preemption simulates as removed
     * @param added pods that preemption simulates as added
     * @param triedNode the node of these pods; empty for the unmodified cluster
     */
    private record Fit(String pod, double[] weights, Set<String> removed, List<Pod> added, String triedNode) {
        boolean isTried(NodeInfo node) {
            return (!removed.isEmpty() || !added.isEmpty()) && triedNode.equals(node.name());
        }

        Fit with(Pod pod) {
            if (removed.contains(pod.uid())) {
                return new Fit(this.pod, weights, without(removed, pod.uid()), added, triedNode);
            }
            List<Pod> more = new ArrayList<>(added);
            more.add(pod);
            return new Fit(this.pod, weights, removed, List.copyOf(more), triedNode);
        }

        Fit without(Pod pod) {
            List<Pod> fewer = new ArrayList<>(added);
            if (fewer.removeIf(present -> present.uid().equals(pod.uid()))) {
                return new Fit(this.pod, weights, removed, List.copyOf(fewer), triedNode);
            }
            List<String> more = new ArrayList<>(removed);
            more.add(pod.uid());
            return new Fit(this.pod, weights, Set.copyOf(more), added, triedNode);
        }

        Fit at(NodeInfo node) {
            return new Fit(pod, weights, removed, added, node.name());
        }

        private static Set<String> without(Set<String> uids, String uid) {
            List<String> fewer = new ArrayList<>(uids);
            fewer.remove(uid);
            return Set.copyOf(fewer);
        }
    }

    private static final StateKey<Fit> FIT = StateKey.of(NAME + "/fit");
    /** Set when PreFilter ran and skipped the pod. */
    private static final StateKey<Boolean> LEFT_ALONE = StateKey.of(NAME + "/leftAlone");

    private final Args args;
    private final Handle handle;
    private final Policies policies;
    private final ObjectLister<Pod> pods;
    private final Status noNode;
    private final Status notThisNode;
    private final String config;

    OpaPolicy(Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        noNode = Status.unschedulable("no node fits by the policy " + args.fitPath());
        notThisNode = Status.unschedulable("node(s) didn't fit by the policy " + args.fitPath());
        config = JSON.createObjectNode()
                .put("originalBehavior", args.originalBehavior())
                .put("schedulerName", handle.profileName())
                .toString();
        pods = handle.cluster().lister(ObjectKind.POD);
        policies = Policies.of(args, handle);
        policies.onChange(this::retryPods);
    }

    // Other policies may accept any pending pod.
    private void retryPods() {
        List<Pod> waiting = new ArrayList<>();
        for (Pod pod : pods.all()) {
            if (!pod.isBound() && pod.spec().schedulerName().equals(handle.profileName())) {
                waiting.add(pod);
            }
        }
        if (!waiting.isEmpty()) {
            handle.queue().activate(waiting);
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        Optional<Fit> fit = fit(pod, snapshot.nodes(), false);
        if (fit.isEmpty()) {
            state.put(LEFT_ALONE, true);
            return PreFilterResult.skip();
        }
        // Also stored if no node fits: preemption may evaluate the policies on a modified cluster.
        state.put(FIT, fit.get());
        for (double weight : fit.get().weights()) {
            if (!Double.isNaN(weight)) {
                return PreFilterResult.allNodes();
            }
        }
        return PreFilterResult.rejected(noNode);
    }

    @Override
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        state.find(FIT)
                .ifPresent(fit ->
                        state.put(FIT, fit.with(added.withNode(node.name())).at(node)));
    }

    @Override
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        state.find(FIT).ifPresent(fit -> state.put(FIT, fit.without(removed).at(node)));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        Fit fit = state.get(FIT);
        boolean fits = fit.isTried(node) ? fitsAsTried(fit, node) : !Double.isNaN(fit.weights()[node.index()]);
        return fits ? Status.success() : notThisNode;
    }

    private boolean fitsAsTried(Fit fit, NodeInfo node) {
        ArrayNode candidates = JSON.createArrayNode().add(node.name());
        ArrayNode removed = JSON.createArrayNode();
        fit.removed().forEach(removed::add);
        StringBuilder added = new StringBuilder();
        for (Pod pod : fit.added()) {
            added.append(added.isEmpty() ? "" : ",").append(ObjectText.of(pod));
        }
        try {
            return policies.fit(input(
                            fit.pod(),
                            ",\"candidates\":" + candidates + ",\"removed\":" + removed + ",\"added\":[" + added + "]"))
                    .map(document -> document.has(node.name()))
                    .orElse(false);
        } catch (PolicyException failed) {
            if (args.failurePolicy() == FailurePolicy.IGNORE) {
                return true;
            }
            throw failed;
        }
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        if (state.find(FIT).isPresent()) {
            return Status.success();
        }
        // A profile may disable the plugin at PreFilter and use only its scores.
        Optional<Fit> fit = state.find(LEFT_ALONE).isPresent() ? Optional.empty() : fit(pod, nodes, true);
        fit.ifPresent(weights -> state.put(FIT, weights));
        return fit.isPresent() ? Status.success() : Status.skip();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Fit fit = state.find(FIT).orElse(null);
        double weight = fit == null ? Double.NaN : fit.weights()[node.index()];
        return Double.isNaN(weight) ? 0 : Math.round(weight);
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        Optional<Fit> fit = state.find(FIT);
        if (fit.isEmpty() && state.find(LEFT_ALONE).isEmpty()) {
            // A profile may enable the plugin only at Score.
            List<NodeInfo> nodes = new ArrayList<>(scores.size());
            for (int i = 0; i < scores.size(); i++) {
                nodes.add(scores.node(i));
            }
            fit = fit(pod, nodes, true);
        }
        if (fit.isEmpty()) {
            return scores;
        }
        double[] weights = fit.get().weights();
        double lowest = Double.POSITIVE_INFINITY;
        double highest = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < scores.size(); i++) {
            double weight = weights[scores.node(i).index()];
            if (!Double.isNaN(weight)) {
                lowest = Math.min(lowest, weight);
                highest = Math.max(highest, weight);
            }
        }
        long[] normalized = new long[scores.size()];
        for (int i = 0; i < normalized.length; i++) {
            double weight = weights[scores.node(i).index()];
            normalized[i] = Double.isNaN(weight) ? 0 : scaled(weight, lowest, highest);
        }
        return scores.with(normalized);
    }

    private long scaled(double weight, double lowest, double highest) {
        if (args.weightRange().isPresent()) {
            WeightRange range = args.weightRange().get();
            double share = (weight - range.min()) / (range.max() - range.min());
            return (long) Math.floor(NodeScores.MAX * Math.max(0, Math.min(1, share)));
        }
        // Only the highest weight has the best score, however close the others are. Values are halved because a
        // difference may exceed the range of a double.
        return weight >= highest
                ? NodeScores.MAX
                : Math.min(NodeScores.MAX - 1, (long)
                        Math.floor(NodeScores.MAX * ((weight / 2 - lowest / 2) / (highest / 2 - lowest / 2))));
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        policies.data().assume(pod, nodeName);
        return Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        policies.data().forget(pod);
    }

    // A policy may read any of the objects that it sees.
    @Override
    public List<EventRegistration> eventsToRegister() {
        List<EventRegistration> events = new ArrayList<>();
        for (String resource : args.resources()) {
            events.add(EventRegistration.always(kind(resource).orElseThrow(), ActionType.ALL));
        }
        return events;
    }

    @Override
    public void close() {
        policies.close();
    }

    /**
     * Evaluates the policies for a pod.
     *
     * @return empty if the policies do not apply to the pod, or if they failed and the failure policy is IGNORE
     */
    private Optional<Fit> fit(Pod pod, List<NodeInfo> nodes, boolean isAboutThese) {
        String text = ObjectText.of(pod);
        String candidates = "";
        if (isAboutThese) {
            ArrayNode names = JSON.createArrayNode();
            for (NodeInfo node : nodes) {
                names.add(node.name());
            }
            candidates = ",\"candidates\":" + names;
        }
        long start = System.nanoTime();
        String result = "error";
        try {
            Optional<JsonNode> document = policies.fit(input(text, candidates));
            Optional<Fit> fit = Optional.empty();
            result = "undefined";
            if (document.isPresent()) {
                result = "error";
                fit = Optional.of(new Fit(text, weights(document.get(), nodes), Set.of(), List.of(), ""));
                result = document.get().isEmpty() ? "empty" : "fit";
            }
            log(pod, document, System.nanoTime() - start);
            return fit;
        } catch (PolicyException failed) {
            if (args.failurePolicy() == FailurePolicy.IGNORE) {
                handle.logger().warn("Pod is scheduled without the policy", "pod", pod, "err", failed.getMessage());
                return Optional.empty();
            }
            throw failed;
        } finally {
            policies.metrics().evaluated(result, Duration.ofNanos(System.nanoTime() - start));
        }
    }

    private String input(String pod, String more) {
        return "{\"pod\":" + pod + ",\"requested_pod\":" + pod + ",\"config\":" + config + more + "}";
    }

    private double[] weights(JsonNode document, List<NodeInfo> nodes) {
        if (!document.isObject()) {
            throw new PolicyException(
                    args.fitPath() + ": " + document.getNodeType() + " (expected: an object of node to weight)");
        }
        for (Map.Entry<String, JsonNode> entry : document.properties()) {
            JsonNode weight = entry.getValue();
            if (!weight.isNumber() || Double.isInfinite(weight.doubleValue())) {
                throw new PolicyException(args.fitPath() + ": weight of node " + entry.getKey() + ": " + weight
                        + " (expected: a number)");
            }
        }
        int size = 0;
        for (NodeInfo node : nodes) {
            size = Math.max(size, node.index() + 1);
        }
        double[] weights = new double[size];
        Arrays.fill(weights, Double.NaN);
        for (NodeInfo node : nodes) {
            JsonNode weight = document.get(node.name());
            if (weight != null) {
                weights[node.index()] = weight.doubleValue();
            }
        }
        return weights;
    }

    private void log(Pod pod, Optional<JsonNode> document, long nanos) {
        if (!handle.logger().isEnabled(PluginLogger.Level.DEBUG)) {
            return;
        }
        Map<String, String> shown = new TreeMap<>();
        if (document.isPresent()) {
            for (Map.Entry<String, JsonNode> entry : document.get().properties()) {
                if (shown.size() < MOST_LOGGED) {
                    shown.put(entry.getKey(), entry.getValue().toString());
                }
            }
        }
        handle.logger()
                .debug(
                        "Policy evaluated",
                        "pod",
                        pod,
                        "fit",
                        document.isPresent() ? shown : "undefined",
                        "nodes",
                        document.map(JsonNode::size).orElse(0),
                        "microseconds",
                        nanos / 1000);
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}, which registers the plugin. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new OpaPolicy(args, handle);
        }

        @Override
        public boolean needsPodJson() {
            return true;
        }

        @Override
        public boolean needsClusterJson() {
            return true;
        }
    }
}
