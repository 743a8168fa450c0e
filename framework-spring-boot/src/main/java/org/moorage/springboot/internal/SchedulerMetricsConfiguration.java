// SPDX-License-Identifier: Apache-2.0
package org.moorage.springboot.internal;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.moorage.runtime.Scheduler;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The metrics, in applications with Micrometer. Spring Boot binds them to its registry. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterBinder.class)
public final class SchedulerMetricsConfiguration {
    /** Created by Spring. */
    public SchedulerMetricsConfiguration() {}

    @Bean
    SchedulerMeters moorageMeters() {
        return new SchedulerMeters();
    }

    @Bean
    MeterBinder moorageGauges(Scheduler scheduler) {
        return registry -> SchedulerMeters.addGauges(registry, scheduler);
    }
}
