// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.election.LeaderElector.Role;

class LeaderElectorTest {
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration HOUR = Duration.ofHours(1);

    private final ModelLeaseServer server = new ModelLeaseServer();
    private final LeaderElector first = candidate("a");
    private final LeaderElector second = candidate("b");

    private LeaderElector candidate(String identity) {
        LeaderElection settings = new LeaderElection(
                true, Duration.ofSeconds(15), Duration.ofSeconds(10), RETRY, "leases", "kube-scheduler", "kube-system");
        return new LeaderElector(
                settings,
                identity,
                new LeaseLock("kube-system", "kube-scheduler", server),
                server,
                server,
                new Random(1));
    }

    private String holder() {
        return server.lease().path("spec").path("holderIdentity").asText();
    }

    /** Lets candidates try as often as they want to for so long; stops when one of them leads. */
    private Duration untilLeading(LeaderElector candidate, Duration atMost) {
        Duration waited = Duration.ZERO;
        while (candidate.role() != Role.LEADER && waited.compareTo(atMost) < 0) {
            Duration wait = candidate.attempt();
            if (candidate.role() != Role.LEADER) {
                server.pass(wait);
                waited = waited.plus(wait);
            }
        }
        return waited;
    }

    private void run(LeaderElector candidate, Duration time) {
        long end = server.getAsLong() + time.toNanos();
        while (server.getAsLong() < end && candidate.role() != Role.LOST) {
            server.pass(candidate.attempt());
        }
    }

    @Nested
    class Acquiring {
        @Test
        void makesTheLeaseAsKubeSchedulerDoes() {
            first.attempt();

            assertThat(server.lease().path("spec").toString())
                    .isEqualTo("{\"holderIdentity\":\"a\",\"leaseDurationSeconds\":15,"
                            + "\"acquireTime\":\"2026-04-12T10:00:00.000000Z\",\"renewTime\":\"2026-04-12T10:00:00.000000Z\","
                            + "\"leaseTransitions\":0}");
            assertThat(server.events).containsExactly("a became leader");
            assertThat(first.mayWrite()).isTrue();
        }

        @Test
        void standsByWhileAnotherRenews() {
            first.attempt();
            for (int i = 0; i < 100; i++) {
                server.pass(RETRY);
                first.attempt();
                second.attempt();
            }
            assertThat(second.role()).isEqualTo(Role.STANDBY);
            assertThat(second.mayWrite()).isFalse();
            assertThat(holder()).isEqualTo("a");
        }

        @Test
        void takesTheLeaseOfOneThatDied() {
            first.attempt();
            second.attempt();

            assertThat(untilLeading(second, Duration.ofMinutes(1)))
                    .isBetween(Duration.ofSeconds(15), Duration.ofSeconds(18));
            assertThat(server.lease().path("spec").path("leaseTransitions").asInt())
                    .isEqualTo(1);
        }

        @Test
        void takesAReleasedLeaseWithinThreeSeconds() {
            first.attempt();
            second.attempt();
            first.release();

            assertThat(holder()).isEmpty();
            assertThat(server.lease().path("spec").path("leaseDurationSeconds").asInt())
                    .isEqualTo(1);
            assertThat(first.mayWrite()).isFalse();
            assertThat(untilLeading(second, Duration.ofMinutes(1))).isLessThan(Duration.ofSeconds(3));
            assertThat(server.events).containsExactly("a became leader", "a stopped leading", "b became leader");
        }

        @Test
        void takesALeaseThatSaysNothingButItsHolder() {
            first.attempt();
            ObjectNode lease = server.lease();
            lease.putObject("spec").put("holderIdentity", "");
            server.put(lease);
            first.release();

            second.attempt();

            assertThat(second.role()).isEqualTo(Role.LEADER);
        }

        @Test
        void letsOneOfTwoWinThatTryAtOnce() {
            first.attempt();
            first.release();
            second.attempt();
            LeaderElector third = candidate("c");
            third.attempt();

            assertThat(second.role()).isEqualTo(Role.LEADER);
            assertThat(third.role()).isEqualTo(Role.STANDBY);
        }
    }

    @Nested
    class Renewing {
        @Test
        void keepsWhatElseTheLeaseSays() {
            first.attempt();
            ObjectNode lease = server.lease();
            lease.withObjectProperty("spec").put("strategy", "OldestEmulationVersion");
            lease.withObjectProperty("metadata").putObject("labels").put("a", "b");
            server.put(lease);

            server.pass(RETRY);
            first.attempt();

            assertThat(first.role()).isEqualTo(Role.LEADER);
            assertThat(server.lease().path("spec").path("strategy").asText()).isEqualTo("OldestEmulationVersion");
            assertThat(server.lease().path("metadata").path("labels").path("a").asText())
                    .isEqualTo("b");
            assertThat(server.lease().path("spec").path("acquireTime").asText())
                    .isEqualTo("2026-04-12T10:00:00.000000Z");
            assertThat(server.lease().path("spec").path("renewTime").asText()).isEqualTo("2026-04-12T10:00:02.000000Z");
        }

