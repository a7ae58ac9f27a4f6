package cleave.frontend.fuzz;

import cleave.frontend.protocol.odata.ServiceError;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Feeds a reader with texts made from seeds: whatever it is given it reads or refuses with a {@link ServiceError} that blames the
 * client, and allocates no more than in proportion to the text. A text with an outcome that was not seen before becomes a seed
 * itself, so a run finds its way into what plain chance does not reach. Confined to one run.
 *
 * <p>The same settings give the same run. {@code -Dcleave.fuzz.tries} makes it longer, {@code -Dcleave.fuzz.seed} another one.
 */
public final class Fuzz {
    private static final long SEED = Long.getLong("cleave.fuzz.seed", 1);
    private static final int CORPUS_MAX = 5000;

    /** A reader may allocate so much besides its allowance for each character. */
    private static final long BYTES = 512 * 1024;

    private static final com.sun.management.ThreadMXBean ALLOCATIONS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final String name;
    private final long bytesPerChar;
    private final Random random = new Random(SEED);
    private final Mutator mutator;
    private final List<String> corpus;
    private final Set<String> outcomes = new HashSet<>();
    private long allocated;

    /** The reader that is tried. */
    @FunctionalInterface
    public interface Target {
        /** Reads a text; gives what came of it, in few words that differ between kinds of outcomes. */
        String read(String text);
    }

    private Fuzz(String name, long bytesPerChar) {
        this.name = name;
        this.bytesPerChar = bytesPerChar;
        this.corpus = new ArrayList<>(Seeds.of(name));
        this.mutator = new Mutator(random, Seeds.of(name + "-words"));
    }

    /**
     * @param name of the seeds
     * @param bytesPerChar that the reader may allocate
     */
    public static Fuzz of(String name, long bytesPerChar) {
        return new Fuzz(name, bytesPerChar);
    }

    /** Tries as often as the setting says, or so often without it. */
    public void run(int tries, Target target) {
        for (String seed : List.copyOf(corpus)) {
            attempt(seed, target);
        }
        for (int i = Integer.getInteger("cleave.fuzz.tries", tries); i > 0; i--) {
            String text = mutator.mutated(pick(), pick());
            if (outcomes.add(attempt(text, target)) && corpus.size() < CORPUS_MAX) {
                corpus.add(text);
            }
        }
    }

    private String pick() {
        return corpus.get(random.nextInt(corpus.size()));
    }

    private String attempt(String text, Target target) {
        try {
            String outcome = measured(text, target);
            // The first run loads classes, too.
            if (allocated > allowed(text)) {
                measured(text, target);
            }
            if (allocated > allowed(text)) {
                throw new IllegalStateException(allocated + " bytes for " + text.length() + " characters");
            }
            return outcome;
        } catch (RuntimeException | Error failure) {
            String least = shrunk(text, target, failure.getClass());
            throw new AssertionError(name + ": " + Seeds.escaped(least), failure);
        }
    }

    private String measured(String text, Target target) {
        long before = ALLOCATIONS.getCurrentThreadAllocatedBytes();
        String outcome = outcome(text, target);
        allocated = ALLOCATIONS.getCurrentThreadAllocatedBytes() - before;
        return outcome;
    }

    private long allowed(String text) {
        return BYTES + bytesPerChar * text.length();
    }

    private static String outcome(String text, Target target) {
        try {
            return target.read(text);
        } catch (ServiceError error) {
            if (error.status() < 400 || (error.status() >= 500 && error.status() != 501)) {
                throw new IllegalStateException("the client's mistake is answered with " + error.status(), error);
            }
            return error.code() + error.text().replaceAll("'.*'|[0-9]+", "");
        }
    }

    /** The text with all taken out that the failure does not need. */
    private static String shrunk(String text, Target target, Class<?> failure) {
        String least = text;
        for (int size = Math.max(1, text.length() / 2); size > 0; size /= 2) {
            for (int at = 0; at + size <= least.length(); ) {
                String less = least.substring(0, at) + least.substring(at + size);
                if (fails(less, target, failure)) {
                    least = less;
                } else {
                    at += size;
                }
            }
        }
        return least;
    }

    private static boolean fails(String text, Target target, Class<?> failure) {
        try {
            outcome(text, target);
            return false;
        } catch (RuntimeException | Error other) {
            return other.getClass() == failure;
        }
    }

    /** A text as bytes: characters up to U+00FF are bytes, so that broken UTF-8 is tried as well; others are UTF-8. */
    public static byte[] bytes(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= 0xff) {
                bytes.write(c);
            } else {
                bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }
}
