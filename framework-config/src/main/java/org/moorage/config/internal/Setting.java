// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes how a configuration writes a component of a record, as the JSON tag of a field does in Go. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
    /** Returns the name of its field; by default that of the component. */
    String name() default "";

    /** Returns whether it is written only if its value is not empty, 0 or false. */
    boolean omitZero() default false;
}
