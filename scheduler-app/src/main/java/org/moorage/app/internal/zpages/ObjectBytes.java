// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.zpages;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Writes objects, which are maps, lists, texts and whole numbers, as Kubernetes' serializers do. */
final class ObjectBytes {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectWriter PRETTY = JSON.writer(new DefaultPrettyPrinter(Separators.createDefaultInstance()
                    .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                    .withObjectEmptySeparator("")
                    .withArrayEmptySeparator(""))
            .withObjectIndenter(new DefaultIndenter("  ", "\n"))
            .withArrayIndenter(new DefaultIndenter("  ", "\n")));
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
                    .stringQuotingChecker(new Ambiguous())
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                    .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                    .build())
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
    // The self-described CBOR tag, with which each object begins.
    private static final byte[] SELF_DESCRIBED = {(byte) 0xd9, (byte) 0xd9, (byte) 0xf7};
    private static final int NUMBER = 0;
    private static final int BYTES = 2;
    private static final int LIST = 4;
    private static final int MAP = 5;

    private ObjectBytes() {}

    /** Quotes texts that would be read as something else. */
    private static final class Ambiguous extends StringQuotingChecker {
        private static final long serialVersionUID = 1L;
        private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?");

        @Override
        public boolean needToQuoteName(String name) {
            return needToQuoteValue(name);
        }

        @Override
        public boolean needToQuoteValue(String value) {
            return isReservedKeyword(value) || DATE.matcher(value).matches();
        }
    }

    static byte[] json(Map<String, ?> object) {
        return (forHtml(write(JSON.writer(), object)) + "\n").getBytes(UTF_8);
    }

    static byte[] prettyJson(Map<String, ?> object) {
        return forHtml(write(PRETTY, object)).getBytes(UTF_8);
    }

    static byte[] yaml(Map<String, ?> object) {
        return write(YAML.writer(), object).getBytes(UTF_8);
    }

    private static String write(ObjectWriter writer, Map<String, ?> object) {
        try {
            return writer.writeValueAsString(object);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    // Go writes characters with a meaning in HTML so; in JSON they occur in texts only.
    private static String forHtml(String json) {
        return json.replace("<", "\\u003c")
                .replace(">", "\\u003e")
                .replace("&", "\\u0026")
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029");
    }

    /** Writes CBOR in its deterministic form; texts are byte strings, as the API server's are. */
    static byte[] cbor(Map<String, ?> object) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(SELF_DESCRIBED);
        cbor(object, out);
        return out.toByteArray();
    }

    private static void cbor(Object value, ByteArrayOutputStream out) {
        if (value instanceof Map<?, ?> map) {
            Map<byte[], Object> sorted = new TreeMap<>(Arrays::compareUnsigned);
            map.forEach((key, element) -> sorted.put(text(String.valueOf(key)), element));
            head(MAP, map.size(), out);
            sorted.forEach((key, element) -> {
                out.writeBytes(key);
                cbor(element, out);
            });
        } else if (value instanceof List<?> list) {
            head(LIST, list.size(), out);
            list.forEach(element -> cbor(element, out));
        } else if (value instanceof Number number) {
            long signed = number.longValue();
            head(signed < 0 ? NUMBER + 1 : NUMBER, signed < 0 ? ~signed : signed, out);
        } else {
            out.writeBytes(text(String.valueOf(value)));
        }
    }

    private static byte[] text(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] bytes = text.getBytes(UTF_8);
        head(BYTES, bytes.length, out);
        out.writeBytes(bytes);
        return out.toByteArray();
    }

    // The type in three bits, and a number in the fewest bytes: in the other five bits, or behind them.
    private static void head(int type, long number, ByteArrayOutputStream out) {
        int more = number < 24 ? 0 : number < 1L << 8 ? 1 : number < 1L << 16 ? 2 : number < 1L << 32 ? 4 : 8;
        int size = 23 + Integer.numberOfTrailingZeros(more) + 1;
        out.write(type << 5 | (more == 0 ? (int) number : size));
        for (int i = more - 1; i >= 0; i--) {
            out.write((int) (number >>> 8 * i));
        }
    }
}
