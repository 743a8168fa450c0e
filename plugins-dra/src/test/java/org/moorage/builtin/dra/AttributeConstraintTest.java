// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.exactly;
import static org.moorage.builtin.dra.DeviceObjects.firstAvailable;
import static org.moorage.builtin.dra.DeviceObjects.subrequest;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;

/** Constraints on attributes, as the allocator keeps them. */
class AttributeConstraintTest {
    private static final String IMPOSSIBLE = "cannot allocate all claims";

    private record Case(String name, UnaryOperator<AllocationQuestion> question, String answer) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String DERIVED = "derivedAttributes: [{name: gpu.example.com/numa, expression:"
            + " \"device.attributes['gpu.example.com'].slot / 10\"}]";

    static final List<Case> MATCH = List.of(
            new Case(
                    "devices with the same value are taken",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 1}}}",
                                    "{name: c, attributes: {numa: {int: 0}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=a r=c"),
            new Case(
                    "no two devices have the same value",
                    q -> q.devices("{name: a, attributes: {numa: {int: 0}}}", "{name: b, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    IMPOSSIBLE),
            new Case(
                    "the first device is exchanged for the sake of the second",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 1}}}",
                                    "{name: c, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=b r=c"),
            new Case(
                    "a device without the attribute is skipped",
                    q -> q.devices(
                                    "{name: a, attributes: {}}",
                                    "{name: b, attributes: {numa: {int: 1}}}",
                                    "{name: c, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=b r=c"),
            new Case(
                    "values of different types differ",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 1}}}",
                                    "{name: b, attributes: {numa: {string: '1'}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    IMPOSSIBLE),
            new Case(
                    "versions are compared as text",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {version: 1.0.0}}}",
                                    "{name: b, attributes: {numa: {version: 1.0.0}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=a r=b"),
            new Case(
                    "an attribute may be qualified by another domain",
                    q -> q.devices(
                                    "{name: a, attributes: {example.org/numa: {int: 1}}}",
                                    "{name: b, attributes: {example.org/numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: example.org/numa}]"),
                    "r=a r=b"),
            new Case(
                    "the device's own name of an attribute is in the domain of the driver",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {gpu.example.com/numa: {int: 0}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=a r=b"),
            new Case(
                    "it holds across the requests of a claim",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 1}}}",
                                    "{name: c, attributes: {numa: {int: 0}}}")
                            .claim("requests: [" + exactly("r", "") + ", " + exactly("s", "")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=a s=c"),
            new Case(
                    "it may name requests",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 1}}}",
                                    "{name: c, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "") + ", " + exactly("s", "") + ", " + exactly("t", "")
                                    + "], constraints: [{requests: [s, t], matchAttribute: gpu.example.com/numa}]"),
                    "r=a s=b t=c"),
            new Case(
                    "it may name a subrequest",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 1}}}",
                                    "{name: c, attributes: {numa: {int: 0}}}")
                            .claim("requests: [" + firstAvailable("r", subrequest("x", "")) + ", " + exactly("s", "")
                                    + "], constraints: [{requests: [r/x, s], matchAttribute: gpu.example.com/numa}]"),
                    "r/x=a s=c"),
            new Case(
                    "it says nothing of another claim",
                    q -> q.devices("{name: a, attributes: {numa: {int: 0}}}", "{name: b, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]")
                            .requests(exactly("r", "")),
                    "r=a | r=b"),
            new Case(
                    "two constraints hold together",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}, model: {string: x}}}",
                                    "{name: b, attributes: {numa: {int: 0}, model: {string: 'y'}}}",
                                    "{name: c, attributes: {numa: {int: 0}, model: {string: x}}}")
                            .claim(
                                    "requests: [" + exactly("r", "count: 2")
                                            + "], constraints: [{matchAttribute: gpu.example.com/numa}, {matchAttribute: gpu.example.com/model}]"),
                    "r=a r=c"),
            new Case(
                    "all devices that match must have the same value",
                    q -> q.devices("{name: a, attributes: {numa: {int: 0}}}", "{name: b, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "allocationMode: All")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "claim default/c0, request r: cannot add device gpu.example.com/n1/b because a claim constraint would not be satisfied"),
            new Case(
                    "lists of values are of an unknown type while that feature is off",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {ints: [1, 2]}}}",
                                    "{name: b, attributes: {numa: {ints: [1, 2]}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    IMPOSSIBLE),
            new Case(
                    "otherwise devices with a value in common are taken",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {ints: [1, 2]}}}",
                                    "{name: b, attributes: {numa: {ints: [2, 3]}}}",
                                    "{name: c, attributes: {numa: {int: 3}}}")
                            .feature(FeatureGates.DRA_LIST_TYPE_ATTRIBUTES, true)
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=a r=b"),
            new Case(
                    "the value must be common to all of them",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {ints: [1, 2]}}}",
                                    "{name: b, attributes: {numa: {ints: [2, 3]}}}",
                                    "{name: c, attributes: {numa: {ints: [3, 1]}}}")
                            .feature(FeatureGates.DRA_LIST_TYPE_ATTRIBUTES, true)
                            .claim("requests: [" + exactly("r", "count: 3")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    IMPOSSIBLE),
            new Case(
                    "what was in common is known again when a device is exchanged",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {ints: [1, 2]}}}",
                                    "{name: b, attributes: {numa: {ints: [2]}}}",
                                    "{name: c, attributes: {numa: {ints: [1]}}}",
                                    "{name: d, attributes: {numa: {ints: [1]}}}")
                            .feature(FeatureGates.DRA_LIST_TYPE_ATTRIBUTES, true)
                            .claim("requests: [" + exactly("r", "count: 3")
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=a r=c r=d"),
            new Case(
                    "an attribute that a request derives stands for the device's own",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}, slot: {int: 10}}}",
                                    "{name: b, attributes: {numa: {int: 0}, slot: {int: 20}}}",
                                    "{name: c, attributes: {numa: {int: 1}, slot: {int: 15}}}")
                            .feature(FeatureGates.DRA_DERIVED_ATTRIBUTES, true)
                            .claim("requests: [" + exactly("r", "count: 2, " + DERIVED)
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "r=a r=c"),
            new Case(
                    "the expression fails for a device",
                    q -> q.devices("{name: a, attributes: {numa: {int: 0}}}")
                            .feature(FeatureGates.DRA_DERIVED_ATTRIBUTES, true)
                            .claim("requests: [" + exactly("r", DERIVED)
                                    + "], constraints: [{matchAttribute: gpu.example.com/numa}]"),
                    "evaluate derived attribute gpu.example.com/numa on device gpu.example.com/n1/a failed: no such key:"
                            + " slot"),
            new Case(
                    "no attribute is derived while that feature is off",
                    q -> q.devices("{name: a}").claim("requests: [" + exactly("r", DERIVED) + "]"),
                    "claim default/c0, request r: cannot handle request with derived attributes, the feature is"
                            + " disabled"));

    static final List<Case> DISTINCT = List.of(
            new Case(
                    "devices with different values are taken",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 0}}}",
                                    "{name: c, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "") + ", " + exactly("s", "")
                                    + "], constraints: [{distinctAttribute: gpu.example.com/numa}]"),
                    "r=a s=c"),
            new Case(
                    "all devices have the same value",
                    q -> q.devices("{name: a, attributes: {numa: {int: 0}}}", "{name: b, attributes: {numa: {int: 0}}}")
                            .claim("requests: [" + exactly("r", "") + ", " + exactly("s", "")
                                    + "], constraints: [{distinctAttribute: gpu.example.com/numa}]"),
                    IMPOSSIBLE),
            new Case(
                    "also within one request",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 0}}}",
                                    "{name: c, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{distinctAttribute: gpu.example.com/numa}]"),
                    "r=a r=c"),
            new Case(
                    "a device without the attribute is skipped",
                    q -> q.devices(
                                    "{name: a, attributes: {}}",
                                    "{name: b, attributes: {numa: {int: 0}}}",
                                    "{name: c, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "") + ", " + exactly("s", "")
                                    + "], constraints: [{distinctAttribute: gpu.example.com/numa}]"),
                    "r=b s=c"),
            new Case(
                    "it may name requests",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 0}}}",
                                    "{name: c, attributes: {numa: {int: 1}}}")
                            .claim("requests: [" + exactly("r", "") + ", " + exactly("s", "") + ", " + exactly("t", "")
                                    + "], constraints: [{requests: [s, t], distinctAttribute: gpu.example.com/numa}]"),
                    "r=a s=b t=c"),
            new Case(
                    "all devices of a request count, not the last one alone",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {int: 0}}}",
                                    "{name: b, attributes: {numa: {int: 1}}}",
                                    "{name: c, attributes: {numa: {int: 0}}}",
                                    "{name: d, attributes: {numa: {int: 2}}}")
                            .claim("requests: [" + exactly("r", "count: 3")
                                    + "], constraints: [{distinctAttribute: gpu.example.com/numa}]"),
                    "r=a r=b r=d"),
            new Case(
                    "lists have no value in common",
                    q -> q.devices(
                                    "{name: a, attributes: {numa: {ints: [0, 1]}}}",
                                    "{name: b, attributes: {numa: {ints: [1, 2]}}}",
                                    "{name: c, attributes: {numa: {int: 2}}}")
                            .feature(FeatureGates.DRA_LIST_TYPE_ATTRIBUTES, true)
                            .claim("requests: [" + exactly("r", "count: 2")
                                    + "], constraints: [{distinctAttribute: gpu.example.com/numa}]"),
                    "r=a r=c"),
            new Case(
                    "the stable allocator does not know it",
                    q -> q.devices("{name: a, attributes: {numa: {int: 0}}}")
                            .feature(FeatureGates.DRA_CONSUMABLE_CAPACITY, false)
                            .feature(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS, false)
                            .claim("requests: [" + exactly("r", "")
                                    + "], constraints: [{distinctAttribute: gpu.example.com/numa}]"),
                    "claim default/c0, constraint #0: empty constraint (unsupported constraint type?)"));

    static final List<Case> UNKNOWN = List.of(new Case(
            "a constraint of another kind is refused",
            q -> q.devices("{name: a, attributes: {numa: {int: 0}}}")
                    .claim("requests: [" + exactly("r", "") + "], constraints: [{requests: [r]}]"),
            "claim default/c0, constraint #0: empty constraint (unsupported constraint type?)"));

    @ParameterizedTest
    @FieldSource({"MATCH", "DISTINCT", "UNKNOWN"})
    void keepsConstraints(Case expected) {
        assertThat(expected.question.apply(new AllocationQuestion()).answer()).isEqualTo(expected.answer);
    }
}
