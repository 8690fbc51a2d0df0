package sectax.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.crypto.tink.Version;
import com.nimbusds.jose.JWSSigner;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryManagerMXBean;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import sectax.kit.Conversation;
import sectax.kit.Operation;
import sectax.kit.Probe;
import sectax.kit.Refusal;

/** The Java probe of sectax. It speaks probes/PROTOCOL.md. */
final class Main {
    private Main() {}

    public static void main(String[] words) throws IOException {
        var requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        var replies = new PrintStream(System.out, false, UTF_8);
        System.setOut(System.err); // nothing but replies on stdout
        var parameters = Map.of(
                "algorithm", available(),
                "key_use", List.of("parsed-once", "parsed-per-call"),
                "layer", List.of("primitive", "library"));
        Map<String, Map<String, List<String>>> operations = new HashMap<>();
        operations.put("sign", parameters);
        operations.put("verify", parameters);
        Primitives.FAMILIES.forEach((name, known) -> operations.put(name, Map.of("algorithm", known)));
        var probe = new Probe.Named("java", "1");
        new Conversation(new Probe(probe, libraries(), operations, Main::prepare)).serve(requests, replies);
    }

    /** With the compiler and the garbage collector: their threads' CPU time is counted too. */
    private static List<Probe.Named> libraries() {
        String collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(MemoryManagerMXBean::getName)
                .collect(Collectors.joining(", "));
        return List.of(
                new Probe.Named("jvm", System.getProperty("java.vm.name")),
                new Probe.Named("compiler", System.getProperty("sun.management.compiler", "")),
                new Probe.Named("collector", collectors),
                new Probe.Named("nimbus-jose-jwt", JWSSigner.class.getPackage().getImplementationVersion()),
                new Probe.Named("tink", Version.TINK_VERSION));
    }

    static List<String> available() {
        return Algorithm.ALL.values().stream()
                .filter(algorithm -> isHere(algorithm))
                .map(Algorithm::name)
                .toList();
    }

    private static boolean isHere(Algorithm algorithm) {
        try {
            return algorithm.provider() != null;
        } catch (NoSuchAlgorithmException lacking) {
            return false;
        }
    }

    static Operation prepare(String operation, Map<String, String> parameters, Map<String, String> inputs)
            throws Refusal {
        String name = parameters.getOrDefault("algorithm", "");
        if (Primitives.FAMILIES.containsKey(operation)) {
            try {
                return Primitives.prepare(operation, name, inputs);
            } catch (GeneralSecurityException error) {
                throw Refusal.failed(
                        "it could not be prepared: " + error.getClass().getSimpleName());
            }
        }
        Algorithm algorithm = Algorithm.ALL.get(name);
        if (algorithm == null) {
            throw Refusal.skipped("not in the JDK" + (name.equals("ES256K") ? " since version 16" : ""));
        }
        if (!isHere(algorithm)) {
            String since = algorithm.keyType().equals("AKP") ? "; it comes with JDK 24" : "";
            throw Refusal.skipped("not in JDK " + Runtime.version().feature() + since);
        }
        String use = parameters.getOrDefault("key_use", "");
        if (!use.equals("parsed-once") && !use.equals("parsed-per-call")) {
            throw Refusal.failed("key_use must be parsed-once or parsed-per-call");
        }
        boolean signs = operation.equals("sign");
        boolean perCall = use.equals("parsed-per-call");
        try {
            return switch (parameters.getOrDefault("layer", "")) {
                case "primitive" -> Primitive.prepare(signs, algorithm, perCall, inputs);
                case "library" -> Library.prepare(signs, algorithm, perCall, inputs);
                default -> throw Refusal.failed("layer must be primitive or library");
            };
        } catch (Refusal refusal) {
            throw refusal;
        } catch (Exception error) {
            throw Refusal.failed("it could not be prepared: " + error.getClass().getSimpleName());
        }
    }
}
