// SPDX-License-Identifier: Apache-2.0
package org.moorage.springboot.internal;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health indicator, in applications with Spring Boot's health module. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(HealthIndicator.class)
public final class SchedulerHealthConfiguration {
    /** Created by Spring. */
    public SchedulerHealthConfiguration() {}

    // Spring makes its name, moorage, of the name of the bean.
    @Bean
    SchedulerHealthIndicator moorageHealthIndicator(SchedulerLifecycle lifecycle) {
        return new SchedulerHealthIndicator(lifecycle);
    }
}
