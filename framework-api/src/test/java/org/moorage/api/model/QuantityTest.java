// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "2, 3, 6",
        "1.5, 500m, 750m",
        "3, 0, 0",
        "1Gi, 0.3, 322122547.2",
        "1n, 500m, 1n",
        "-1n, 500m, -1n",
        "-1.5, 2, -3",
        "5E, 5E, 9223372036854775807"
    })
    void productsAreExactToABillionth(String one, String other, String product) {
        assertThat(Quantity.parse(one).times(Quantity.parse(other))).isEqualTo(Quantity.parse(product));
        assertThat(Quantity.parse(other).times(Quantity.parse(one))).isEqualTo(Quantity.parse(product));
    }

    @ParameterizedTest
    @CsvSource({
        "1e100000, 9223372036854775807, 9223372036854775807",
        "10e99999, 9223372036854775807, 9223372036854775807",
        "1E400, 9223372036854775807, 9223372036854775807",
        "-1E400, -9223372036854775807, -9223372036854775808",
        "1e99999999999, 9223372036854775807, 9223372036854775807",
        "0e99999999999, 0, 0",
        "1e-99999999999, 1, 1",
        "-1e-99999999999, -1, -1",
        "0e-99999999999, 0, 0",
        "9223372036854775807, 9223372036854775807, 9223372036854775807",
        "9223372036854775808, 9223372036854775807, 9223372036854775807",
        "9223372036854775, 9223372036854775, 9223372036854775000",
        "8Ei, 9223372036854775807, 9223372036854775807",
        "1E, 1000000000000000000, 9223372036854775807",
        "1e3, 1000, 1000000",
        "1E3, 1000, 1000000",
        "1e+3, 1000, 1000000",
        "1500e-3, 2, 1500",
        "128974848000m, 128974848, 128974848000",
        "0.1m, 1, 1",
        "1n, 1, 1",
        "0.5Ki, 512, 512000",
        "1., 1, 1000",
        ".5, 1, 500",
        "+5, 5, 5000",
        "-1.5, -2, -1500",
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000001, 1, 1000"
    })
    void readsWhatTheApiServerTakes(String text, long value, long milliValue) {
        assertThat(Quantity.parse(text).value()).isEqualTo(value);
        assertThat(Quantity.parse(text).milliValue()).isEqualTo(milliValue);
    }

    @Test
    @Timeout(10)
    void readsTextsOfAMillionDigits() {
        String zeros = "0".repeat(1_000_000);
        assertThat(Quantity.parse("9" + zeros)).isEqualTo(Quantity.of(Long.MAX_VALUE));
        assertThat(Quantity.parse("9" + zeros + "e-1000000")).isEqualTo(Quantity.of(9));
        assertThat(Quantity.parse("1." + zeros + "1")).isEqualTo(Quantity.parse("1.000000001"));
        assertThat(Quantity.parse("1." + zeros)).isEqualTo(Quantity.of(1));
        assertThat(Quantity.parse("." + zeros + "1e1000001")).isEqualTo(Quantity.of(1));
        assertThat(Quantity.parse(zeros + "7Ki")).isEqualTo(Quantity.of(7168));
    }

    @Test
    void readsAsExactArithmeticDoes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        BigDecimal nanos = BigDecimal.valueOf(1_000_000_000);
        for (int i = 0; i < 20_000; i++) {
            String number =
                    new BigInteger(random.nextInt(200), random) + "." + new BigInteger(random.nextInt(200), random);
            int exponent = random.nextInt(90) - 60;
            BigDecimal exact = new BigDecimal(number).scaleByPowerOfTen(exponent);
            BigInteger expected = exact.multiply(nanos)
                    .setScale(0, RoundingMode.UP)
                    .toBigInteger()
                    .min(BigInteger.valueOf(Long.MAX_VALUE).multiply(nanos.toBigInteger()));
            Quantity read = Quantity.parse(number + "e" + exponent);
            assertThat(new BigDecimal(read.toString()).multiply(nanos).toBigInteger())
                    .as("%se%d, seed %d", number, exponent, seed)
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "e5", "1e", "1e+", "1ee5", "1e5x", "1KI", "1Zi", "1..2", "--1", "0x10", "1 Gi", "NaN", "1e1.5"
            })
    void refuses(String text) {
        assertThatThrownBy(() -> Quantity.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
