package cleave.route.rpc;

import cleave.model.KnownMasters;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The master that is assumed to lead: one of the masters in the map, or else one of the configured. Thread-safe: writes may race, but it
 * is only a guess.
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

    /** Learns from a map. Its leader is adopted only if it differs from that of the map before, because an old one may be refuted. */
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

    /** The master at an address does not lead. The next guess is the master that its message names, else the next in the list. */
    void refused(String address, String message) {
        if (current.equals(address)) {
            List<String> all = masters;
            current = all.stream()
                    .filter(master -> !master.equals(address) && isNamed(master, message))
                    .findFirst()
                    .orElse(all.get((all.indexOf(address) + 1) % all.size()));
        }
    }

    /** True if the message contains the address, and not only as the prefix of one with a longer port. */
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
