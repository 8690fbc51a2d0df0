package sectax.kit;

import java.util.List;
import java.util.Map;

/** What hello answers (values of each parameter, by operation), and how an operation is made ready. */
public record Probe(
        Named name, List<Named> libraries, Map<String, Map<String, List<String>>> operations, Preparer preparer) {

    public record Named(String name, String version) {}

    public interface Preparer {
        Operation prepare(String operation, Map<String, String> parameters, Map<String, String> inputs) throws Refusal;
    }
}
