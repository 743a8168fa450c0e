// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import java.net.http.HttpClient;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Extender;
import org.moorage.api.plugin.Problems;
import org.moorage.config.ExtenderConfig;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;

/**
 * The extenders of a configuration, in the order in which they are called. An ignorable extender is skipped if it
 * fails. Immutable; safe for use by several threads.
 */
public final class Extenders implements AutoCloseable {
    /** The plugin name for rejections by extenders. */
    public static final String NAME = "Extender";

    public static final Extenders NONE = new Extenders(List.of(), List.of(), Listeners.NONE);

    private static final String PRIORITIZING = "prioritizing_extender";
    private static final Log LOG = Log.of(Extenders.class);

    private final List<HttpExtender> all;
    private final List<ExtenderConnection> connections;
    private final Listeners listeners;
    private final boolean filter;
    private final boolean prioritize;

    private Extenders(List<HttpExtender> all, List<ExtenderConnection> connections, Listeners listeners) {
        this.all = List.copyOf(all);
        this.connections = List.copyOf(connections);
        this.listeners = listeners;
        filter = all.stream().anyMatch(HttpExtender::isFilter);
        prioritize = all.stream().anyMatch(HttpExtender::isPrioritizer);
    }

    /**
     * Returns the extenders of a configuration. Those with the same TLS settings share their connections.
     *
     * @param configs the extenders, in the order in which they are called
     * @param snapshot the nodes of the cycle
     * @param clock measures how long requests take
     * @param listeners receive the start and the end of requests for scores
     * @param problems receives unusable files of certificates and keys, relative to the configuration
     */
    public static Extenders of(
            List<ExtenderConfig> configs,
            Supplier<Snapshot> snapshot,
            InstantSource clock,
            Listeners listeners,
            Problems problems) {
        if (configs.isEmpty()) {
            return NONE;
        }
        Map<ExtenderTls, ExtenderConnection> connections = new LinkedHashMap<>();
        List<HttpExtender> extenders = new ArrayList<>();
        for (ExtenderConfig config : configs) {
            ExtenderTls tls = new ExtenderTls(config.enableHttps(), config.tls());
            ExtenderConnection connection = connections.computeIfAbsent(
                    tls, given -> new ExtenderConnection(client(config, given, problems), clock));
            extenders.add(new HttpExtender(config, connection, snapshot));
        }
        return new Extenders(extenders, List.copyOf(connections.values()), listeners);
    }

    private static HttpClient client(ExtenderConfig config, ExtenderTls tls, Problems problems) {
        HttpClient.Builder client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NORMAL);
        tls.applyTo(client, problems.at("extenders[" + config.urlPrefix() + "]").at("tlsConfig"));
        return client.build();
    }

    /** Returns the extenders, for plugins that call them. */
    public List<Extender> all() {
        return List.copyOf(all);
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    public boolean filter() {
        return filter;
    }

    /** Returns whether one of them scores. */
    public boolean prioritize() {
        return prioritize;
    }

    /**
     * Runs the extenders that filter, one after the other. Each filters the nodes that the previous ones have left.
     *
     * @param nodes the nodes on which the pod fits
     * @param statuses receives the status of each node that an extender reports as failed
     * @return the nodes that are left
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    public List<NodeInfo> filter(Pod pod, List<NodeInfo> nodes, Map<String, Status> statuses) {
        List<NodeInfo> left = nodes;
        for (HttpExtender extender : all) {
            if (left.isEmpty()) {
                break;
            }
            if (extender.isFilter() && extender.isInterested(pod)) {
                try {
                    left = extender.filter(pod, left, statuses);
                } catch (ExtenderException failure) {
                    ignore(extender, failure, "Skipping extender as it returned error and has ignorable flag set");
                }
            }
        }
        return left;
    }

    private static void ignore(HttpExtender extender, ExtenderException failure, String message) {
        if (!extender.isIgnorable()) {
            throw failure;
        }
        LOG.atInfo()
                .addKeyValue("extender", extender.name())
                .addKeyValue("err", failure.getMessage())
                .log(message);
    }

    /**
     * The scores of one extender.
     *
     * @param extender its name
     * @param scores its weighted scores by node
     */
    public record ExtenderScores(String extender, Map<String, Long> scores) {}

    /** Requests scores from all extenders that score, at the same time. An extender that fails adds no scores. */
    public List<ExtenderScores> prioritize(Pod pod, List<NodeInfo> nodes) {
        Map<HttpExtender, ExtenderConnection.Call> calls = new LinkedHashMap<>();
        List<ExtenderScores> scores = new ArrayList<>();
        for (HttpExtender extender : all) {
            if (extender.isInterested(pod)) {
                if (extender.isPrioritizer()) {
                    listeners.measure(listener -> listener.taskStarted(PRIORITIZING));
                    calls.put(extender, extender.startPrioritize(pod, nodes));
                } else {
                    scores.add(new ExtenderScores(extender.name(), zeros(nodes)));
                }
            }
        }
        calls.forEach((extender, call) -> {
            try {
                scores.add(new ExtenderScores(extender.name(), extender.awaitPrioritize(call)));
            } catch (ExtenderException failure) {
                LOG.atDebug()
                        .addKeyValue("pod", pod.key())
                        .addKeyValue("extender", extender.name())
                        .addKeyValue("err", failure.getMessage())
                        .log("Failed to run extender's priority function. No score given by this extender.");
            } finally {
                listeners.measure(listener -> listener.taskEnded(PRIORITIZING));
            }
        });
        return scores;
    }

    // As in kube-scheduler, a score of 0 makes the choice among equal nodes random.
    private static Map<String, Long> zeros(List<NodeInfo> nodes) {
        Map<String, Long> zeros = new HashMap<>();
        for (NodeInfo node : nodes) {
            zeros.put(node.name(), 0L);
        }
        return zeros;
    }

    public boolean canBind(Pod pod) {
        return !binders(pod).isEmpty();
    }

    private List<HttpExtender> binders(Pod pod) {
        return all.stream()
                .filter(extender -> extender.isBinder() && extender.isInterested(pod))
                .toList();
    }

    /**
     * Binds the pod with the first extender that binds and is interested in the pod.
     *
     * @return whether an extender has bound it
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    public boolean bind(Pod pod, String nodeName) {
        for (HttpExtender extender : binders(pod)) {
            try {
                extender.bind(pod, nodeName);
                return true;
            } catch (ExtenderException failure) {
                ignore(extender, failure, "Skipping extender in bind as it returned error and has ignorable flag set");
            }
        }
        return false;
    }

    /** Cancels all running requests. */
    @Override
    public void close() {
        connections.forEach(ExtenderConnection::close);
    }
}
