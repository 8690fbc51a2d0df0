package sectax.probe;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import sectax.kit.Refusal;

/** A compact JWS: what is signed, and the signature. */
record Token(byte[] data, byte[] signature) {

    static Token read(String text) throws Refusal {
        Token token = text == null ? null : split(text);
        if (token == null) {
            throw Refusal.failed("the input token is no compact JWS");
        }
        return token;
    }

    /** Null where it is not a compact JWS. */
    static Token split(String text) {
        int dot = text.lastIndexOf('.');
        if (text.chars().filter(letter -> letter == '.').count() != 2) {
            return null;
        }
        byte[] signature = decode(text.substring(dot + 1));
        return signature == null ? null : new Token(text.substring(0, dot).getBytes(StandardCharsets.UTF_8), signature);
    }

    /** Base64url in its one spelling: two spellings of a signature would be two tokens. Null where it is not. */
    static byte[] decode(String text) {
        try {
            byte[] data = Base64.getUrlDecoder().decode(text);
            return encode(data).equals(text) ? data : null;
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    static String encode(byte[] data) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(data);
    }

    /** What its header says; nothing where it says nothing. */
    static Map<String, Object> readBack(String text) {
        try {
            byte[] header = decode(text.substring(0, text.indexOf('.')));
            JsonObject read = JsonParser.parseString(new String(header, StandardCharsets.UTF_8))
                    .getAsJsonObject();
            return Map.of("alg", read.get("alg").getAsString());
        } catch (RuntimeException malformed) {
            return Map.of();
        }
    }
}
