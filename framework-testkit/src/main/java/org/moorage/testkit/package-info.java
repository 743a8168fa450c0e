// SPDX-License-Identifier: Apache-2.0
/**
 * Tools for tests of plugins: pods and nodes in a line each, the real scheduler asking one plugin about them, and the contract
 * that every plugin keeps. For tests against an API server, see {@link org.moorage.testkit.apiserver.FakeApiServer}.
 *
 * <p>Starting points: {@link org.moorage.testkit.PluginTester}, {@link org.moorage.testkit.Pods} and {@link
 * org.moorage.testkit.Nodes}, {@link org.moorage.testkit.PluginContract}.
 */
@NullMarked
package org.moorage.testkit;

import org.jspecify.annotations.NullMarked;
