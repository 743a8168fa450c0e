// SPDX-License-Identifier: Apache-2.0
/** How many files a reader of the runtime visits to follow one call through it. */
package org.moorage.schedulertests.walk;
