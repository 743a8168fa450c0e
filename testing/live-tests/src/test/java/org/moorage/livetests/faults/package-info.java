// SPDX-License-Identifier: Apache-2.0
/** Faults injected on a real control plane, one test each, and what must hold afterwards. */
package org.moorage.livetests.faults;
