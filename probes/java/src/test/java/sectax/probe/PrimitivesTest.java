package sectax.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sectax.kit.Operation.WRONG;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sectax.kit.Operation;
import sectax.kit.Refusal;

class PrimitivesTest {
    private static Operation ready(String operation, String algorithm, Map<String, String> inputs) throws Refusal {
        return Main.prepare(operation, Map.of("algorithm", algorithm), inputs);
    }

    private static String text(String latin) {
        return Token.encode(latin.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** FIPS 180-4 and 202, and RFC 4231, test case 1. */
    @ParameterizedTest
    @CsvSource({
        "hash, sha-256, abc, ba7816bf8f01cfea",
        "hash, sha-512, abc, ddaf35a193617aba",
        "hash, sha3-256, abc, 3a985da74fe225b2",
        "mac, hmac-sha-256, Hi There, b0344c61d8db3853",
        "mac, hmac-sha-512, Hi There, 87aa7cdea5ef619d",
    })
    void asTheStandardsHaveIt(String operation, String algorithm, String data, String start) throws Exception {
        var of = ready(operation, algorithm, Map.of("key", text("\u000b".repeat(20)), "data", text(data)));
        byte[] made = Token.decode(of.artefact());

        assertTrue(HexFormat.of().formatHex(made).startsWith(start));
        assertEquals(made.length, of.run());
        assertTrue(of.accepts(Token.encode(made)));
        assertFalse(of.accepts(text("another")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"aes-256-gcm", "aes-128-gcm", "chacha20-poly1305"})
    void whatIsSealedIsOpenedAndNotWithABitTurned(String algorithm) throws Exception {
        String key = text("k".repeat(algorithm.equals("aes-128-gcm") ? 16 : 32));
        String data = text("d".repeat(100));
        var seal = ready("aead-seal", algorithm, Map.of("key", key, "data", data));
        String first = seal.artefact();
        String second = seal.artefact();
        var open = ready("aead-open", algorithm, Map.of("key", key, "sealed", first));

        assertNotEquals(first.substring(0, 16), second.substring(0, 16));
        assertEquals(100, open.run());
        assertEquals(data, open.artefact());
        assertTrue(seal.accepts(second));
        byte[] sealed = Token.decode(first);
        for (int index = 0; index < sealed.length; index++) {
            sealed[index] ^= 1;
            assertFalse(open.accepts(Token.encode(sealed)), "byte " + index);
            sealed[index] ^= 1;
        }
        sealed[20] ^= 1;
        var tampered = Map.of("key", key, "sealed", Token.encode(sealed));
        assertEquals(WRONG, ready("aead-open", algorithm, tampered).run());
    }

    @ParameterizedTest
    @CsvSource({"x25519, 32", "p-256, 65"})
    void bothSidesAgree(String algorithm, int size) throws Exception {
        var of =
                ready("agree", algorithm, Map.of("private_key", text("\u0001".repeat(32)), "public_key", text("none")));

        assertEquals(32, of.run());
        assertEquals(size, of.witnesses().get("public_key_bytes"));
        for (String wrong : new String[] {"", ".", "AA.AA", "a", "AA.AA.AA"}) {
            assertFalse(of.accepts(wrong));
        }
    }

    @Test
    void aStoredPasswordIsAcceptedAndAnotherIsNot() throws Exception {
        String like = "$pbkdf2-sha256$i=2$" + "A".repeat(22) + "$" + "A".repeat(43);
        String stored = ready("password", "pbkdf2-sha256", Map.of("password", "correct", "stored", like))
                .artefact();

        for (var tried : Map.of("correct", 0, "horse", WRONG).entrySet()) {
            var inputs = Map.of("password", tried.getKey(), "stored", stored);
            assertEquals(
                    tried.getValue(), ready("password", "pbkdf2-sha256", inputs).run());
        }
    }

    @ParameterizedTest
    @CsvSource({"hash, blake3", "hash, sha-256", "aead-seal, aes-256-gcm", "agree, x25519", "password, pbkdf2-sha256"})
    void whatDoesNotFitIsRefused(String operation, String algorithm) {
        Map<String, String> inputs = new HashMap<>(Map.of("key", "AAAA", "private_key", "AAAA", "public_key", "AAAA"));
        inputs.put("data", "A A");

        assertThrows(Refusal.class, () -> ready(operation, algorithm, inputs));
    }
}
