// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.Quantity;

class SelectorLanguageTest {
    private static final SelectorLanguage LANGUAGE = new SelectorLanguage();
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "quantity('1Gi').add(1).sub(quantity('1Gi')).asInteger() == 1 && sign(quantity('-1')) == -1",
                "!quantity('500m').isInteger() && quantity('500m').asApproximateFloat() == 0.5 && !isQuantity('1Zi')",
                "semver('v1.2', true) == semver('1.2.0') && !isSemver('v1.2') && semver('1.2.3-rc.1').patch() == 3",
                "ip('127.0.0.1').isLoopback() && ip('ff02::1').isLinkLocalMulticast() && ip('::1').family() == 6",
                "ip.isCanonical('2001:db8::1') && !isIP('::ffff:1.2.3.4') && !ip('255.255.255.255').isGlobalUnicast()",
                "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').containsIP('10.1.2.3')",
                "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && string(cidr('::/0').ip()) == '::' && !isCIDR('10.0.0.0/33')",
                "url('https://me@h:80/a b?k=v&k=w#f').getQuery()['k'] == ['v', 'w'] && !isURL('../x') && !isURL('http://a b/')",
                "url('https://[::1]:80/a b').getHostname() == '::1' && url('https://h/a b').getEscapedPath() == '/a%20b'",
                "format.dns1123Label().validate('a.b').value() == ['must not contain dots']",
                "format.named('qualifiedName').value().validate('a/b/c').hasValue() && !format.named('x').hasValue()",
                "'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1'.findAll('.', 1) == ['a']",
                "'%s %d %x %.1f'.format([device.driver, 10, 255, 2.25]) == 'gpu 10 ff 2.2'",
                "[1, 2].isSorted() && [1, 2].sum() == 3 && ['a', 'b'].max() == 'b' && [2, 1, 2].lastIndexOf(2) == 2",
                "[dyn(device.attributes['gpu'].numa)].max() == 1 && device.attributes['gpu'].model.includes('a100')",
                "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && [[1], [2]].flatten() == [1, 2] && [1, 1].distinct() == [1]",
                "string(1000000.0) == '1e+06' && int(duration('1s')) == 1000000000 && duration('1.5s').getMilliseconds() == 1500",
                "['b', 'a'].sort()[0] != device.attributes['gpu'].model && ['bb','a'].sortBy(x, x.size()) == ['a','bb']",
                "optional.of(device.attributes['gpu'].numa).optMap(x, x + 1).value() == 2",
                "device.capacity['gpu'].?memory.optMap(m, m.isInteger()).orValue(false)",
                "[0,1,2].filter(x, x == device.attributes['gpu'].numa).size() == 1 && [1,2,3].map(x, x+1) == [2,3,4]",
                "device.attributes['gpu'].?gone.orValue('x') == 'x' && device.attributes['gpu'].?model.orValue('') == 'a100'",
                "(device.allowMultipleAllocations ? device : device).driver == 'gpu'",
                "type(device.attributes['gpu'].version) == type(semver('1.0.0'))",
                "device.attributes['gpu'].model || true",
                "'%s'.format([device.attributes['gpu'].model]) == 'a100' && lists.range(60).includes(59)",
                "lists.range(1000001).size() == 1 || true",
                "!has(device.attributes['gpu'].numa.foo) && !(device.attributes['gpu'].gone in [])",
                "has(device.attributes.gone) && !('gone' in device.attributes)",
            })
    void knowsTheFunctionsOfKubernetes(String expression) throws SelectorException {
        assertThat(LANGUAGE.compile(expression).matches(GPU)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "'lists.range(999980).size() > 1', 'lists.range(999990).size() > 1'",
        "'lists.range(166000).all(x, x >= 0)', 'lists.range(168000).all(x, x >= 0)'",
        "'lists.range(500).all(x, lists.range(200).all(y, true))', 'lists.range(1000).all(x, lists.range(1000).all(y, true))'",
        "'lists.range(700).distinct().size() > 1', 'lists.range(720).distinct().size() > 1'",
    })
    void endsWhatCostsTooMuch(String cheap, String dear) throws SelectorException {
        assertThat(LANGUAGE.compile(cheap).matches(GPU)).isTrue();
        Selector selector = LANGUAGE.compile(dear + " || true");
        assertThatThrownBy(() -> selector.matches(GPU)).hasMessage("operation cancelled: actual cost limit exceeded");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "device.attributes['gpu'].version in ['a']",
                "device.attributes['gpu'].version == '1.10.0'",
                "string(device.attributes['gpu'].version) == '1.10.0'",
                "9223372036854775807 + device.attributes['gpu'].numa == 0",
                "dyn(1).startsWith('a')",
                "device.attributes['gpu'].numa ? true : false",
                "device.attributes['gpu'].model",
                "lists.range(-1).size() == 0",
            })
    void endsInAnError(String expression) throws SelectorException {
        Selector selector = LANGUAGE.compile(expression);
        assertThatThrownBy(() -> selector.matches(GPU)).isInstanceOf(SelectorException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "device.attributes['gpu'].model | Text[value=a100]",
                "device.attributes['gpu'].numa + 1 | Number[value=2]",
                "device.driver == 'gpu' | Flag[value=true]",
                "device.attributes['gpu'].version | Version[value=1.10.0]",
                "semver('1.2.3-rc.1+b.5') | Version[value=1.2.3-rc.1+b.5]",
                "[device.attributes['gpu'].model, dyn('x')] | Several[values=[Text[value=a100], Text[value=x]]]",
                "[] | Several[values=[]]",
            })
    void givesAttributes(String expression, String value) throws SelectorException {
        assertThat(LANGUAGE.compileAttribute(expression).value(GPU)).hasToString(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "device.attributes['gpu'].gone | no such key: gone",
                "dyn(1.5) | unsupported CEL return type: float64",
                "dyn(device.capacity['gpu'].memory) | unsupported CEL return type: *resource.Quantity",
                "dyn([dyn(1.5)]) | unsupported list element type: float64",
                "[dyn(1), dyn('a')] | expected list element at index 1 to be int, got string",
            })
    void givesNoAttribute(String expression, String problem) throws SelectorException {
        AttributeExpression compiled = LANGUAGE.compileAttribute(expression);
        assertThatThrownBy(() -> compiled.value(GPU)).hasMessage(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"1.5 | double", "device.capacity['gpu'].memory | kubernetes.Quantity", "[1.5] | list(double)"})
    void isNotCompiledForAnAttribute(String expression, String type) {
        assertThatThrownBy(() -> LANGUAGE.compileAttribute(expression))
                .hasMessage("must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these"
                        + " scalars, not " + type);
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
                "{'a': 1} | must evaluate to bool or the unknown type, not map(string, int)",
                "'abc'.reverse() == '' | compilation failed: ERROR: <input>:1:14: found no matching overload for 'reverse'",
            })
    void isNotCompiled(String expression, String problem) {
        assertThatThrownBy(() -> LANGUAGE.compile(expression)).hasMessageStartingWith(problem);
    }
}
