// SPDX-License-Identifier: Apache-2.0
/** Tests of a scheduler's decisions, from the pod in the queue to its node. */
package org.moorage.schedulertests.cycle;
