// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a part of the API that may change in any release: what is alpha or beta in Kubernetes, such as the scheduling of
 * groups of pods, and what only kube-scheduler's own plugins for volumes and devices need.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.FIELD, ElementType.CONSTRUCTOR})
public @interface Experimental {}
