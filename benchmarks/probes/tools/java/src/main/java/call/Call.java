package call;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What someone would write to time one call of the JDK's cryptography with JMH. CASE names a file of JSON. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Call {
    /** CPU time of an iteration, of all threads as the probe's; JMH reports it beside its own time. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Cpu {
        static {
            Native.register(Cpu.class, "c");
        }

        public long nanoseconds;
        private final Memory now = new Memory(16);
        private long before;

        private static native int clock_gettime(int clock, Pointer now);

        private long read() {
            int process = 2; // CLOCK_PROCESS_CPUTIME_ID of Linux
            if (clock_gettime(process, now) != 0) throw new IllegalStateException("Linux has this clock");
            return now.getLong(0) * 1_000_000_000 + now.getLong(8);
        }

        @Setup(Level.Iteration)
        public void begin() {
            before = read();
        }

        @TearDown(Level.Iteration)
        public void end() {
            nanoseconds = read() - before;
        }
    }

    private boolean signs;
    private String name;
    private PrivateKey secret;
    private PublicKey open;
    private byte[] data;
    private byte[] signature;

    @Setup
    public void read() throws Exception {
        JsonObject given = new Gson().fromJson(Files.readString(Path.of(System.getenv("CASE"))), JsonObject.class);
        boolean rsa = given.get("algorithm").getAsString().equals("RS256");
        signs = given.get("operation").getAsString().equals("sign");
        name = rsa ? "SHA256withRSA" : "SHA256withECDSAinP1363Format";
        KeyFactory keys = KeyFactory.getInstance(rsa ? "RSA" : "EC");
        secret = keys.generatePrivate(new PKCS8EncodedKeySpec(der(given, "private_key_pem")));
        open = keys.generatePublic(new X509EncodedKeySpec(der(given, "public_key_pem")));
        data = given.get("signing_input").getAsString().getBytes(StandardCharsets.US_ASCII);
        signature = sign();
    }

    private static byte[] der(JsonObject given, String name) {
        return Base64.getMimeDecoder().decode(given.get(name).getAsString().replaceAll("-----[A-Z ]+-----", ""));
    }

    private byte[] sign() throws Exception {
        Signature signer = Signature.getInstance(name);
        signer.initSign(secret);
        signer.update(data);
        return signer.sign();
    }

    private boolean verify() throws Exception {
        Signature verifier = Signature.getInstance(name);
        verifier.initVerify(open);
        verifier.update(data);
        return verifier.verify(signature);
    }

    @Benchmark
    public Object call(Cpu cpu) throws Exception {
        return signs ? sign() : verify();
    }
}
