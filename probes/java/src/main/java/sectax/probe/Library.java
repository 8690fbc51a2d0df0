package sectax.probe;

import static sectax.kit.Operation.WRONG;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.Ed25519Signer;
import com.nimbusds.jose.crypto.Ed25519Verifier;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.text.ParseException;
import java.util.Arrays;
import java.util.Map;
import javax.crypto.SecretKey;
import sectax.kit.Operation;
import sectax.kit.Refusal;

/** Complete tokens, by nimbus-jose-jwt: it signs with the JDK's cryptography, and Ed25519 with Tink's. */
final class Library {
    private Library() {}

    interface Made<T> {
        T get() throws Exception;
    }

    static Operation prepare(boolean signs, Algorithm algorithm, boolean perCall, Map<String, String> inputs)
            throws Exception {
        if (algorithm.library() == null) {
            throw Refusal.skipped("not in nimbus-jose-jwt");
        }
        Keys keys = Keys.of(algorithm, inputs, signs);
        String below = algorithm.keyType().equals("OKP")
                ? "tink"
                : algorithm.provider().getName();
        var witnesses = Keys.with(keys.witnesses(), "implementation", "nimbus-jose-jwt/" + below);
        boolean parses = perCall && algorithm.keys() != null;
        Made<JWSVerifier> verifier = verifier(algorithm, keys, inputs.get("public_key_pem"), parses);
        Signatures.Verify verify = text -> {
            SignedJWT token = SignedJWT.parse(text);
            // A verifier of RSA keys takes all algorithms with such keys.
            return token.getHeader().getAlgorithm().equals(algorithm.library())
                    && token.verify(verifier.get())
                    && token.getJWTClaimsSet() != null;
        };
        if (!signs) {
            String text = inputs.get("token");
            Token.read(text);
            return new Signatures(witnesses, () -> verify.accepts(text) ? 0 : WRONG, null, verify, text);
        }
        JWTClaimsSet claims;
        try {
            claims = JWTClaimsSet.parse(inputs.getOrDefault("claims", ""));
        } catch (ParseException malformed) {
            throw Refusal.failed("the input claims is no JSON object");
        }
        JWSHeader header = new JWSHeader.Builder(algorithm.library())
                .type(JOSEObjectType.JWT)
                .build();
        Made<JWSSigner> signer = signer(algorithm, keys, inputs.get("private_key_pem"), parses);
        Signatures.Sign sign = () -> {
            SignedJWT token = new SignedJWT(header, claims);
            token.sign(signer.get());
            return token.serialize();
        };
        return new Signatures(witnesses, () -> sign.token().length(), sign, verify, null);
    }

    /** What signs: made once, or with the key parsed in every call. nimbus-jose-jwt takes Ed25519 as a JWK alone. */
    private static Made<JWSSigner> signer(Algorithm algorithm, Keys keys, String pem, boolean parses) throws Exception {
        if (algorithm.keyType().equals("OKP")) {
            String jwk = pair(keys).toJSONString();
            var once = new Ed25519Signer(OctetKeyPair.parse(jwk));
            return parses ? () -> new Ed25519Signer(OctetKeyPair.parse(jwk)) : () -> once;
        }
        JWSSigner once = signerWith(keys.signing());
        return parses ? () -> signerWith(Keys.readPrivate(algorithm, pem)) : () -> once;
    }

    private static JWSSigner signerWith(Key key) throws JOSEException {
        if (key instanceof SecretKey secret) {
            return new MACSigner(secret);
        }
        return key instanceof ECPrivateKey ec ? new ECDSASigner(ec) : new RSASSASigner((PrivateKey) key);
    }

    private static Made<JWSVerifier> verifier(Algorithm algorithm, Keys keys, String pem, boolean parses)
            throws Exception {
        if (algorithm.keyType().equals("OKP")) {
            String jwk = pair(keys).toPublicJWK().toJSONString();
            var once = new Ed25519Verifier(OctetKeyPair.parse(jwk));
            return parses ? () -> new Ed25519Verifier(OctetKeyPair.parse(jwk)) : () -> once;
        }
        JWSVerifier once = verifierWith(keys.verifying());
        return parses ? () -> verifierWith(Keys.readPublic(algorithm, pem)) : () -> once;
    }

    private static JWSVerifier verifierWith(Key key) throws JOSEException {
        if (key instanceof SecretKey secret) {
            return new MACVerifier(secret);
        }
        return key instanceof ECPublicKey ec ? new ECDSAVerifier(ec) : new RSASSAVerifier((RSAPublicKey) key);
    }

    private static OctetKeyPair pair(Keys keys) throws GeneralSecurityException {
        var pair = new OctetKeyPair.Builder(Curve.Ed25519, tail(keys.verifying()));
        return (keys.signing() == null ? pair : pair.d(tail(keys.signing()))).build();
    }

    /** The bytes of a key, which end its encoding in DER. */
    private static Base64URL tail(Key key) {
        byte[] encoded = key.getEncoded();
        return Base64URL.encode(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));
    }
}
