package sectax.probe;

import static sectax.kit.Operation.WRONG;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.security.spec.XECPrivateKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.KeyAgreement;
import sectax.kit.Operation;

/** Key agreement of the JDK: both sides of one exchange with fresh keys, and what they send as bytes in between. */
record Exchange(String keys, String agreement, String curve, byte[] before, int publicBytes) {
    /** A SubjectPublicKeyInfo (RFC 8410, RFC 5480) in front of the key's own bytes. */
    private static final Map<String, Exchange> ALL = Map.of(
            "x25519",
            new Exchange("X25519", "X25519", "", HexFormat.of().parseHex("302a300506032b656e032100"), 32),
            "p-256",
            new Exchange(
                    "EC",
                    "ECDH",
                    "secp256r1",
                    HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d030107034200"),
                    65));

    static Operation prepare(String algorithm, byte[] raw, byte[] peer) throws GeneralSecurityException {
        Exchange with = ALL.get(algorithm);
        PrivateKey own = with.load(raw);
        Map<String, Object> witnesses = Map.of(
                "public_key_bytes",
                with.sent(with.fresh()).length,
                "implementation",
                KeyAgreement.getInstance(with.agreement).getProvider().getName());
        Signatures.Work work = () -> {
            KeyPair one = with.fresh();
            byte[] sent = with.sent(one);
            KeyPair other = with.fresh();
            byte[] message = with.sent(other);
            byte[] secret = with.shared(other.getPrivate(), sent);
            return MessageDigest.isEqual(with.shared(one.getPrivate(), message), secret) ? secret.length : WRONG;
        };
        Signatures.Sign artefact = () -> {
            KeyPair pair = with.fresh();
            return Token.encode(with.sent(pair)) + "." + Token.encode(with.shared(pair.getPrivate(), peer));
        };
        Signatures.Verify accepts = shown -> {
            String[] parts = shown.split("\\.", -1);
            byte[] secret = Token.decode(parts[1]);
            return parts.length == 2 && MessageDigest.isEqual(with.shared(own, Token.decode(parts[0])), secret);
        };
        return new Signatures(witnesses, work, artefact, accepts, "");
    }

    private KeyPair fresh() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance(keys);
        if (!curve.isEmpty()) {
            generator.initialize(new ECGenParameterSpec(curve));
        }
        return generator.generateKeyPair();
    }

    private byte[] sent(KeyPair pair) {
        byte[] whole = pair.getPublic().getEncoded();
        return Arrays.copyOfRange(whole, whole.length - publicBytes, whole.length);
    }

    private byte[] shared(PrivateKey key, byte[] message) throws GeneralSecurityException {
        byte[] whole = Arrays.copyOf(before, before.length + message.length);
        System.arraycopy(message, 0, whole, before.length, message.length);
        PublicKey other = KeyFactory.getInstance(keys).generatePublic(new X509EncodedKeySpec(whole));
        var agreement = KeyAgreement.getInstance(this.agreement);
        agreement.init(key);
        agreement.doPhase(other, true);
        return agreement.generateSecret();
    }

    private PrivateKey load(byte[] raw) throws GeneralSecurityException {
        var factory = KeyFactory.getInstance(keys);
        if (curve.isEmpty()) {
            return factory.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, raw));
        }
        var domain = ((ECPublicKey) fresh().getPublic()).getParams();
        return factory.generatePrivate(new ECPrivateKeySpec(new BigInteger(1, raw), domain));
    }
}
