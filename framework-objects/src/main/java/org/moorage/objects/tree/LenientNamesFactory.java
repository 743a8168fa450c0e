// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.core.json.ReaderBasedJsonParser;
import com.fasterxml.jackson.core.sym.CharsToNameCanonicalizer;
import java.io.IOException;
import java.io.Reader;

/**
 * Makes parsers of characters that replace half of a surrogate pair, where it stands escaped and alone, as Go does.
 * Jackson's own refuses it in the name of a field, and the API server passes on what it keeps as it came.
 */
final class LenientNamesFactory extends JsonFactory {
    private static final long serialVersionUID = 1L;

    LenientNamesFactory(JsonFactoryBuilder builder) {
        super(builder);
    }

    @Override
    protected JsonParser _createParser(Reader reader, IOContext context) {
        return new LenientParser(context, _parserFeatures, reader, _rootCharSymbols.makeChild());
    }

    private static final class LenientParser extends ReaderBasedJsonParser {
        private static final char REPLACEMENT = '\ufffd';
        private static final int ESCAPE_LENGTH = 6;

        private boolean isSecondOfPair;

        LenientParser(IOContext context, int features, Reader reader, CharsToNameCanonicalizer symbols) {
            super(context, features, reader, null, symbols);
        }

        @Override
        protected char _decodeEscaped() throws IOException {
            char decoded = super._decodeEscaped();
            if (!Character.isSurrogate(decoded)) {
                return decoded;
            }
            if (isSecondOfPair) {
                isSecondOfPair = false;
                return decoded;
            }
            isSecondOfPair = Character.isHighSurrogate(decoded) && isLowSurrogateNext();
            return isSecondOfPair ? decoded : REPLACEMENT;
        }

        // A pair that the end of the buffer parts is replaced, too: what is behind it cannot be looked at.
        private boolean isLowSurrogateNext() {
            if (_inputEnd - _inputPtr < ESCAPE_LENGTH
                    || _inputBuffer[_inputPtr] != '\\'
                    || _inputBuffer[_inputPtr + 1] != 'u') {
                return false;
            }
            int code = 0;
            for (int i = _inputPtr + 2; i < _inputPtr + ESCAPE_LENGTH; i++) {
                int digit = Character.digit(_inputBuffer[i], 16);
                if (digit < 0) {
                    return false;
                }
                code = code << 4 | digit;
            }
            return Character.isLowSurrogate((char) code);
        }
    }
}
