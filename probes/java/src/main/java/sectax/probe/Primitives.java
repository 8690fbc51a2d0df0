package sectax.probe;

import static sectax.kit.Operation.WRONG;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import sectax.kit.Operation;
import sectax.kit.Refusal;

/** The operations of the experiment primitives, by the JDK's own cryptography: an object for each message. */
final class Primitives {
    private static final List<String> AEAD = List.of("aes-256-gcm", "aes-128-gcm", "chacha20-poly1305");
    static final Map<String, List<String>> FAMILIES = Map.of(
            "hash", List.of("sha-256", "sha-512", "sha3-256"),
            "mac", List.of("hmac-sha-256", "hmac-sha-512"),
            "aead-seal", AEAD,
            "aead-open", AEAD,
            "agree", List.of("x25519", "p-256"),
            "password", List.of("pbkdf2-sha256", "pbkdf2-sha512"));
    private static final int NONCE = 12;
    private static final int TAG = 16;

    private Primitives() {}

    static Operation prepare(String operation, String algorithm, Map<String, String> inputs)
            throws Refusal, GeneralSecurityException {
        if (!FAMILIES.get(operation).contains(algorithm)) {
            throw Refusal.skipped("not in JDK " + Runtime.version().feature());
        }
        return switch (operation) {
            case "hash" -> hash(algorithm, bytes(inputs, "data"));
            case "mac" -> mac(algorithm, bytes(inputs, "key"), bytes(inputs, "data"));
            case "aead-seal" -> seal(algorithm, bytes(inputs, "key"), bytes(inputs, "data"));
            case "aead-open" -> open(algorithm, bytes(inputs, "key"), bytes(inputs, "sealed"));
            case "agree" -> Exchange.prepare(algorithm, bytes(inputs, "private_key"), bytes(inputs, "public_key"));
            default -> Passwords.prepare(algorithm, inputs.get("password"), inputs.get("stored"));
        };
    }

    static byte[] bytes(Map<String, String> inputs, String name) throws Refusal {
        byte[] data = Token.decode(inputs.getOrDefault(name, ""));
        if (data == null || data.length == 0) {
            throw Refusal.failed("the input " + name + " is no base64url");
        }
        return data;
    }

    /** What always makes the same bytes. */
    private interface Makes {
        byte[] made() throws Exception;
    }

    private static Operation produces(Map<String, Object> witnesses, Makes makes) {
        return new Signatures(
                witnesses,
                () -> makes.made().length,
                () -> Token.encode(makes.made()),
                shown -> MessageDigest.isEqual(Token.decode(shown), makes.made()),
                "");
    }

    private static Operation hash(String algorithm, byte[] data) throws GeneralSecurityException {
        String name = algorithm.toUpperCase();
        String provider = MessageDigest.getInstance(name).getProvider().getName();
        var witnesses = Map.<String, Object>of("data_bytes", data.length, "implementation", provider);
        return produces(witnesses, () -> MessageDigest.getInstance(name).digest(data));
    }

    private static Operation mac(String algorithm, byte[] raw, byte[] data) throws GeneralSecurityException {
        String name = algorithm.equals("hmac-sha-256") ? "HmacSHA256" : "HmacSHA512";
        var key = new SecretKeySpec(raw, name);
        Map<String, Object> witnesses = new HashMap<>(Map.of("key_bits", 8 * raw.length, "data_bytes", data.length));
        witnesses.put("implementation", Mac.getInstance(name).getProvider().getName());
        return produces(witnesses, () -> {
            var mac = Mac.getInstance(name);
            mac.init(key);
            return mac.doFinal(data);
        });
    }

    /** A cipher made ready for one message. */
    private static Cipher cipher(int mode, String algorithm, SecretKeySpec key, byte[] nonce)
            throws GeneralSecurityException {
        boolean aes = algorithm.startsWith("aes");
        var cipher = Cipher.getInstance(aes ? "AES/GCM/NoPadding" : "ChaCha20-Poly1305");
        AlgorithmParameterSpec with = aes ? new GCMParameterSpec(8 * TAG, nonce) : new IvParameterSpec(nonce);
        cipher.init(mode, key, with);
        return cipher;
    }

    private static SecretKeySpec key(String algorithm, byte[] raw) throws Refusal {
        if (raw.length != (algorithm.equals("aes-128-gcm") ? 16 : 32)) {
            throw Refusal.failed("the input key is of another length");
        }
        return new SecretKeySpec(raw, algorithm.startsWith("aes") ? "AES" : "ChaCha20");
    }

    private static byte[] opened(String algorithm, SecretKeySpec key, byte[] sealed) throws GeneralSecurityException {
        byte[] nonce = Arrays.copyOf(sealed, NONCE);
        return cipher(Cipher.DECRYPT_MODE, algorithm, key, nonce).doFinal(sealed, NONCE, sealed.length - NONCE);
    }

    private static Map<String, Object> witnesses(String algorithm, SecretKeySpec key, int size)
            throws GeneralSecurityException {
        var provider =
                cipher(Cipher.ENCRYPT_MODE, algorithm, key, new byte[NONCE]).getProvider();
        return Map.of(
                "key_bits", 8 * key.getEncoded().length, "data_bytes", size, "implementation", provider.getName());
    }

    /** Counts the nonce up in every operation, from a random one on, as whoever sends must. */
    private static Operation seal(String algorithm, byte[] raw, byte[] data) throws Refusal, GeneralSecurityException {
        var key = key(algorithm, raw);
        byte[] nonce = new byte[NONCE];
        new SecureRandom().nextBytes(nonce);
        Makes seals = () -> {
            for (int at = NONCE - 1; at >= 0 && ++nonce[at] == 0; at--) {}
            return cipher(Cipher.ENCRYPT_MODE, algorithm, key, nonce).doFinal(data);
        };
        Signatures.Sign artefact = () -> {
            byte[] sealed = seals.made();
            byte[] whole = Arrays.copyOf(nonce, NONCE + sealed.length);
            System.arraycopy(sealed, 0, whole, NONCE, sealed.length);
            return Token.encode(whole);
        };
        Signatures.Verify accepts = shown -> opened(algorithm, key, Token.decode(shown)) != null;
        return new Signatures(witnesses(algorithm, key, data.length), () -> seals.made().length, artefact, accepts, "");
    }

    private static Operation open(String algorithm, byte[] raw, byte[] sealed)
            throws Refusal, GeneralSecurityException {
        var key = key(algorithm, raw);
        Signatures.Work work = () -> {
            try {
                return opened(algorithm, key, sealed).length;
            } catch (GeneralSecurityException refused) {
                return WRONG;
            }
        };
        return new Signatures(
                witnesses(algorithm, key, sealed.length - NONCE - TAG),
                work,
                () -> Token.encode(opened(algorithm, key, sealed)),
                shown -> opened(algorithm, key, Token.decode(shown)) != null,
                "");
    }
}
