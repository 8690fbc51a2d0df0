package sectax.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import sectax.kit.Operation;
import sectax.kit.Refusal;

class PrepareTest {
    private static final String CLAIMS = "{\"iss\":\"https://issuer.example\",\"sub\":\"user\"}";
    private static final Map<String, String> CURVES =
            Map.of("P-256", "secp256r1", "P-384", "secp384r1", "P-521", "secp521r1");
    private static KeyPair rsa;

    private static KeyPair pairFor(Algorithm algorithm) throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance(algorithm.keys());
        if (algorithm.keyType().equals("EC")) {
            generator.initialize(new ECGenParameterSpec(CURVES.get(algorithm.curve())));
        } else if (algorithm.keyType().equals("RSA")) {
            generator.initialize(2048);
            rsa = rsa == null ? generator.generateKeyPair() : rsa;
            return rsa;
        }
        return generator.generateKeyPair();
    }

    private static Map<String, String> inputsFor(String name) throws GeneralSecurityException {
        String header = Token.encode(("{\"typ\":\"JWT\",\"alg\":\"" + name + "\"}").getBytes(StandardCharsets.UTF_8));
        String claims = Token.encode(CLAIMS.getBytes(StandardCharsets.UTF_8));
        var inputs = new HashMap<>(Map.of("claims", CLAIMS, "signing_input", header + "." + claims));
        Algorithm algorithm = Algorithm.ALL.get(name);
        if (algorithm.keys() == null) {
            inputs.put("secret", Token.encode("k".repeat(64).getBytes(StandardCharsets.UTF_8)));
            return inputs;
        }
        KeyPair pair = pairFor(algorithm);
        inputs.put("private_key_pem", pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
        inputs.put("public_key_pem", pem("PUBLIC KEY", pair.getPublic().getEncoded()));
        return inputs;
    }

    private static String pem(String kind, byte[] encoded) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
        return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
    }

    private static Operation prepared(
            String operation, String name, String layer, String use, Map<String, String> inputs) throws Refusal {
        return Main.prepare(operation, Map.of("algorithm", name, "layer", layer, "key_use", use), inputs);
    }

    static Stream<String> names() {
        return Main.available().stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void tokensAreVerifiedByBothLayersAndTamperedOnesByNone(String name) throws Exception {
        List<String> layers =
                Algorithm.ALL.get(name).library() == null ? List.of("primitive") : List.of("primitive", "library");
        Map<String, String> inputs = inputsFor(name);
        for (String layer : layers) {
            for (String use : List.of("parsed-once", "parsed-per-call")) {
                Operation signer = prepared("sign", name, layer, use, inputs);
                String token = signer.artefact();
                assertTrue(signer.run() > 0);
                assertEquals(Map.of("alg", name), signer.readBack(token));
                inputs.put("token", token);
                for (String other : layers) {
                    Operation verifier = prepared("verify", name, other, use, inputs);
                    assertEquals(0, verifier.run());
                    assertTrue(verifier.accepts(token) && signer.accepts(token));
                    // nimbus-jose-jwt passes over what is not of base64url's alphabet.
                    assertEquals(other.equals("library"), verifier.accepts(token + "!"));
                    for (String wrong : tampered(token)) {
                        assertFalse(verifier.accepts(wrong), wrong);
                    }
                }
            }
        }
    }

    /** A turned bit in every seventh byte, and tokens of strange form. */
    private static List<String> tampered(String token) {
        String[] parts = token.split("\\.");
        String body = parts[0] + "." + parts[1];
        var wrong = new ArrayList<>(List.of("", "..", "a.b.c", body, body + ".", token + "." + parts[2]));
        wrong.add(Token.encode("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8)) + "." + parts[1] + ".");
        for (int part = 0; part < parts.length; part++) {
            byte[] data = Token.decode(parts[part]);
            for (int index = 0; index < data.length; index += 7) {
                data[index] ^= 1;
                String[] changed = parts.clone();
                changed[part] = Token.encode(data);
                wrong.add(String.join(".", changed));
                data[index] ^= 1;
            }
        }
        return wrong;
    }

    @ParameterizedTest
    @CsvSource({
        "RS512, RSA, 2048,",
        "ES512, EC, 521, P-521",
        "EdDSA, OKP, 256, Ed25519",
        "Ed448, OKP, 456, Ed448",
        "HS256, oct, 512,"
    })
    void witnessesAreReadFromTheKey(String name, String keyType, int bits, String curve) throws Exception {
        var read = prepared("sign", name, "primitive", "parsed-once", inputsFor(name))
                .witnesses();

        assertEquals(keyType, read.get("key_type"));
        assertEquals(bits, read.get("key_bits"));
        assertEquals(curve, read.get("curve"));
    }

    @ParameterizedTest
    @CsvSource({"ES384, failed", "RS256, failed", "HS256, failed", "ES256K, skipped", "SLH-DSA, skipped"})
    void whatDoesNotFitIsRefused(String name, String status) throws Exception {
        var inputs = inputsFor("ES256");
        var refusal = assertThrows(Refusal.class, () -> prepared("sign", name, "primitive", "parsed-once", inputs));

        assertEquals(status, refusal.status);
    }

    /** RFC 8037, appendix A.4: the same signature for the same key and text. */
    @Test
    void aPublishedVectorOfEd25519() throws GeneralSecurityException {
        byte[] input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".getBytes(StandardCharsets.UTF_8);
        byte[] seed = Token.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
        Algorithm algorithm = Algorithm.ALL.get("EdDSA");
        var key = algorithm.factory().generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, seed));

        assertEquals(
                "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
                Token.encode(algorithm.sign(key, input)));
        assertEquals(Signature.getInstance("Ed25519").getProvider(), algorithm.provider());
    }
}