        @Test
        void recreatesADeletedLease() {
            first.attempt();
            server.delete();
            server.pass(RETRY);
            first.attempt();

            assertThat(first.role()).isEqualTo(Role.LEADER);
            assertThat(holder()).isEqualTo("a");
        }

        @Test
        void doesNotDependOnTheWallClock() {
            first.attempt();
            second.attempt();
            for (Duration jump : new Duration[] {HOUR, HOUR.negated().multipliedBy(2)}) {
                server.setWallClock(server.instant().plus(jump));
                run(first, Duration.ofSeconds(6));
                second.attempt();
                assertThat(first.mayWrite()).isTrue();
                assertThat(second.role()).isEqualTo(Role.STANDBY);
            }
        }
    }

    /**
     * A step in the life of a leader.
     *
     * @param name a sentence
     * @param what happens
     * @param role what the leader is 11 seconds later
     */
    private record Case(String name, Consumer<LeaderElectorTest> what, Role role) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("nothing", test -> {}, Role.LEADER),
                new Case(
                        "requests fail for longer than the renew deadline",
                        test -> test.server.answer = ModelLeaseServer.Answer.FAILURE,
                        Role.LOST),
                new Case(
                        "changes are made and their answers are lost",
                        test -> test.server.answer = ModelLeaseServer.Answer.LOST,
                        Role.LOST),
                new Case(
                        "answers are slow, but in time",
                        test -> test.server.latency = Duration.ofSeconds(3),
                        Role.LEADER),
                new Case(
                        "another one has taken the lease",
                        test -> {
                            ObjectNode lease = test.server.lease();
                            lease.withObjectProperty("spec").put("holderIdentity", "b");
                            test.server.put(lease);
                        },
                        Role.LOST),
                new Case(
                        "another client has cleared the Lease",
                        test -> {
                            ObjectNode lease = test.server.lease();
                            lease.withObjectProperty("spec").put("holderIdentity", "");
                            test.server.put(lease);
                        },
                        Role.LEADER),
                new Case(
                        "another client has changed the object",
                        test -> test.server.put(test.server.lease()),
                        Role.LEADER),
                new Case("the wall clock jumps", test -> test.server.setWallClock(Instant.EPOCH), Role.LEADER));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void aLeaderAfterElevenSeconds(Case test) {
        first.attempt();
        test.what().accept(this);
        run(first, Duration.ofSeconds(11));

        assertThat(first.role()).isEqualTo(test.role());
        assertThat(first.mayWrite()).isEqualTo(test.role() == Role.LEADER);
    }

    @Nested
    class Losing {
        @Test
        void writesNothingAfterTheLeaseHasRunOutWhileTheProcessWasStopped() {
            first.attempt();
            server.pass(Duration.ofSeconds(14).plusMillis(999));
            assertThat(first.mayWrite()).isTrue();
            server.pass(Duration.ofMillis(1));
            assertThat(first.mayWrite()).isFalse();

            // The thread resumes.
            assertThat(first.attempt()).isZero();
            assertThat(first.role()).isEqualTo(Role.LOST);
            assertThat(server.events).containsExactly("a became leader");
        }

        @Test
        void isLostIfTheAnswerToARenewalComesAfterTheProcessWasStopped() {
            first.attempt();
            server.pass(RETRY);
            server.latency = Duration.ofSeconds(10);
            first.attempt();

            assertThat(first.role()).isEqualTo(Role.LOST);
            assertThat(first.mayWrite()).isFalse();
        }

        @Test
        void doesNotLeadIfTheAnswerToTheFirstRequestComesTooLate() {
            server.latency = Duration.ofSeconds(10);
            first.attempt();

            assertThat(first.mayWrite()).isFalse();
            assertThat(server.events).isEmpty();
        }

        @Test
        void reportsTheLossWhileTheLeaseIsValid() {
            first.attempt();
            server.answer = ModelLeaseServer.Answer.FAILURE;
            run(first, Duration.ofSeconds(9));
            server.answer = ModelLeaseServer.Answer.NORMAL;
            server.pass(Duration.ofSeconds(1));
            first.attempt();

            assertThat(server.events).containsExactly("a became leader", "a stopped leading");
        }

        @Test
        void releasesNothingThatItDoesNotHold() {
            first.attempt();
            second.attempt();
            second.release();

            assertThat(holder()).isEqualTo("a");
        }

        @Test
        void isUnhealthyIfItHasNotNoticedForLong() {
            first.attempt();
            server.pass(Duration.ofSeconds(35));
            assertThat(first.check()).isEmpty();
            server.pass(Duration.ofMillis(1));

            assertThat(first.check()).contains("failed election to renew leadership on lease kube-scheduler");
        }
    }
}
