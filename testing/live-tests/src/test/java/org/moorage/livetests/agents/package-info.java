// SPDX-License-Identifier: Apache-2.0
/** The agents of {@code plugins-safe} behind the extender protocol. */
package org.moorage.livetests.agents;
