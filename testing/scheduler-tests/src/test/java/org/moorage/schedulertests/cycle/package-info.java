// SPDX-License-Identifier: Apache-2.0
/** What a scheduler decides, from the pod in the queue to its node. */
package org.moorage.schedulertests.cycle;
