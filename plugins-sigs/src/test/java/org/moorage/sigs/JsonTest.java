// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.Quantity;

class JsonTest {
    @Test
    void writesEveryCharacterSoThatItIsReadAgain() {
        StringBuilder all = new StringBuilder();
        for (char character = 0; character < 0x100; character++) {
            all.append(character);
        }
        String text = all + "\u2028 \uD83D\uDE00";

        assertThat(ObjectFields.of("{\"a\":" + Json.text(text) + "}").string("a"))
                .contains(text);
    }

    @Test
    void writesNamesOfResourcesWithControlCharacters() {
        Map<String, Quantity> amounts = Map.of("example.com/a\nb", Quantity.of(2));

        assertThat(ObjectFields.of("{\"used\":" + Json.quantities(amounts) + "}")
                        .quantityMap("used"))
                .isEqualTo(amounts);
    }
}
