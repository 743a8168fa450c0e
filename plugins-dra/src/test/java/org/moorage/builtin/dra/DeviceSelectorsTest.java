// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.DeviceCapacity;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.Quantity;
import org.moorage.builtin.dra.cel.SelectorException;

class DeviceSelectorsTest {
    private static final DeviceSelectors SELECTORS = new DeviceSelectors(DeviceFeatures.of(FeatureGates.DEFAULTS));
    private static final DeviceSelectors.Subject GPU = subject(Map.of(
            "model", new DeviceAttribute.Text("a100"),
            "numa", new DeviceAttribute.Number(1),
            "ecc", new DeviceAttribute.Flag(true),
            "firmware", new DeviceAttribute.Version("1.10.0"),
            "maker.org/line", new DeviceAttribute.Text("pro")));

    private static DeviceSelectors.Subject subject(Map<String, DeviceAttribute> attributes) {
        return new DeviceSelectors.Subject(
                new DeviceId("gpu", "n1", "gpu-0"),
                new Device(
                        "gpu-0",
                        attributes,
                        Map.of("memory", new DeviceCapacity(Quantity.parse("40Gi"), Optional.empty())),
                        List.of(),
                        NodeSelection.NONE,
                        List.of(),
                        false,
                        List.of(),
                        List.of(),
                        true,
                        Map.of()),
                true);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "device.driver == 'gpu'",
                "\n device.driver==\"gpu\"\t",
                "device.driver == 'g\\u0070u'",
                "(device.driver == 'gpu')",
                "device.attributes['gpu'].model == 'a100'",
                "device.attributes['maker.org'].line == 'pro'",
                "device.attributes['gpu'].numa < 1.5",
                "device.attributes['gpu'].ecc",
                "device.attributes['gpu'].firmware.isGreaterThan(semver('1.9.0'))",
                "device.capacity['gpu'].memory.compareTo(quantity('40960Mi')) == 0",
                "device.capacity['gpu'].memory.sub(quantity('41Gi')).isLessThan(quantity('0'))",
                "device.capacity['gpu'].memory == quantity('40Gi')",
                "device.allowMultipleAllocations",
                "!('nowhere.org' in device.attributes)",
                "device.attributes['nowhere.org'] == {}",
                "!has(device.attributes['nowhere.org'].line)",
                "device.attributes['gpu'].?gone.orValue(true)",
                "device.attributes['gpu'].gone == 1 || device.driver == 'gpu'",
                "cel.bind(g, device.attributes['gpu'], g.numa == 1 && g.model.startsWith('a'))",
                "sets.contains(['a100', 'h100'], [device.attributes['gpu'].model])",
                "isSemver('v1.2', true) && !isSemver('v1.2') && isQuantity('1Gi')",
            })
    void takesTheDevice(String expression) throws SelectorException {
        assertThat(SELECTORS.matches(expression, GPU)).isTrue();
    }

    @Test
    void seesSeveralValuesWhetherTheFeatureIsOnOrOff() throws SelectorException {
        DeviceAttribute tags =
                new DeviceAttribute.Several(List.of(new DeviceAttribute.Text("a"), new DeviceAttribute.Text("b")));
        String expression = "device.attributes['gpu'].tags.includes('b') && device.attributes['gpu'].tags.size() == 2";
        assertThat(SELECTORS.matches(expression, subject(Map.of("tags", tags)))).isTrue();
    }

    @Test
    void doesNotKnowAValueOfAnotherType() {
        assertThatThrownBy(() -> SELECTORS.matches("true", subject(Map.of("odd", new DeviceAttribute.Unknown()))))
                .hasMessage(" on device gpu/n1/gpu-0: CEL runtime error: attribute odd: unsupported attribute value");
    }

    @Test
    void saysHowToAskForWhatMayBeMissing() {
        assertThatThrownBy(() -> SELECTORS.matches("device.attributes['gpu'].gone == 1", GPU))
                .hasMessage(" on device gpu/n1/gpu-0: CEL runtime error: no such key: gone. consider using CEL optional"
                        + " chaining (.? followed by orValue()) or guarding the check with has() for optional fields");
    }

    @Test
    void derivesAttributes() throws SelectorException {
        String expression = "device.attributes['gpu'].numa * 10";
        assertThat(SELECTORS.attribute("x.org/y", expression, GPU)).isEqualTo(new DeviceAttribute.Number(10));
        assertThatThrownBy(() -> SELECTORS.attribute("x.org/y", "device.attributes['gpu'].gone", GPU))
                .hasMessage("evaluate derived attribute x.org/y on device gpu/n1/gpu-0 failed: no such key: gone");
        assertThatThrownBy(() -> SELECTORS.attribute("x.org/y", "1.5", GPU))
                .hasMessage("compile derived attribute x.org/y failed: must evaluate to a primitive scalar (string,"
                        + " integer, boolean, semver) or a list of these scalars, not double");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "device.attributes['nowhere.org'].line == 'x' | ' on device gpu/n1/gpu-0: CEL runtime error: no such key: line.'",
                "device.attributes['gpu'].model < 2 | ' on device gpu/n1/gpu-0: CEL runtime error:'",
                "1 / (device.attributes['gpu'].numa - 1) == 1 | ' on device gpu/n1/gpu-0: CEL runtime error:'",
                "semver('1').major() == 1 | ' on device gpu/n1/gpu-0: CEL runtime error:'",
                "device.gone == 1 | : CEL compile error: compilation failed: ERROR: <input>:1:7: undefined field 'gone'",
                "device.driver | : CEL compile error: must evaluate to bool or the unknown type, not string",
            })
    void saysWhatIsWrong(String expression, String problem) {
        assertThatThrownBy(() -> SELECTORS.matches(expression, GPU)).hasMessageStartingWith(problem);
    }

    @Test
    void answersSeveralThreads() throws InterruptedException, ExecutionException {
        DeviceSelectors selectors = new DeviceSelectors(DeviceFeatures.of(FeatureGates.DEFAULTS));
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Boolean>> questions = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                String expression = "lists.range(" + i % 20 + ").all(x, x < " + i % 20
                        + " && device.attributes['gpu'].model == 'a100')";
                questions.add(() -> selectors.matches(expression, GPU));
            }
            for (Future<Boolean> answer : executor.invokeAll(questions)) {
                assertThat(answer.get()).isTrue();
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
