// SPDX-License-Identifier: Apache-2.0
/**
 * Tools for testing plugins: builders of pods and nodes, a tester that runs one plugin in the real scheduler, and the
 * contract of every plugin. For tests against an API server, see {@link org.moorage.testkit.apiserver.FakeApiServer}.
 *
 * <p>Starting points: {@link org.moorage.testkit.PluginTester}, {@link org.moorage.testkit.Pods} and
 * {@link org.moorage.testkit.Nodes}, {@link org.moorage.testkit.PluginContract}.
 */
@NullMarked
package org.moorage.testkit;

import org.jspecify.annotations.NullMarked;
