// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** A test that injects a fault. Its results become a row of {@code target/faults.md}. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("faults")
@ExtendWith(FaultTable.class)
@interface Fault {
    /** The number of the fault in the table of the docs. */
    int value();

    /** The injected fault. */
    String injected();
}
