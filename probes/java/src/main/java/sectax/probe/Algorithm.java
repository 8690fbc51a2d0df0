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
        add(new Algorithm("HS256", "oct", null, "", "HmacSHA256", null, JWSAlgorithm.HS256));
        add(new Algorithm("HS384", "oct", null, "", "HmacSHA384", null, JWSAlgorithm.HS384));
        add(new Algorithm("HS512", "oct", null, "", "HmacSHA512", null, JWSAlgorithm.HS512));
        add(new Algorithm("RS256", "RSA", "RSA", "", "SHA256withRSA", null, JWSAlgorithm.RS256));
        add(new Algorithm("RS384", "RSA", "RSA", "", "SHA384withRSA", null, JWSAlgorithm.RS384));
        add(new Algorithm("RS512", "RSA", "RSA", "", "SHA512withRSA", null, JWSAlgorithm.RS512));
        add(new Algorithm("PS256", "RSA", "RSA", "", "RSASSA-PSS", pss("SHA-256", 32), JWSAlgorithm.PS256));
        add(new Algorithm("PS384", "RSA", "RSA", "", "RSASSA-PSS", pss("SHA-384", 48), JWSAlgorithm.PS384));
        add(new Algorithm("PS512", "RSA", "RSA", "", "RSASSA-PSS", pss("SHA-512", 64), JWSAlgorithm.PS512));
        add(new Algorithm("ES256", "EC", "EC", "P-256", "SHA256withECDSAinP1363Format", null, JWSAlgorithm.ES256));
        add(new Algorithm("ES384", "EC", "EC", "P-384", "SHA384withECDSAinP1363Format", null, JWSAlgorithm.ES384));
        add(new Algorithm("ES512", "EC", "EC", "P-521", "SHA512withECDSAinP1363Format", null, JWSAlgorithm.ES512));
        add(new Algorithm("EdDSA", "OKP", "Ed25519", "Ed25519", "Ed25519", null, JWSAlgorithm.EdDSA));
        add(new Algorithm("Ed448", "OKP", "Ed448", "Ed448", "Ed448", null, null));
        for (String name : new String[] {"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"}) {
            add(new Algorithm(name, "AKP", name, "", name, null, null));
        }
    }

    private static void add(Algorithm algorithm) {
        ALL.put(algorithm.name, algorithm);
    }

    private static PSSParameterSpec pss(String hash, int salt) {
        return new PSSParameterSpec(hash, "MGF1", new MGF1ParameterSpec(hash), salt, 1);
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
