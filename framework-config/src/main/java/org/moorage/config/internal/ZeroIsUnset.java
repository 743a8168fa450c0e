// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a record of settings in which an empty text, 0 and a duration of 0 have the default of their field, as in a Go
 * type without pointers.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ZeroIsUnset {}
