// SPDX-License-Identifier: Apache-2.0
/** Plugins that fail, that do not return, and that keep failing. */
package org.moorage.schedulertests.plugins;
