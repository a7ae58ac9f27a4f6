package cleave.runtime.loop;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue that is fair between accounts: start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996), for work that is done in
 * turns and whose cost is known only afterwards. Pure; its owner lets one thread at a time call it, and chooses the unit of cost.
 *
 * <p>Each account has a virtual time, which grows by the cost of its turns (during a turn, by the cost of the previous one); the account
 * with the least time is next. A new account starts at the time of the turn that began last. So it is next, however much the others have
 * waiting, except for others that started there or whose turns cost less than they were charged for; and it saves nothing up. Work of one
 * account is done in order; interrupted work goes on first.
 *
 * <p>An account may have at most {@value #HEADROOM} times as much waiting as there is free, so one that fills the queue leaves a place
 * for others. Accounts are remembered while they have work or are ahead of the time, and only while anything is to be done.
 */
public final class FairQueue<T> {
    private static final int HEADROOM = 4;

    private final int max;
    private final Map<Integer, Flow<T>> flows = new LinkedHashMap<>();
    /** The accounts with work that waits, in the order of their times. */
    private final TreeSet<Flow<T>> ready =
            new TreeSet<>(Comparator.<Flow<T>>comparingLong(flow -> flow.time).thenComparingLong(flow -> flow.number));

    private long now;
    private long flowNumber;
    private int waiting;
    private int underWay;

    /** @param max pieces of work that wait */
    public FairQueue(int max) {
        this.max = max;
    }

    private static final class Flow<T> {
        private final long number;
        private final Deque<Turn<T>> work = new ArrayDeque<>();
        private long time;
        private long lastCost = 1;
        private int underWay;

        Flow(long number, long time) {
            this.number = number;
            this.time = time;
        }
    }

    /** A piece of work, of which one turn may be in progress. Confined to the queue. */
    public static final class Turn<T> {
        private final Flow<T> flow;
        private final T work;
        private long charged;

        private Turn(Flow<T> flow, T work) {
            this.flow = flow;
            this.work = work;
        }

        public T work() {
            return work;
        }
    }

    /** False if too much waits already, of this account or of all. */
    public boolean offer(int account, T work) {
        Flow<T> flow = flows.get(account);
        int its = flow == null ? 0 : flow.work.size();
        if (waiting >= max || its / HEADROOM >= max - waiting) {
            return false;
        }
        if (flow == null) {
            flow = new Flow<>(flowNumber++, now);
            flows.put(account, flow);
        }
        ready.remove(flow);
        if (its == 0 && flow.underWay == 0) {
            flow.time = Math.max(flow.time, now);
        }
        flow.work.addLast(new Turn<>(flow, work));
        ready.add(flow);
        waiting++;
        return true;
    }

    /** The next turn; null if nothing waits. It is in progress until it has {@linkplain #ended ended}. */
    public @Nullable Turn<T> next() {
        Flow<T> flow = ready.pollFirst();
        if (flow == null) {
            return null;
        }
        now = Math.max(now, flow.time);
        Turn<T> turn = flow.work.removeFirst();
        flow.underWay++;
        underWay++;
        waiting--;
        turn.charged = flow.lastCost;
        flow.time += turn.charged;
        if (!flow.work.isEmpty()) {
            ready.add(flow);
        }
        return turn;
    }

    /**
     * A turn is over.
     *
     * @param cost at least 1 is counted
     * @param goesOn it waits for another turn, before others of its account; there is room for it in any case
     */
    public void ended(Turn<T> turn, long cost, boolean goesOn) {
        Flow<T> flow = turn.flow;
        ready.remove(flow);
        flow.underWay--;
        underWay--;
        flow.lastCost = Math.max(1, cost);
        flow.time += flow.lastCost - turn.charged;
        if (goesOn) {
            flow.work.addFirst(turn);
            waiting++;
        }
        if (!flow.work.isEmpty()) {
            ready.add(flow);
        }
        forget();
    }

    /** Accounts without work that are not ahead; all of them when there is nothing to do, for then nobody is disadvantaged. */
    private void forget() {
        if (waiting == 0 && underWay == 0) {
            flows.clear();
        } else if (flows.size() > 2 * (ready.size() + underWay) + 16) {
            for (Iterator<Flow<T>> all = flows.values().iterator(); all.hasNext(); ) {
                Flow<T> flow = all.next();
                if (flow.work.isEmpty() && flow.underWay == 0 && (flow.time <= now || flows.size() > max)) {
                    all.remove();
                }
            }
        }
    }

    /** Work that waits for a turn. */
    public int waiting() {
        return waiting;
    }

    /** Accounts that are remembered. */
    int accounts() {
        return flows.size();
    }
}
