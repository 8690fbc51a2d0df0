package sectax.probe;

import static sectax.kit.Operation.WRONG;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import sectax.kit.Operation;
import sectax.kit.Refusal;

/** Checking a password against what was stored of it: the JDK has PBKDF2 alone. */
record Passwords(String head, int iterations, byte[] salt, byte[] hash) {

    static Operation prepare(String algorithm, String password, String stored)
            throws Refusal, GeneralSecurityException {
        if (password == null || stored == null) {
            throw Refusal.failed("the inputs password and stored are needed");
        }
        String name = algorithm.equals("pbkdf2-sha256") ? "PBKDF2WithHmacSHA256" : "PBKDF2WithHmacSHA512";
        var factory = SecretKeyFactory.getInstance(name);
        char[] secret = password.toCharArray();
        Passwords read = read(stored);
        Signatures.Sign artefact = () -> {
            byte[] salt = new byte[read.salt.length];
            new SecureRandom().nextBytes(salt);
            return read.head + "$" + encode(salt) + "$" + encode(read.derived(factory, secret, salt));
        };
        return new Signatures(
                Map.of("implementation", factory.getProvider().getName()),
                () -> read.matches(factory, secret) ? 0 : WRONG,
                artefact,
                shown -> read(shown).matches(factory, secret),
                "");
    }

    /** Of $pbkdf2-sha256$i=600000$SALT$HASH. */
    private static Passwords read(String text) throws Refusal {
        String[] parts = text.split("\\$", -1);
        if (parts.length != 5 || !parts[2].matches("i=[0-9]{1,9}")) {
            throw Refusal.failed("the input stored is no stored password");
        }
        var head = "$" + parts[1] + "$" + parts[2];
        return new Passwords(head, Integer.parseInt(parts[2].substring(2)), decode(parts[3]), decode(parts[4]));
    }

    private boolean matches(SecretKeyFactory factory, char[] password) throws GeneralSecurityException {
        return MessageDigest.isEqual(derived(factory, password, salt), hash);
    }

    private byte[] derived(SecretKeyFactory factory, char[] password, byte[] with) throws GeneralSecurityException {
        return factory.generateSecret(new PBEKeySpec(password, with, iterations, 8 * 32))
                .getEncoded();
    }

    private static byte[] decode(String text) throws Refusal {
        try {
            byte[] data = Base64.getDecoder().decode(text);
            if (encode(data).equals(text)) {
                return data;
            }
        } catch (IllegalArgumentException malformed) {
            // said below
        }
        throw Refusal.failed("the input stored is no stored password");
    }

    private static String encode(byte[] data) {
        return Base64.getEncoder().withoutPadding().encodeToString(data);
    }
}
