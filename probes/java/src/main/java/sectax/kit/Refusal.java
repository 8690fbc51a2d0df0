package sectax.kit;

/** Ends a request, not the probe. It never quotes an input, which may be a key. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    public final String status;

    private Refusal(String status, String reason) {
        super(reason);
        this.status = status;
    }

    public static Refusal skipped(String reason) {
        return new Refusal("skipped", reason);
    }

    public static Refusal failed(String reason) {
        return new Refusal("failed", reason);
    }
}
