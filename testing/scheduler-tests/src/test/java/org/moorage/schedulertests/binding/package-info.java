// SPDX-License-Identifier: Apache-2.0
/** Bindings, and what is written of pods that are not bound. */
package org.moorage.schedulertests.binding;
