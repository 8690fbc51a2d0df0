package sectax.probe;

import java.util.Map;
import sectax.kit.Operation;

/** Signing or verifying, ready to be timed. A token is accepted if its signature is verified; an error is a refusal. */
record Signatures(Map<String, Object> witnesses, Work work, Sign sign, Verify verify, String token)
        implements Operation {

    /** What is timed. */
    interface Work {
        int run() throws Exception;
    }

    /** A complete token. */
    interface Sign {
        String token() throws Exception;
    }

    interface Verify {
        boolean accepts(String token) throws Exception;
    }

    @Override
    public int run() throws Exception {
        return work.run();
    }

    @Override
    public String artefact() throws Exception {
        return sign == null ? null : sign.token();
    }

    @Override
    public boolean accepts(String artefact) {
        try {
            return verify.accepts(artefact);
        } catch (Exception refused) {
            return false;
        }
    }

    @Override
    public Map<String, Object> readBack(String artefact) {
        return Token.readBack(artefact == null ? token : artefact);
    }
}
