// SPDX-License-Identifier: Apache-2.0
/**
 * Recordings of clusters: {@link org.moorage.app.internal.recording.RecordingWriter} writes the objects that scheduling
 * reads and then each change, {@link org.moorage.app.internal.recording.Recording} reads them, and
 * {@link org.moorage.app.internal.recording.RecordedPods} has the results for the pods.
 */
@NullMarked
package org.moorage.app.internal.recording;

import org.jspecify.annotations.NullMarked;
