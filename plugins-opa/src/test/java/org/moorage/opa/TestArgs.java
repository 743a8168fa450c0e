// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.util.List;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;

/** Arguments as a configuration has them. */
final class TestArgs {
    private TestArgs() {}

    static OpaPolicy.Args of(String yaml) {
        PluginRegistry registry = PluginRegistry.of(List.of(new OpaPolicy.Factory()));
        LoadedConfig loaded = ConfigLoader.load("""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - schedulerName: default-scheduler
                  plugins: {multiPoint: {enabled: [{name: OpaPolicy}], disabled: [{name: "*"}]}}
                  pluginConfig:
                  - name: OpaPolicy
                    args: {%s}
                """.formatted(yaml), "config", registry);
        return (OpaPolicy.Args) loaded.config().profiles().get(0).args().get(OpaPolicy.NAME);
    }
}
