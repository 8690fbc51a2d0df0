package sectax.kit;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The conversation of probes/PROTOCOL.md. What is measured comes from the probe, as operations. */
public final class Conversation {
    private static final long MOST_SINGLES = 1_000_000; // as many timings of ten digits are 11 MB of reply
    private static final Gson JSON = new GsonBuilder().serializeNulls().create();
    private final Probe probe;
    private Operation live;

    private static final class Request {
        Long seq;
        String command = "", operation = "";
        int protocol;
        long count, settle;
        boolean each;
        Map<String, String> parameters = Map.of(), inputs = Map.of();
        List<String> present = List.of();
    }

    public Conversation(Probe probe) {
        this.probe = probe;
    }

    /** Answers one request a line until stop or the end of the input. */
    public void serve(BufferedReader lines, PrintStream out) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            var asked = new Request();
            var reply = new HashMap<String, Object>(Map.of("status", "ok"));
            try {
                asked = Objects.requireNonNullElse(JSON.fromJson(line, Request.class), asked);
                reply.putAll(obey(asked));
            } catch (Exception | StackOverflowError | OutOfMemoryError fault) {
                // An accident is an ordinary answer too; its own words could quote the line.
                String status = fault instanceof Refusal refusal ? refusal.status : "failed";
                String reason = fault instanceof Refusal
                        ? fault.getMessage()
                        : fault.getClass().getSimpleName();
                reply.putAll(Map.of("status", status, "reason", reason));
            }
            reply.put("seq", asked.seq);
            out.print(JSON.toJson(reply) + "\n");
            out.flush();
            if ("stop".equals(asked.command) && asked.seq != null) return;
        }
    }

    private Map<String, Object> obey(Request asked) throws Exception {
        if (asked.seq == null) throw Refusal.failed("`seq` must be an integer");
        if (live == null && (asked.command.equals("witness") || asked.command.equals("measure"))) {
            throw Refusal.failed("nothing is prepared");
        }
        return switch (asked.command) {
            case "hello" -> hello(asked);
            case "prepare" -> prepare(asked);
            case "witness" -> witness(asked);
            case "measure" -> measure(asked);
            case "stop" -> Map.of();
            default -> throw Refusal.failed("an unknown command");
        };
    }

    private Map<String, Object> hello(Request asked) throws Refusal {
        if (asked.protocol != 1) throw Refusal.failed("this probe speaks protocol 1 alone");
        var operations = new ArrayList<Map<String, Object>>();
        operations.add(Map.of("name", "empty", "parameters", Map.of()));
        probe.operations().forEach((name, known) -> operations.add(Map.of("name", name, "parameters", known)));
        var reply = new HashMap<String, Object>(Map.of("protocol", 1, "operations", operations));
        reply.put("probe", probe.name());
        reply.put("runtime", new Probe.Named("Java", Runtime.version().toString()));
        reply.put("libraries", probe.libraries());
        reply.put("clock", Clock.describe("System.nanoTime", System::nanoTime));
        reply.put("cpu_clock", Clock.describe("CLOCK_PROCESS_CPUTIME_ID", Clock::cpu));
        return reply;
    }

    private Map<String, Object> prepare(Request asked) throws Refusal {
        live = null; // whatever comes of it, a later measure must not time what was live before
        if (asked.operation.equals("empty")) {
            live = () -> 0;
            return Map.of("witnesses", Map.of());
        }
        var known = probe.operations().get(asked.operation);
        if (known == null) throw Refusal.failed("an unknown operation");
        // One passed over in silence would be a mislabelled measurement.
        if (!known.keySet().containsAll(asked.parameters.keySet())) throw Refusal.failed("an unknown parameter");
        live = probe.preparer().prepare(asked.operation, asked.parameters, asked.inputs);
        return Map.of("witnesses", live.witnesses());
    }

    private Map<String, Object> witness(Request asked) throws Exception {
        String artefact = live.artefact();
        var reply = new HashMap<String, Object>(Map.of("witnesses", live.readBack(artefact)));
        reply.put("artefact", artefact);
        reply.put("accepted", asked.present.stream().map(live::accepts).toList());
        return reply;
    }

    private Map<String, Object> measure(Request asked) throws Exception {
        if (asked.count < 1 || asked.settle < 0 || asked.each && asked.count > MOST_SINGLES) {
            throw Refusal.failed("count must be at least 1, settle 0; one by one a million fit into a line");
        }
        Batch.of(live, asked.settle);
        var seen = new ArrayList<Batch>();
        for (long left = asked.each ? asked.count : 1; left > 0; left--) {
            seen.add(Batch.of(live, asked.each ? 1 : asked.count));
        }
        var reply = new HashMap<String, Object>(Map.of("count", asked.count));
        reply.put("elapsed_ns", seen.stream().map(Batch::elapsed).toList());
        reply.put("failures", seen.stream().mapToLong(Batch::failures).sum());
        reply.put("bytes", seen.stream().mapToLong(Batch::bytes).sum());
        if (!asked.each) reply.put("cpu_ns", seen.get(0).cpu());
        return reply;
    }
}
