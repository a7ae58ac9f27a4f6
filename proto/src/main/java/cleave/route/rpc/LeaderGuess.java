package cleave.route.rpc;

import java.util.List;

/** Which of the masters is believed to lead. Thread-safe: writes may race, but a guess is only a guess. */
final class LeaderGuess {
    private final List<String> masters;
    private volatile String current;
    private volatile String lastHint = "";

    LeaderGuess(List<String> masters) {
        if (masters.isEmpty()) {
            throw new IllegalArgumentException("there must be a master");
        }
        this.masters = List.copyOf(masters);
        this.current = masters.get(0);
    }

    String current() {
        return current;
    }

    /** An address that a map gave; ignored if it is none of the masters', or no news: it may be long refuted. */
    void hint(String address) {
        boolean isNews = !address.equals(lastHint);
        lastHint = address;
        if (isNews && masters.contains(address)) {
            current = address;
        }
    }

    /** The master at an address does not lead: the one that its message names is believed next, else the next in the list. */
    void refused(String address, String message) {
        if (current.equals(address)) {
            current = masters.stream()
                    .filter(master -> !master.equals(address) && isNamed(master, message))
                    .findFirst()
                    .orElse(masters.get((masters.indexOf(address) + 1) % masters.size()));
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
