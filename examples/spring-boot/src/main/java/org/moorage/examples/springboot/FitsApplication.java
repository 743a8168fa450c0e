// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.springboot;

import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.clientjava.ClientJavaInformers;
import org.moorage.clientjava.ClientJavaRequests;
import org.moorage.clientjava.LenientListerWatcher;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.NewPods;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Answers over HTTP how many pods of a template would fit. */
@SpringBootApplication
public class FitsApplication {
    private static final int MOST = 1000;

    /** Starts it. */
    public static void main(String[] args) {
        SpringApplication.run(FitsApplication.class, args);
    }

    @Bean
    ApiClient client() throws IOException {
        return Config.defaultClient().setReadTimeout(0);
    }

    @Bean(destroyMethod = "stopAllRegisteredInformers")
    SharedInformerFactory informers(ApiClient client) {
        SharedInformerFactory factory = new SharedInformerFactory(client);
        factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
        factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
        factory.startAllRegisteredInformers();
        return factory;
    }

    @Bean
    Scheduler scheduler(ApiClient client, SharedInformerFactory informers) {
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        InformerCluster cluster =
                InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(informers));
        Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(plugins), plugins, cluster)
                .build();
        scheduler.start();
        return scheduler;
    }

    @Bean
    InformerCluster forAdmission(ApiClient client) {
        return InformerCluster.of(ClientJavaRequests.through(client), kind -> Optional.empty());
    }

    @Bean
    NewPods newPods(InformerCluster forAdmission) {
        NewPods newPods = new NewPods();
        newPods.watch(forAdmission);
        return newPods;
    }

    /** Asks. */
    @RestController
    static class Fits {
        private final Scheduler scheduler;
        private final NewPods newPods;

        Fits(Scheduler scheduler, NewPods newPods) {
            this.scheduler = scheduler;
            this.newPods = newPods;
        }

        record Answer(int fits, Map<String, Integer> byNode, String stoppedBy) {}

        /** How many pods of a template, a JSON text, would fit, of at most {@code count}. */
        @PostMapping("/fits")
        Answer fits(@RequestBody String template, @RequestParam(defaultValue = "100") int count) {
            AdmittedPod pod = newPods.admit(template);
            if (!pod.claims().isEmpty()) {
                throw new IllegalArgumentException("pods with per-pod claims are not supported");
            }
            try (WhatIf cluster = scheduler.whatIf()) {
                HowMany answer = cluster.howMany(pod.pod(), Math.min(count, MOST));
                return new Answer(answer.count(), answer.byNode(), answer.stoppedBy());
            }
        }

        @ExceptionHandler({ObjectRefusedException.class, ObjectDecodeException.class, IllegalArgumentException.class})
        @ResponseStatus(HttpStatus.UNPROCESSABLE_CONTENT)
        Map<String, String> refused(RuntimeException refused) {
            return Map.of("refused", String.valueOf(refused.getMessage()));
        }
    }
}
