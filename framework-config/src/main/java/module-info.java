// SPDX-License-Identifier: Apache-2.0
/** kube-scheduler's configuration format, and the plugins that a configuration may name. */
module org.moorage.config {
    requires com.fasterxml.jackson.databind;
    requires static org.jspecify;
    requires transitive org.moorage.api;
    requires transitive org.moorage.objects;
    requires org.yaml.snakeyaml;

    exports org.moorage.config;
    exports org.moorage.config.cloud;
    exports org.moorage.config.older;
    exports org.moorage.config.plugin;

    uses org.moorage.api.plugin.PluginFactory;
}
