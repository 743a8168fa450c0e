// SPDX-License-Identifier: Apache-2.0
/**
 * A cluster, and what commands answer about it, as one HTML file that needs nothing else.
 *
 * <p>Starting points: {@link org.moorage.app.internal.page.HtmlReport},
 * {@link org.moorage.app.internal.page.PageContent}, {@link org.moorage.app.internal.page.ClusterView}.
 */
@NullMarked
package org.moorage.app.internal.page;

import org.jspecify.annotations.NullMarked;
