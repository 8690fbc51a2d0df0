package sectax.kit;

import java.util.Map;

/** One operation made ready, and what can be asked about it outside the timing. */
public interface Operation {
    int WRONG = -1;
    /** What is timed: the bytes that it made, or WRONG where its result was not right. */
    int run() throws Exception;

    /** Read back from the real thing. */
    default Map<String, Object> witnesses() {
        return Map.of();
    }

    /** A fresh product of the code that is timed; null where it makes none. */
    default String artefact() throws Exception {
        return null;
    }

    /** Whether that code, or its counterpart, finds an artefact genuine. */
    default boolean accepts(String artefact) {
        return false;
    }

    /** Witnesses of the artefact, or of the input where none is made. */
    default Map<String, Object> readBack(String artefact) {
        return Map.of();
    }
}
