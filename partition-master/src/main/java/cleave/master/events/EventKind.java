package cleave.master.events;

import java.util.Locale;

/** The subject of an event of the leader. */
public enum EventKind {
    LEADER_BEGUN,
    SERVER_DEAD,
    TAKEOVER_ORDERED,
    TAKEOVER_ENDED,
    OPEN_FAILED,
    /** An operator or the balancer wants something of the map. */
    HANDOFF_ASKED,
    HANDOFF_BEGUN,
    HANDOFF_ENDED,
    HANDOFF_GIVEN_UP,
    /** A wanted handoff did not begin, or will not be tried again. */
    HANDOFF_REFUSED,
    /** The balancer sees something that it cannot or need not change. */
    VERDICT,
    DRAIN_BEGUN,
    DRAIN_ENDED,
    DRAIN_UNDONE,
    SETTINGS_CHANGED,
    LEVEL_RAISED,
    /** A change of the masters' group has begun, was made, or was not. */
    MASTERS_CHANGING,
    MASTERS_CHANGED,
    MASTERS_UNCHANGED,
    SWEPT,
    /** The ranges of a backup have taken the place of an empty cluster's. */
    RESTORED,
    /** The clock of a server, or of this leader, differs from the others' by more than the bound, or does not any more. */
    CLOCK_OFF,
    CLOCK_RIGHT,
    /** The DFS shows that this leader's map is of the past, or of another cluster: it changes nothing. */
    HALTED;

    /** Its name in logs and metrics and for operators: {@code handoff-begun}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
