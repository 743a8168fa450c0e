// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Configurations of tests, without their first lines. */
final class ConfigTexts {
    static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    static final String PROFILE = "profiles:\n- schedulerName: a\n";

    static LoadedConfig load(String body) {
        return ConfigLoader.load(HEAD + body, "scheduler.yaml", SamplePlugins.all());
    }

    static ConfigException refusal(String body) {
        return catchThrowableOfType(ConfigException.class, () -> load(body));
    }

    private ConfigTexts() {}
}
