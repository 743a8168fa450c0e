// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
