package cleave.chaos.sim.cluster;

import cleave.chaos.sim.world.World;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOutcome;
import cleave.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.regex.Pattern;

/** The outcomes of ordered handoffs, as reported by the owners of their sources. Stateless. */
public final class HandoffShares {
    private static final String BEGUN = "handoffs begun";
    private static final String DONE = "handoffs done";
    private static final String GIVEN_UP = "handoffs given up, ";
    /** A reason without values: the part of a status before the colon. */
    private static final Pattern WORDS = Pattern.compile("[a-z', ]+");

    private HandoffShares() {}

    static void begun(World world) {
        world.count(BEGUN);
    }

    static void ended(World world, HandoffOutcome outcome) {
        Status status = outcome.getStatus();
        boolean done = status.getCode() == ErrorCode.OK;
        world.count(done ? DONE : GIVEN_UP + reason(status));
    }

    private static String reason(Status status) {
        String message = status.getMessage();
        String words = message.substring(0, message.contains(":") ? message.indexOf(':') : message.length());
        return status.getCode() + (WORDS.matcher(words).matches() ? ", " + words : "");
    }

    /** Lines of text with shares of all begun handoffs; empty if none began. */
    public static List<String> lines(SortedMap<String, Integer> counts) {
        int begun = counts.getOrDefault(BEGUN, 0);
        List<String> lines = new ArrayList<>();
        if (begun == 0) {
            return lines;
        }
        int done = counts.getOrDefault(DONE, 0);
        int answered = done;
        lines.add(line(done, begun, "of " + begun + " handoffs were done; the others:"));
        for (var each : counts.tailMap(GIVEN_UP).entrySet()) {
            if (each.getKey().startsWith(GIVEN_UP)) {
                answered += each.getValue();
                lines.add(line(each.getValue(), begun, each.getKey().substring(GIVEN_UP.length())));
            }
        }
        lines.add(line(begun - answered, begun, "no answer came"));
        return lines;
    }

    private static String line(int part, int whole, String what) {
        return String.format(Locale.ROOT, "%5.1f %% %s", 100.0 * part / whole, what);
    }
}
