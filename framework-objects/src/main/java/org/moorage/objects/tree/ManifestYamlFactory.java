// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactoryBuilder;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.parser.ParserImpl;

/**
 * Makes parsers that read YAML as kubectl does, where Jackson's own differ: scalars may have anchors
 * ({@code name: &app web}), {@link YamlScalars} reads them, and reading takes time proportional to the length of the
 * text.
 */
public final class ManifestYamlFactory extends YAMLFactory {

    private static final long serialVersionUID = 1L;

    ManifestYamlFactory(YAMLFactoryBuilder builder) {
        super(builder);
    }

    /** Returns a mapper of the YAML files that a user names. */
    public static YAMLMapper mapper() {
        return new YAMLMapper(new ManifestYamlFactory(YAMLFactory.builder().loaderOptions(new LoaderOptions())));
    }

    @Override
    protected YAMLParser _createParser(Reader reader, IOContext context) {
        return new ManifestParser(context, _parserFeatures, _yamlParserFeatures, _loaderOptions, _objectCodec, reader);
    }

    private static final class ManifestParser extends YAMLParser {

        ManifestParser(
                IOContext context,
                int parserFeatures,
                int formatFeatures,
                LoaderOptions options,
                @Nullable ObjectCodec codec,
                Reader reader) {
            super(
                    context,
                    parserFeatures,
                    formatFeatures,
                    codec,
                    reader,
                    new ParserImpl(new LinearStreamReader(reader), options));
        }

        @Override
        protected JsonToken _decodeScalar(ScalarEvent scalar) throws IOException {
            _currentAnchor = scalar.getAnchor();
            String tag = scalar.getTag();
            JsonNode value = YamlScalars.value(tag == null ? "" : tag, scalar.isPlain(), scalar.getValue());
            _numTypesValid = NR_UNKNOWN;
            _textValue = value.isNumber() ? value.asText() : scalar.getValue();
            _cleanedTextValue = _textValue;
            _numberNegative = _textValue.startsWith("-");
            return switch (value.getNodeType()) {
                case NULL -> JsonToken.VALUE_NULL;
                case BOOLEAN -> value.booleanValue() ? JsonToken.VALUE_TRUE : JsonToken.VALUE_FALSE;
                case NUMBER -> value.isIntegralNumber() ? JsonToken.VALUE_NUMBER_INT : JsonToken.VALUE_NUMBER_FLOAT;
                default -> JsonToken.VALUE_STRING;
            };
        }
    }
}
