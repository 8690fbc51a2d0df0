package sectax.probe;

import com.nimbusds.jose.jwk.Curve;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import sectax.kit.Refusal;

/**
 * The keys of an operation, and what they say of themselves. A shared secret is both keys.
 *
 * @param signing null where nothing is signed
 */
record Keys(Key signing, Key verifying, Map<String, Object> witnesses) {

    static Keys of(Algorithm algorithm, Map<String, String> inputs, boolean signs) throws Refusal {
        if (algorithm.keys() == null) {
            byte[] secret = Token.decode(inputs.getOrDefault("secret", ""));
            if (secret == null || secret.length == 0) {
                throw Refusal.failed("the input secret is no base64url");
            }
            Key key = new SecretKeySpec(secret, algorithm.jca());
            return new Keys(key, key, witnesses("oct", 8 * secret.length));
        }
        String name = "public_key_pem";
        try {
            PublicKey open = readPublic(algorithm, inputs.get(name));
            Map<String, Object> witnesses = checked(algorithm, open, open);
            if (!signs) {
                return new Keys(null, open, witnesses);
            }
            name = "private_key_pem";
            PrivateKey secret = readPrivate(algorithm, inputs.get(name));
            return new Keys(secret, open, checked(algorithm, secret, open));
        } catch (GeneralSecurityException | IllegalArgumentException | NullPointerException unreadable) {
            if (algorithm.keyType().equals("AKP") && signs) {
                throw Refusal.skipped("the JDK reads no private key of ML-DSA that is a seed");
            }
            throw Refusal.failed("the input " + name + " is no PEM that Java reads as a key for " + algorithm.name());
        }
    }

    static PrivateKey readPrivate(Algorithm algorithm, String pem) throws GeneralSecurityException {
        return algorithm.factory().generatePrivate(new PKCS8EncodedKeySpec(der(pem)));
    }

    static PublicKey readPublic(Algorithm algorithm, String pem) throws GeneralSecurityException {
        return algorithm.factory().generatePublic(new X509EncodedKeySpec(der(pem)));
    }

    private static byte[] der(String pem) {
        int start = pem.indexOf('\n');
        return Base64.getMimeDecoder().decode(pem.substring(start, pem.indexOf("-----END", start)));
    }

    private static Map<String, Object> checked(Algorithm algorithm, Key key, PublicKey open) throws Refusal {
        Map<String, Object> read = describe(key, open);
        boolean fits = algorithm.curve().equals(read.getOrDefault("curve", ""));
        if (!fits || !algorithm.keyType().equals(read.get("key_type"))) {
            throw Refusal.failed(algorithm.name() + " takes other keys than " + read);
        }
        return read;
    }

    /** Type, size and curve, read off a key; what only its public half says is read off that. */
    private static Map<String, Object> describe(Key key, PublicKey open) {
        if (key instanceof RSAKey rsa) {
            return witnesses("RSA", rsa.getModulus().bitLength());
        }
        if (key instanceof ECKey ec) {
            int bits = ec.getParams().getCurve().getField().getFieldSize();
            return with(witnesses("EC", bits), "curve", String.valueOf(Curve.forECParameterSpec(ec.getParams())));
        }
        int encoded = open.getEncoded().length; // SubjectPublicKeyInfo: the key follows a head of fixed length
        if (key instanceof EdECKey edwards) {
            return with(
                    witnesses("OKP", 8 * (encoded - 12)),
                    "curve",
                    edwards.getParams().getName());
        }
        return witnesses("AKP", 8 * (encoded - 22));
    }

    private static Map<String, Object> witnesses(String keyType, int bits) {
        return new HashMap<>(Map.of("key_type", keyType, "key_bits", bits));
    }

    static Map<String, Object> with(Map<String, Object> witnesses, String name, String value) {
        witnesses.put(name, value);
        return witnesses;
    }
}
