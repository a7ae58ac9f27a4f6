package cleave.board;

import cleave.board.scrape.Scrape;
import cleave.wire.Event;
import cleave.wire.HandoffState;
import cleave.wire.SettingsReply;
import cleave.wire.StatusReply;
import java.util.List;
import java.util.Map;

/**
 * The cluster that a board watches. Calls wait for their answers, for a bounded time, and throw {@link Unheard} if there is none. Called by two
 * threads of the board at a time.
 */
public interface Source extends AutoCloseable {
    /**
     * The leader's status with the loads of all ranges, which costs no replicated command.
     *
     * @param withNames with the names of tables, too
     */
    StatusReply status(boolean withNames) throws Unheard;

    /** The same of these ranges alone, and why they are left alone. */
    StatusReply why(List<Long> ranges) throws Unheard;

    List<HandoffState> handoffs() throws Unheard;

    /**
     * Events with a higher number.
     *
     * @param limit most that are told, the newest; 0: all
     */
    List<Event> events(long after, int limit) throws Unheard;

    /** The settings of the balancer, with what they mean. */
    SettingsReply settings() throws Unheard;

    /** The same after a change, with the rights of an administrator. {@link Unheard} in the masters' words if they refuse it. */
    SettingsReply change(Map<String, String> changes) throws Unheard;

    /** The newest metrics of the cluster's processes. Never waits. */
    List<Scrape> scrapes();

    @Override
    void close();

    /** Nobody answered, or no leader: the message says who was asked and what came of it. */
    final class Unheard extends Exception {
        private static final long serialVersionUID = 1;

        public Unheard(String message) {
            super(message);
        }
    }
}
