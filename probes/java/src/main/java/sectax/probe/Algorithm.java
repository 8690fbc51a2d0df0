package sectax.probe;

import com.nimbusds.jose.JWSAlgorithm;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;

/**
 * How the JDK signs and verifies an algorithm, and what nimbus-jose-jwt calls the same. Signatures are in the form of
 * JOSE. As in Java's own examples and in nimbus-jose-jwt, each call asks for its Signature or Mac anew: it is no part
 * of the key.
 *
 * @param keys what the JDK calls keys of its kind; null of a shared secret
 * @param curve empty where there is none
 * @param pss of RSA with a salt; null otherwise
 * @param library null where nimbus-jose-jwt lacks it
 */
record Algorithm(
        String name,
        String keyType,
        String keys,
        String curve,
        String jca,
        PSSParameterSpec pss,
        JWSAlgorithm library) {

    static final Map<String, Algorithm> ALL = new LinkedHashMap<>();

    // A new algorithm is a row here.
    static {
        hmac("HS256", "HmacSHA256", JWSAlgorithm.HS256);
        hmac("HS384", "HmacSHA384", JWSAlgorithm.HS384);
        hmac("HS512", "HmacSHA512", JWSAlgorithm.HS512);
        rsa("RS256", "SHA256withRSA", null, JWSAlgorithm.RS256);
        rsa("RS384", "SHA384withRSA", null, JWSAlgorithm.RS384);
        rsa("RS512", "SHA512withRSA", null, JWSAlgorithm.RS512);
        rsa("PS256", "RSASSA-PSS", pss("SHA-256", MGF1ParameterSpec.SHA256, 32), JWSAlgorithm.PS256);
        rsa("PS384", "RSASSA-PSS", pss("SHA-384", MGF1ParameterSpec.SHA384, 48), JWSAlgorithm.PS384);
        rsa("PS512", "RSASSA-PSS", pss("SHA-512", MGF1ParameterSpec.SHA512, 64), JWSAlgorithm.PS512);
        add("ES256", "EC", "EC", "P-256", "SHA256withECDSAinP1363Format", JWSAlgorithm.ES256);
        add("ES384", "EC", "EC", "P-384", "SHA384withECDSAinP1363Format", JWSAlgorithm.ES384);
        add("ES512", "EC", "EC", "P-521", "SHA512withECDSAinP1363Format", JWSAlgorithm.ES512);
        add("EdDSA", "OKP", "Ed25519", "Ed25519", "Ed25519", JWSAlgorithm.EdDSA);
        add("Ed448", "OKP", "Ed448", "Ed448", "Ed448", null);
        for (String name : new String[] {"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"}) {
            add(name, "AKP", name, "", name, null);
        }
    }

    private static void hmac(String name, String jca, JWSAlgorithm library) {
        ALL.put(name, new Algorithm(name, "oct", null, "", jca, null, library));
    }

    private static void rsa(String name, String jca, PSSParameterSpec pss, JWSAlgorithm library) {
        ALL.put(name, new Algorithm(name, "RSA", "RSA", "", jca, pss, library));
    }

    private static void add(String name, String keyType, String keys, String curve, String jca, JWSAlgorithm library) {
        ALL.put(name, new Algorithm(name, keyType, keys, curve, jca, null, library));
    }

    private static PSSParameterSpec pss(String hash, MGF1ParameterSpec mask, int salt) {
        return new PSSParameterSpec(hash, "MGF1", mask, salt, 1);
    }

    /** What does the work in this JDK. */
    Provider provider() throws NoSuchAlgorithmException {
        return keys == null
                ? Mac.getInstance(jca).getProvider()
                : Signature.getInstance(jca).getProvider();
    }

    KeyFactory factory() throws NoSuchAlgorithmException {
        return KeyFactory.getInstance(keys);
    }

    byte[] sign(Key key, byte[] data) throws GeneralSecurityException {
        if (keys == null) {
            Mac mac = Mac.getInstance(jca);
            mac.init(key);
            return mac.doFinal(data);
        }
        Signature signature = signature();
        signature.initSign((PrivateKey) key);
        signature.update(data);
        return signature.sign();
    }

    boolean verify(Key key, byte[] data, byte[] signature) throws GeneralSecurityException {
        if (keys == null) {
            return MessageDigest.isEqual(sign(key, data), signature);
        }
        Signature verifier = signature();
        verifier.initVerify((PublicKey) key);
        verifier.update(data);
        try {
            return verifier.verify(signature);
        } catch (SignatureException malformed) {
            return false;
        }
    }

    private Signature signature() throws GeneralSecurityException {
        Signature signature = Signature.getInstance(jca);
        if (pss != null) {
            signature.setParameter(pss);
        }
        return signature;
    }
}
