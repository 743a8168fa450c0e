// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.cluster.Nomination;

final class NominatorTest {
    private static final Pod POD = QueueFixture.pod("pod");
    private static final Pod OTHER = QueueFixture.pod("other");

    private final Map<String, Pod> cluster = new HashMap<>();
    private final Nominator nominator =
            new Nominator((namespace, name) -> Optional.ofNullable(cluster.get(namespace + "/" + name)));

    @BeforeEach
    void podsWait() {
        cluster.put(POD.key(), POD);
        cluster.put(OTHER.key(), OTHER);
    }

    private static Pod saying(String nodeName) {
        return POD.withStatus(PodStatus.builder().nominatedNodeName(nodeName).build());
    }

    private static Nomination to(String nodeName) {
        return Nomination.to(nodeName);
    }

    @Test
    void keepsWhatTheStatusSays() {
        nominator.add(saying("a"), Nomination.keep());

        assertThat(nominator.nominatedPodsFor("a")).extracting(Pod::uid).containsExactly(POD.uid());
        assertThat(nominator.nodeNameFor(POD)).contains("a");
    }

    @Test
    void prefersItsOwnNominationOverTheStatus() {
        nominator.add(saying("a"), to("b"));

        assertThat(nominator.nominatedPodsFor("a")).isEmpty();
        assertThat(nominator.nominatedPodsFor("b")).hasSize(1);
    }

    @Test
    void takesANominationBack() {
        nominator.add(saying("a"), Nomination.keep());
        nominator.add(saying("a"), Nomination.clear());

        assertThat(nominator.nominatedPodsFor("a")).isEmpty();
        assertThat(nominator.nodeNameFor(POD)).isEmpty();
    }

    @Test
    void nominatesAPodOnce() {
        nominator.add(POD, to("a"));
        nominator.add(OTHER, to("a"));
        nominator.add(POD, to("a"));
        nominator.add(OTHER, to("b"));

        assertThat(nominator.nominatedPodsFor("a")).containsExactly(POD);
        assertThat(nominator.nominatedPodsFor("b")).containsExactly(OTHER);
    }

    @Test
    void nominatesNoPodThatIsGone() {
        cluster.clear();
        nominator.add(POD, to("a"));

        assertThat(nominator.nominatedPodsFor("a")).isEmpty();
    }

    @Test
    void endsTheNominationOfAPodThatHasGotANode() {
        nominator.add(POD, to("a"));
        cluster.put(POD.key(), POD.withNode("b"));
        nominator.add(POD, to("a"));

        assertThat(nominator.nominatedPodsFor("a")).isEmpty();
    }

    @Test
    void staysThroughAnUpdateThatDoesNotKnowOfIt() {
        nominator.add(POD, to("a"));
        Pod changed = QueueFixture.labelled(POD, "x");
        nominator.update(POD, changed);

        assertThat(nominator.nominatedPodsFor("a")).containsExactly(changed);
    }

    @Test
    void followsAnUpdateThatNamesAnotherNode() {
        nominator.add(saying("a"), Nomination.keep());
        nominator.update(saying("a"), saying("b"));

        assertThat(nominator.nominatedPodsFor("a")).isEmpty();
        assertThat(nominator.nominatedPodsFor("b")).hasSize(1);
    }

    @Test
    void endsWithAnUpdateThatNamesNoNodeAnyMore() {
        nominator.add(saying("a"), Nomination.keep());
        nominator.update(saying("a"), POD);

        assertThat(nominator.nominatedPodsFor("a")).isEmpty();
    }

    @Test
    void endsWithThePod() {
        nominator.add(POD, to("a"));
        nominator.add(OTHER, to("a"));
        nominator.delete(POD);
        nominator.delete(POD);

        assertThat(nominator.nominatedPodsFor("a")).containsExactly(OTHER);
    }
}
