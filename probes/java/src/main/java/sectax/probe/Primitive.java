package sectax.probe;

import static sectax.kit.Operation.WRONG;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Map;
import sectax.kit.Operation;
import sectax.kit.Refusal;

/** The bare signature, by the JDK's own cryptography, over bytes that are at hand. */
final class Primitive {
    static Operation prepare(boolean signs, Algorithm algorithm, boolean perCall, Map<String, String> inputs)
            throws Refusal, GeneralSecurityException {
        Keys keys = Keys.of(algorithm, inputs, signs);
        var witnesses = Keys.with(
                keys.witnesses(), "implementation", algorithm.provider().getName());
        boolean parses = perCall && algorithm.keys() != null;
        String open = inputs.get("public_key_pem");
        Signatures.Verify verify = text -> {
            Token token = Token.split(text);
            return token != null && verified(algorithm, keys, parses ? open : null, token);
        };
        if (!signs) {
            String text = inputs.get("token");
            Token token = Token.read(text);
            Signatures.Work work = parses
                    ? () -> verified(algorithm, keys, open, token) ? 0 : WRONG
                    : () -> verified(algorithm, keys, null, token) ? 0 : WRONG;
            return new Signatures(witnesses, work, null, verify, text);
        }
        String input = inputs.getOrDefault("signing_input", "");
        if (input.isEmpty()) {
            throw Refusal.failed("the input signing_input is missing");
        }
        byte[] data = input.getBytes(StandardCharsets.US_ASCII);
        String secret = inputs.get("private_key_pem");
        Signatures.Work work = parses
                ? () -> algorithm.sign(Keys.readPrivate(algorithm, secret), data).length
                : () -> algorithm.sign(keys.signing(), data).length;
        Signatures.Sign sign = () -> input + "."
                + Token.encode(algorithm.sign(parses ? Keys.readPrivate(algorithm, secret) : keys.signing(), data));
        return new Signatures(witnesses, work, sign, verify, null);
    }

    /** Args: *pem*, null where the parsed key is used. */
    private static boolean verified(Algorithm algorithm, Keys keys, String pem, Token token)
            throws GeneralSecurityException {
        var key = pem == null ? keys.verifying() : Keys.readPublic(algorithm, pem);
        return algorithm.verify(key, token.data(), token.signature());
    }
}
