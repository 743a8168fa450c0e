// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares results with those of Go 1.26 on x86-64. Java's own functions have another last digit for most of them. */
class GoMathTest {
    @ParameterizedTest
    @CsvSource({
        "1.932177023787904, 6.904525207302797",
        "1.0421092556443425, 2.8351908542711537",
        "75.04, 3.885598492935931E32",
        "49.77639089204877, 4.145833853043448E21",
        "301.63, 9.913900971290226E130",
        "-247.64698810901166, 2.807240393255369E-108",
        "0, 1",
        "-745.2, 0",
        "-1e300, 0",
        "709.79, Infinity",
        "-Infinity, 0",
        "Infinity, Infinity",
        "NaN, NaN"
    })
    void exponentials(double x, double result) {
        assertThat(GoMath.exp(x)).isEqualTo(Double.valueOf(result));
    }

    @ParameterizedTest
    @CsvSource({
        "0.18894432387450213, -1.6663028899950856",
        "0.17351898588060105, -1.751468256875473",
        "0.35628455188941577, -1.032025564342522",
        "0.3875223448198843, -0.9479817677999285",
        "1, 0"
    })
    void logarithms(double x, double result) {
        assertThat(GoMath.log(x)).isEqualTo(result);
    }

    @ParameterizedTest
    @CsvSource({
        "0.55, 0.3125, 0.8295896792849372",
        "0.1650621247184579, 9, 9.095506328054576E-8",
        "0.30919829379607994, 4.293413258135005, 0.006477048638330134",
        "0.27578354170302277, 4.5, 0.0030377886205873944",
        "8.071479319698926E-187, 0.6794851261324902, 3.5689673987791966E-127",
        "0.25, 0.5, 0.5",
        "0.3, 1, 0.3",
        "0.3, 0, 1",
        "0, 0, 1",
        "0, 2, 0",
        "0.9, 1e19, 0",
        "0.9, 1e6, 0",
        "0.9, Infinity, 0",
        "1, Infinity, 1",
        "0, Infinity, 0"
    })
    void powers(double x, double y, double result) {
        assertThat(GoMath.pow(x, y)).isEqualTo(result);
    }

    @ParameterizedTest
    @CsvSource({
        "2.5, 3",
        "-2.5, -3",
        "0.49999999999999994, 0",
        "1e300, -9223372036854775808",
        "NaN, -9223372036854775808",
        "-0.4, 0"
    })
    void roundedNumbers(double x, long result) {
        assertThat(GoMath.round(x)).isEqualTo(result);
    }

    @ParameterizedTest
    @CsvSource({
        "1.5, 1.5",
        "+.5, 0.5",
        "1e3, 1000",
        "0x1p-2, 0.25",
        "1_000, 1000",
        "inf, Infinity",
        "-Infinity, -Infinity",
        "NaN, NaN"
    })
    void readNumbers(String text, double result) {
        assertThat(GoMath.parse(text)).isEqualTo(Double.valueOf(result));
    }

    @ParameterizedTest
    @CsvSource({
        "x, invalid syntax",
        "'', invalid syntax",
        "' 1', invalid syntax",
        "1f, invalid syntax",
        "0x1, invalid syntax",
        "1__0, invalid syntax",
        "+nan, invalid syntax",
        "1e400, value out of range"
    })
    void numbersThatCannotBeRead(String text, String problem) {
        assertThatThrownBy(() -> GoMath.parse(text))
                .isInstanceOf(NumberFormatException.class)
                .hasMessage("parsing \"" + text + "\": " + problem);
    }
}
