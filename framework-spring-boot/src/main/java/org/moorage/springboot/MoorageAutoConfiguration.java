// SPDX-License-Identifier: Apache-2.0
package org.moorage.springboot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.kubernetes.scheduler.KubernetesScheduler;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.admission.NewPods;
import org.moorage.springboot.internal.SchedulerHealthConfiguration;
import org.moorage.springboot.internal.SchedulerLifecycle;
import org.moorage.springboot.internal.SchedulerMetricsConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.Resource;

/**
 * Creates a {@link Scheduler} of an API server's cluster from {@link MoorageProperties}, and {@link NewPods}, which
 * admits the pods to ask about. The application starts, and opens its ports, when the objects of the cluster are known.
 *
 * <p>Beans of the application that are used: each {@link PluginFactory} is a further plugin that the configuration may
 * enable, and each {@link SchedulerListener} receives the scheduler's events. A {@link PluginRegistry}, {@link
 * LoadedConfig} or {@link ApiConnection} replaces the one from the properties. If the application has a {@link
 * Scheduler}, nothing is created.
 */
@AutoConfiguration
@ConditionalOnProperty(name = "moorage.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(Scheduler.class)
@EnableConfigurationProperties(MoorageProperties.class)
@Import({SchedulerHealthConfiguration.class, SchedulerMetricsConfiguration.class})
public final class MoorageAutoConfiguration {
    /** Created by Spring. */
    public MoorageAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    PluginRegistry mooragePlugins(ObjectProvider<PluginFactory<?>> own) {
        return PluginRegistry.of(KubeSchedulerPlugins.all())
                .with(own.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    LoadedConfig moorageConfig(MoorageProperties properties, PluginRegistry plugins) throws IOException {
        Resource config = properties.config();
        return config == null
                ? ConfigLoader.defaults(plugins)
                : ConfigLoader.load(config.getContentAsString(UTF_8), config.getDescription(), plugins);
    }

    @Bean
    @ConditionalOnMissingBean
    ApiConnection moorageConnection(MoorageProperties properties, LoadedConfig config) {
        String context = properties.context();
        if (!properties.kubeconfig().isEmpty()) {
            return new ApiConnection(
                    Stream.of(properties.kubeconfig().split(File.pathSeparator))
                            .map(Path::of)
                            .toList(),
                    Optional.empty(),
                    context.isEmpty() ? Optional.empty() : Optional.of(context));
        }
        if (!context.isEmpty()) {
            throw new IllegalArgumentException(
                    "moorage.context: " + context + " (expected: only with moorage.kubeconfig)");
        }
        String named = config.config().clientConnection().kubeconfig();
        return new ApiConnection(named.isEmpty() ? Optional.empty() : Optional.of(Path.of(named)), Optional.empty());
    }

    @Bean
    SchedulerLifecycle moorageLifecycle(
            MoorageProperties properties,
            LoadedConfig config,
            PluginRegistry plugins,
            ApiConnection connection,
            ObjectProvider<SchedulerListener> listeners,
            ApplicationEventPublisher events) {
        ThreadFactory threads = Executors.defaultThreadFactory();
        KubernetesScheduler.Builder builder = KubernetesScheduler.builder(config, plugins)
                .connection(connection)
                .settings(settings -> withListeners(settings, listeners));
        KubernetesCluster admission = new KubernetesCluster(
                connection.open(),
                ClusterSettings.on(ClusterSettings.ownHostName()),
                InstantSource.system(),
                new Random(),
                threads);
        return new SchedulerLifecycle(
                builder, admission, new NewPods(config.featureGates()), mode(properties, config), threads, events);
    }

    private static SchedulerLifecycle.Mode mode(MoorageProperties properties, LoadedConfig config) {
        if (!properties.schedules()) {
            return SchedulerLifecycle.Mode.FOLLOWS;
        }
        return config.config().delayCacheUntilActive()
                ? SchedulerLifecycle.Mode.SCHEDULES_WITHOUT_CACHE_BEFORE
                : SchedulerLifecycle.Mode.SCHEDULES;
    }

    private static SchedulerBuilder withListeners(
            SchedulerBuilder settings, ObjectProvider<SchedulerListener> listeners) {
        listeners.orderedStream().forEach(settings::listener);
        return settings;
    }

    @Bean(destroyMethod = "")
    Scheduler moorageScheduler(SchedulerLifecycle lifecycle) {
        return lifecycle.scheduler();
    }

    @Bean
    NewPods moorageNewPods(SchedulerLifecycle lifecycle) {
        return lifecycle.newPods();
    }
}
