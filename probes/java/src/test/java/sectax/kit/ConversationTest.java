package sectax.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConversationTest {
    private static final String RIGHT = prepare("right");

    private static String prepare(String way) {
        return "{\"seq\": 1, \"command\": \"prepare\", \"operation\": \"twice\", \"parameters\": {\"way\": \"" + way
                + "\"}}";
    }

    private static Operation made(String operation, Map<String, String> parameters, Map<String, String> inputs)
            throws Refusal {
        String way = parameters.get("way");
        if (way.equals("rare")) {
            throw Refusal.skipped("not here");
        }
        if (way.equals("broken")) {
            throw new IllegalStateException("an accident");
        }
        return () -> way.equals("right") ? 2 : Operation.WRONG;
    }

    private static List<JsonObject> talk(String... lines) throws IOException {
        var operations = Map.of("twice", Map.of("way", List.of("right", "wrong")));
        var probe = new Probe(new Probe.Named("test", "1"), List.of(), operations, ConversationTest::made);
        var out = new ByteArrayOutputStream();
        new Conversation(probe)
                .serve(
                        new BufferedReader(new StringReader(String.join("\n", lines))),
                        new PrintStream(out, false, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
    }

    private static void assertStatus(String status, JsonObject reply) {
        assertEquals(status, reply.get("status").getAsString(), reply.toString());
        assertTrue(status.equals("ok") || !reply.get("reason").getAsString().isEmpty());
    }

    @Test
    void aBatchIsCountedAndTimed() throws IOException {
        var replies = talk(
                RIGHT,
                "{\"seq\": 2, \"command\": \"measure\", \"count\": 7, \"settle\": 3}",
                "{\"seq\": 3, \"command\": \"measure\", \"count\": 7, \"each\": true}");
        JsonObject batch = replies.get(1);
        JsonObject singles = replies.get(2);

        assertEquals(7, batch.get("count").getAsInt());
        assertEquals(14, batch.get("bytes").getAsInt());
        assertEquals(0, batch.get("failures").getAsInt());
        assertEquals(1, batch.getAsJsonArray("elapsed_ns").size());
        assertTrue(batch.has("cpu_ns"));
        assertEquals(7, singles.getAsJsonArray("elapsed_ns").size());
        assertFalse(singles.has("cpu_ns"));
    }

    @Test
    void wrongResultsAreFailures() throws IOException {
        var replies = talk(prepare("wrong"), "{\"seq\": 2, \"command\": \"measure\", \"count\": 5, \"settle\": 2}");

        assertEquals(5, replies.get(1).get("failures").getAsInt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"seq\": 9, \"command\": \"measure\", \"count\": 1}",
                "{\"seq\": 9, \"command\": \"witness\"}",
                "{\"seq\": 9, \"command\": \"hello\", \"protocol\": 2}",
                "{\"seq\": 9, \"command\": \"dance\"}",
                "{\"seq\": 9, \"command\": \"prepare\", \"operation\": \"thrice\"}",
                "{\"seq\": 9, \"command\": \"prepare\", \"operation\": \"twice\", \"parameters\": {\"size\": \"1\"}}",
                "{\"seq\": 9, \"command\": \"prepare\", \"operation\": \"twice\", \"parameters\": {\"way\": \"broken\"}}",
                "{\"seq\": 9, \"command\": null}",
                "{\"seq\": \"nine\"}",
                "null",
                "[]",
                "{",
                ""
            })
    void whatCannotBeDoneFailsAndTheConversationGoesOn(String line) throws IOException {
        var replies = talk(line, "{\"seq\": 10, \"command\": \"hello\", \"protocol\": 1}");

        assertStatus("failed", replies.get(0));
        assertStatus("ok", replies.get(1));
    }

    @Test
    void whatIsNotThereIsSkipped() throws IOException {
        assertStatus("skipped", talk(prepare("rare")).get(0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"count\": 0",
                "\"count\": 1, \"settle\": -1",
                "\"count\": 1000001, \"each\": true",
                "\"count\": 1.5"
            })
    void countsOutOfBoundsAreRefused(String members) throws IOException {
        var replies = talk(RIGHT, "{\"seq\": 2, \"command\": \"measure\", " + members + "}");

        assertStatus("failed", replies.get(1));
    }

    @Test
    void aRefusedPrepareLeavesNothingToMeasure() throws IOException {
        var replies = talk(RIGHT, prepare("rare"), "{\"seq\": 3, \"command\": \"measure\", \"count\": 1}");

        assertStatus("failed", replies.get(2));
    }

    @Test
    void stopEndsTheConversation() throws IOException {
        assertEquals(1, talk("{\"seq\": 1, \"command\": \"stop\"}", RIGHT).size());
    }

    @Test
    void clocksHaveStepsAndACost() throws IOException {
        JsonObject hello =
                talk("{\"seq\": 1, \"command\": \"hello\", \"protocol\": 1}").get(0);

        for (String name : List.of("clock", "cpu_clock")) {
            JsonObject clock = hello.getAsJsonObject(name);
            assertTrue(clock.get("granularity_ns").getAsLong() >= 1, clock.toString());
            assertTrue(clock.get("read_ns").getAsLong() < 1_000_000, clock.toString());
        }
    }
}
