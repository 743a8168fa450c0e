// SPDX-License-Identifier: Apache-2.0
/**
 * Recordings of clusters: {@link org.moorage.app.internal.recording.RecordingWriter} writes the objects that decide and then each change, {@link
 * org.moorage.app.internal.recording.Recording} reads them, {@link org.moorage.app.internal.recording.RecordedPods} what became of pods.
 */
@NullMarked
package org.moorage.app.internal.recording;

import org.jspecify.annotations.NullMarked;
