package cleave.chaos.balance;

import cleave.wire.Event;
import cleave.wire.Setting;
import java.util.List;
import java.util.Locale;

/**
 * An event of the leader. Immutable.
 *
 * @param seconds since the load began; negative before that
 */
record LeaderEvent(double seconds, Event event) {
    static final String BEGUN = "handoff-begun";
    static final String ENDED = "handoff-ended";
    static final String DEAD = "server-dead";
    /** Why a server was declared dead, if it was not because its process has ended. */
    static final String SILENT = "silent for too long";

    static final String VERDICT = "verdict";

    boolean is(String kind) {
        return event.getKind().equals(kind);
    }

    /** The number of its handoff; 0 if it has none. */
    long handoff() {
        return event.getHandoff();
    }

    /** True if this is the balancer's reason, such as {@code moving end}. */
    boolean isFor(String reason) {
        return event.getReason().startsWith("balancer: " + reason + ":");
    }

    /** A figure by its name; empty if there is none. */
    String evidence(String name) {
        return event.getEvidenceList().stream()
                .filter(pair -> pair.getName().equals(name))
                .map(Setting::getValue)
                .findFirst()
                .orElse("");
    }

    /** The kind of a handoff that began: split, merge or move; otherwise empty. */
    String use() {
        String plan = is(BEGUN) ? evidence("plan") : "";
        int end = plan.indexOf(' ');
        return end < 0 ? "" : plan.substring(0, end).toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%6.1f s  %s", seconds, event.getKind()));
        add(" ranges ", event.getRangesList(), text);
        add(" on ", event.getServersList(), text);
        if (!event.getReason().isEmpty()) {
            text.append("; ").append(event.getReason());
        }
        event.getEvidenceList()
                .forEach(pair ->
                        text.append("; ").append(pair.getName()).append(' ').append(pair.getValue()));
        event.getRejectedList().forEach(each -> text.append("; not: ").append(each));
        return text.toString();
    }

    private static void add(String before, List<String> some, StringBuilder to) {
        if (!some.isEmpty()) {
            to.append(before).append(String.join(" ", some));
        }
    }
}
