// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.core.Version;
import org.junit.jupiter.api.Test;

class TestClassPathTest {
    @Test
    void aPluginsOlderJacksonIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> TestClassPath.check(new Version(2, 9, 10, null, null, null)))
                .withMessageStartingWith("Jackson 2.9.10 on the class path of the test (expected: 2.13.0 or later");
    }

    @Test
    void theSchedulersOwnIsTaken() {
        assertThatCode(TestClassPath::check).doesNotThrowAnyException();
    }
}
