// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.simulate;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.app.internal.process.OutputFile;
import org.moorage.config.LoadedConfig;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.dump.ClusterDump;

/**
 * Writes the steps of a simulation, in the form in which kube-scheduler's own code can check them:
 *
 * <pre>{@code
 * {"config": {...}, "objects": [{...}, ...], "steps": [{"pod": "default/web-1", "node": "node-a"}, ...]}
 * }</pre>
 *
 * <p>A step whose pod got no node has an empty node.
 */
public final class TraceFile implements AutoCloseable {
    private final OutputFile file;
    private final JsonGenerator json;

    private TraceFile(OutputFile file, JsonGenerator json) {
        this.file = file;
        this.json = json;
    }

    /**
     * Starts a trace.
     *
     * @param file the file to write
     * @param config the configuration; empty for the default one
     * @param cluster the cluster, complete, with its JSON texts
     */
    public static TraceFile create(Path file, Optional<LoadedConfig> config, ClusterDump cluster) {
        JsonMapper mapper = JsonMapper.builder().build();
        OutputFile opened = OutputFile.whole(file.toString(), file);
        try {
            TraceFile trace = new TraceFile(opened, mapper.createGenerator(opened.stream(), JsonEncoding.UTF8));
            trace.begin(config, cluster, mapper);
            return trace;
        } catch (IOException e) {
            opened.close();
            throw opened.failed(e);
        }
    }

    private void begin(Optional<LoadedConfig> config, ClusterDump cluster, JsonMapper mapper) throws IOException {
        json.writeStartObject();
        if (config.isPresent()) {
            json.writeFieldName("config");
            mapper.writeValue(json, config.get().source());
        }
        json.writeArrayFieldStart("objects");
        for (int i = 0; i < cluster.json().size(); i++) {
            if (concernsScheduling(cluster.objects().get(i))) {
                json.writeRaw('\n');
                json.writeRawValue(cluster.json().get(i));
            }
        }
        json.writeEndArray();
        json.writeArrayFieldStart("steps");
    }

    // Whether kube-scheduler may read objects of this kind.
    private static boolean concernsScheduling(ClusterObject object) {
        return switch (ObjectKind.of(object).group()) {
            case "", "apps", "policy", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io" -> true;
            default -> false;
        };
    }

    public void step(Decision decision) {
        try {
            json.writeRaw('\n');
            json.writeStartObject();
            json.writeStringField("pod", decision.pod().key());
            json.writeStringField("node", decision.nodeName());
            json.writeEndObject();
        } catch (IOException e) {
            throw file.failed(e);
        }
    }

    /** Completes the trace. */
    public void finish() {
        try {
            json.close();
        } catch (IOException e) {
            throw file.failed(e);
        }
        long ignored = file.finish();
    }

    /** Leaves nothing behind if the trace was not finished. */
    @Override
    public void close() {
        file.close();
    }
}
