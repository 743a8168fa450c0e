// SPDX-License-Identifier: Apache-2.0
/** Pods that make room for others. */
package org.moorage.schedulertests.preemption;
