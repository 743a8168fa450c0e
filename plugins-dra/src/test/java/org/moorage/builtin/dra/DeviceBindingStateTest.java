// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ResourceClaim;

class DeviceBindingStateTest {
    private static final String RESULT =
            "{request: r, driver: d, pool: p, device: a, bindingConditions: [attached, ready],"
                    + " bindingFailureConditions: [failed]}";

    private record Case(String name, String status, DeviceBindingState state) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static String status(String result, String conditions) {
        return "allocation: {allocationTimestamp: '2026-01-01T00:00:00Z', devices: {results: [" + result
                + "]}}, devices: [{driver: d, pool: p, device: a, conditions: [" + conditions + "]}]";
    }

    private static String condition(String type, String status) {
        return "{type: " + type + ", status: '" + status + "', reason: Why, message: how}";
    }

    private static ResourceClaim claim(String status) {
        return DeviceObjects.claim("c", "{}", status);
    }

    static final List<Case> CASES = List.of(
            new Case("a claim that is not allocated", "{}", DeviceBindingState.PENDING),
            new Case(
                    "a device without binding conditions",
                    "allocation: {devices: {results: [{request: r, driver: d, pool: p, device: a}]}}",
                    DeviceBindingState.READY),
            new Case(
                    "a device that its driver does not report on",
                    "allocation: {devices: {results: [" + RESULT + "]}}",
                    DeviceBindingState.PENDING),
            new Case(
                    "one of two conditions is true",
                    status(RESULT, condition("ready", "True")),
                    DeviceBindingState.PENDING),
            new Case(
                    "both conditions are true",
                    status(RESULT, condition("ready", "True") + ", " + condition("attached", "True")),
                    DeviceBindingState.READY),
            new Case(
                    "a condition is unknown",
                    status(RESULT, condition("ready", "Unknown") + ", " + condition("attached", "True")),
                    DeviceBindingState.PENDING),
            new Case(
                    "a failure condition is true",
                    status(RESULT, condition("ready", "True") + ", " + condition("failed", "True")),
                    DeviceBindingState.FAILED),
            new Case(
                    "a failure condition is false",
                    status(
                            RESULT,
                            condition("ready", "True") + ", " + condition("attached", "True") + ", "
                                    + condition("failed", "False")),
                    DeviceBindingState.READY));

    @ParameterizedTest
    @FieldSource("CASES")
    void followsTheConditions(Case expected) {
        assertThat(DeviceBindingState.of(claim(expected.status))).isEqualTo(expected.state);
    }

    @Test
    void saysWhyADeviceFailed() {
        assertThat(DeviceBindingState.failure(claim(status(RESULT, condition("failed", "True")))))
                .isEqualTo("device binding failed: claim=c, reason=Why, message=\"how\"");
    }

    @ParameterizedTest
    @CsvSource({"600, false", "601, true"})
    void timesOutAfterTheBindingTimeout(long seconds, boolean isTimedOut) {
        Instant now = Instant.parse("2026-01-01T00:00:00Z").plusSeconds(seconds);
        assertThat(DeviceBindingState.isTimedOut(claim(status(RESULT, "")), Duration.ofMinutes(10), now))
                .isEqualTo(isTimedOut);
    }

    @Test
    void doesNotTimeOutWithoutBindingConditions() {
        ResourceClaim claim = claim(status("{request: r, driver: d, pool: p, device: a}", ""));
        assertThat(DeviceBindingState.isTimedOut(claim, Duration.ofMinutes(10), Instant.MAX))
                .isFalse();
    }
}
