package cleave.route.rpc;

import cleave.model.KnownMasters;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which of the masters is believed to lead: one of those that a map told of, or else of those that were configured. Thread-safe:
 * writes may race, but a guess is only a guess.
 */
final class LeaderGuess {
    private final List<String> configured;
    private volatile List<String> masters;
    private volatile String current;
    private volatile String lastHint = "";

    LeaderGuess(List<String> configured) {
        if (configured.isEmpty()) {
            throw new IllegalArgumentException("at least one master is required");
        }
        this.configured = List.copyOf(configured);
        this.masters = this.configured;
        this.current = masters.get(0);
    }

    String current() {
        return current;
    }

    /** What a map tells. The leader that it names is believed if it is news, and one of the masters: it may be long refuted. */
    void learn(KnownMasters known) {
        Set<String> all = new LinkedHashSet<>(known.addresses());
        all.addAll(configured);
        masters = new ArrayList<>(all);
        boolean isNews = !known.leader().equals(lastHint);
        lastHint = known.leader();
        if (isNews && masters.contains(known.leader())) {
            current = known.leader();
        }
    }

    /** The master at an address does not lead: the one that its message names is believed next, else the next in the list. */
    void refused(String address, String message) {
        if (current.equals(address)) {
            List<String> all = masters;
            current = all.stream()
                    .filter(master -> !master.equals(address) && isNamed(master, message))
                    .findFirst()
                    .orElse(all.get((all.indexOf(address) + 1) % all.size()));
        }
    }

    /** True if the address stands in the message, and not only as the beginning of one with a longer port. */
    private static boolean isNamed(String master, String message) {
        int at = message.indexOf(master);
        while (at >= 0) {
            int end = at + master.length();
            if (end == message.length() || !Character.isLetterOrDigit(message.charAt(end))) {
                return true;
            }
            at = message.indexOf(master, at + 1);
        }
        return false;
    }
}
