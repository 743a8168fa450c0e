// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.api.model.Quantity;

class SelectorLanguageTest {
    private static final SelectorLanguage LANGUAGE = new SelectorLanguage(SelectorLanguage.AttributeValues.ONE);
    private static final DeviceMap GPU = DeviceMap.of(Map.of(
            "driver",
            "gpu",
            "allowMultipleAllocations",
            true,
            "attributes",
            DeviceMap.byDomain(Map.of(
                    "gpu",
                    DeviceMap.of(Map.of("model", "a100", "numa", 1L, "version", SemanticVersion.parse("1.10.0"))))),
            "capacity",
            DeviceMap.byDomain(Map.of("gpu", DeviceMap.of(Map.of("memory", Quantity.parse("16Gi")))))));

    // The costs are what kube-scheduler v1.36.3 says of the same expressions and the same device.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "device.attributes['gpu'].model == 'a100' | true | 5",
                "has(device.attributes['gpu'].model) | true | 3",
                "device.attributes['gpu'].model in ['a', 'c'] | false | 4",
                "[1,2,3].map(x, x+1) == [2,3,4] | true | 44",
                "['b', 'a'].sort()[0] == device.attributes['gpu'].model | false | 26",
                "[0,1,2].filter(x, x == device.attributes['gpu'].numa).size() == 1 | true | 34",
                "optional.of(device.attributes['gpu'].numa).optMap(x, x + 1).value() == 2 | true | 17",
                "['bb','a'].sortBy(x, x.size()) == ['a','bb'] | true | 51",
                "device.capacity['gpu'].memory.isLessThan(quantity('20G')) | true | 6",
                "sets.contains(['a', 'b'], [device.attributes['gpu'].model]) | false | 17",
            })
    void costsWhatItCostsKubeScheduler(String expression, boolean matches, long cost) throws SelectorException {
        Selector selector = LANGUAGE.compile(expression);
        assertThat(selector.matches(GPU)).isEqualTo(matches);
        assertThat(selector.cost(GPU)).isEqualTo(cost);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "lists.range(999990).size() > 1 | operation cancelled: actual cost limit exceeded",
                "lists.range(1000).all(x, lists.range(1000).all(y, true)) | operation cancelled: actual cost limit exceeded",
                "device.attributes['gpu'].version in ['a'] | internal error: runtime error: hash of unhashable type cel.Semver",
                "ip('1.2.3').family() == 4 | IP Address \"1.2.3\" parse error during conversion from string:"
                        + " ParseAddr(\"1.2.3\"): IPv4 address too short",
                "9223372036854775807 + device.attributes['gpu'].numa == 0 | integer overflow",
                "dyn(1).startsWith('a') | no such overload",
                "int(dyn(device.driver == 'gpu')) == 5 | no such overload: int(bool)",
            })
    void endsInTheSameError(String expression, String problem) throws SelectorException {
        Selector selector = LANGUAGE.compile(expression);
        assertThatThrownBy(() -> selector.matches(GPU)).hasMessage(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "int('x') == 1 | program instantiation failed: type conversion error from 'string' to 'int'",
                "['a', 1].size() == 2 | compilation failed: ERROR: <input>:1:7: expected type 'string' but found 'int'",
                "'%d'.format(['x']) == '' | compilation failed: ERROR: <input>:1:14: error during formatting: decimal clause"
                        + " can only be used on integers, was given string",
                "'a'.matches('(') | compilation failed: ERROR: <input>:1:13: invalid matches argument",
                "'a'.find('(') == '' | program instantiation failed: error parsing regexp: missing closing ): `(`",
                "'abc'.reverse() == '' | compilation failed: ERROR: <input>:1:14: found no matching overload for 'reverse'",
            })
    void isNotCompiled(String expression, String problem) {
        assertThatThrownBy(() -> LANGUAGE.compile(expression)).hasMessageStartingWith(problem);
    }
}
