// SPDX-License-Identifier: Apache-2.0
/** The threads of a scheduler, and how it stops. */
package org.moorage.schedulertests.threads;
