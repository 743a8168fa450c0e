// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class ImageLocalityTest {
    private static final long MIB = 1L << 20;
    private static final Node WITH_IMAGES = Nodes.named("n")
            .image(300 * MIB, "web:latest", "mirror:5000/web:latest")
            .image(2000 * MIB, "model:v1")
            .image(23 * MIB, "tiny:1")
            .build();
    private static final Node OTHER = Nodes.named("other").build();

    private static final PluginTester PLUGIN =
            PluginTester.of(ImageLocality.FACTORY).cluster(WITH_IMAGES);

    record Case(String name, Pods pod, long score) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("an image that is not there counts nothing", Pods.named("p").image("db:1"), 0),
        new Case("a tiny image counts nothing", Pods.named("p").image("tiny:1"), 0),
        new Case("an image counts by its size", Pods.named("p").image("web:latest"), 28),
        new Case("no tag means latest", Pods.named("p").image("web"), 28),
        new Case("a port is no tag", Pods.named("p").image("mirror:5000/web"), 28),
        new Case("another tag is another image", Pods.named("p").image("web:1"), 0),
        new Case("a huge image counts no more than the best", Pods.named("p").image("model:v1"), 100),
        new Case(
                "each container raises what is the best",
                Pods.named("p").image("web").container("second").image("db:1"),
                14),
        new Case(
                "init containers count too",
                Pods.named("p").image("db:1").initContainer("first").image("web"),
                14),
        new Case(
                "the same image counts twice",
                Pods.named("p").image("web").container("second").image("web"),
                29),
        new Case("image volumes add", Pods.named("p").image("web").imageVolume("model:v1"), 100),
        new Case("and raise what is the best", Pods.named("p").image("web").imageVolume("db:1"), 14),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void scores(Case c) {
        PLUGIN.pod(c.pod.build()).scores("n", c.score);
    }

    @Test
    void countsAnImageLessThatFewNodesHold() {
        PLUGIN.cluster(OTHER).pod(Pods.named("p").image("web").build()).scores("n", 12);
    }

    @Test
    void distinguishesPodsOfOtherImages() {
        Pod web = Pods.named("p").image("web").build();
        Pod model = Pods.named("q").image("model:v1").build();
        try (TestScheduler scheduler = PLUGIN.start()) {
            scheduler.pod(web).scores("n", 28);
            scheduler.pod(model).scores("n", 100);
            scheduler.pod(web).scores("n", 28);
        }
    }
}
