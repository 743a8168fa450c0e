// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverSelectorTest {
    private static final SelectorLanguage LANGUAGE = new SelectorLanguage();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "device.driver == 'gpu.example.com'",
                "device.driver == \"gpu.example.com\"",
                " \t\n\f\rdevice.driver=='gpu.example.com'\n",
                "device.driver == ''",
                "device.driver == 'GPU.example.com'",
                "device.driver == 'gpu.example.com '",
                "device.driver == 'gpu.example.com' || true",
                "device.driver == 'gpu\\u002eexample.com'",
                "device.driver != 'gpu.example.com'",
                "device.driver == 'gpu.example.com\"",
                "device.driver == gpu.example.com",
                "device.driver = 'gpu.example.com'",
                "device.driver == '''gpu.example.com'''",
                "device.driver == r'gpu.example.com'",
                "\u000bdevice.driver == 'gpu.example.com'",
                "device.drivers == 'gpu.example.com'",
                "'gpu.example.com' == device.driver",
                "",
            })
    void answersWhatTheLibraryAnswers(String expression) throws SelectorException {
        for (String driver : List.of("gpu.example.com", "net.example.com", "")) {
            DeviceMap device = DeviceMap.of(Map.of("driver", driver));
            DriverSelector.of(expression)
                    .ifPresent(selector ->
                            assertThat(answer(selector, device)).isEqualTo(answer(compiled(expression), device)));
        }
    }

    private static Selector compiled(String expression) {
        try {
            return LANGUAGE.compile(expression);
        } catch (SelectorException invalid) {
            throw new AssertionError(expression, invalid);
        }
    }

    private static boolean answer(Selector selector, DeviceMap device) {
        try {
            return selector.matches(device);
        } catch (SelectorException failed) {
            throw new AssertionError("the driver of " + device, failed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"device.driver == 'gpu.example.com'", " device.driver==\"gpu\"\n"})
    void needsNoLibraryForTheUsualForm(String expression) {
        assertThat(DriverSelector.of(expression)).isPresent();
    }
}
