package cleave.chaos.fault;

import cleave.chaos.fault.Sender.Sent;
import cleave.chaos.history.Call;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.history.Page;
import cleave.chaos.operation.Walk;
import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client that scans a table from end to end by continuation tokens. It alternates between the entities that other
 * clients change, for the history, and the keys of all entities, where each stable one must appear once, in order.
 * Confined to its own thread while it runs.
 */
final class ScanningClient implements Runnable {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int PROBLEMS_MAX = 20;

    private final int id;
    private final StableRows stable;
    private final String rowPrefix;
    private final Sender sender;
    private final History history = new History();
    private final List<FailedRequest> failedRequests = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private int begun;
    private int finished;
    private volatile boolean stopped;

    /**
     * The findings of scans of the stable entities.
     *
     * @param problems missing ones, and ones out of order
     */
    record Scans(int finished, List<String> problems) {
        static final Scans NONE = new Scans(0, List.of());
    }

    /** @param rowPrefix of the RowKeys of all entities that clients change */
    ScanningClient(int id, List<Endpoint> frontEnds, StableRows stable, String rowPrefix) {
        this.rowPrefix = rowPrefix;
        this.id = id;
        this.stable = stable;
        this.sender = new Sender(FrontEnds.inTurn(frontEnds, id), RetryPolicy.NONE);
    }

    @Override
    public void run() {
        do {
            scanWhatIsWorkedOn();
            countWhatIsStable();
            LockSupport.parkNanos(PAUSE.toNanos());
        } while (!stopped);
        sender.disconnect();
    }

    /** Ends it after the scan under way, but not before the first. */
    void stop() {
        stopped = true;
    }

    History history() {
        return history;
    }

    List<FailedRequest> failedRequests() {
        return List.copyOf(failedRequests);
    }

    Scans scans() {
        return new Scans(finished, List.copyOf(problems));
    }

    private void scanWhatIsWorkedOn() {
        Walk walk = Walk.ofRowsThatBegin(begun++, stable.table(), rowPrefix);
        boolean goesOn = true;
        while (goesOn && !walk.isAtEnd()) {
            Page page = next(walk);
            goesOn = page != null;
            if (page != null) {
                history.add(page);
            }
        }
    }

    private void countWhatIsStable() {
        Walk walk = Walk.ofKeys(begun++, stable.table());
        EntityKey last = EntityKey.beginOf(stable.table());
        int seen = 0;
        while (!walk.isAtEnd()) {
            Page page = next(walk);
            if (page == null) {
                return;
            }
            for (Page.Row row : page.rows()) {
                if (row.key().compareTo(last) <= 0) {
                    problem(row.key() + " came after " + last);
                }
                last = row.key();
                seen += StableRows.holds(last) ? 1 : 0;
            }
        }
        finished++;
        if (seen != stable.count()) {
            problem(seen + " of " + stable.count() + " stable entities were on scan " + begun);
        }
    }

    private void problem(String text) {
        if (problems.size() < PROBLEMS_MAX) {
            problems.add(text);
        }
    }

    private @Nullable Page next(Walk walk) {
        long invoked = System.nanoTime();
        Sent sent = sender.send(to -> walk.request(to, 0));
        Call call = new Call(id, invoked, System.nanoTime());
        Answer answer = sent.answer();
        if (answer == null || answer.status() != 200) {
            failedRequests.add(new FailedRequest(call, null, answer == null ? sent.text() : answer.toString()));
            return null;
        }
        try {
            return walk.took(call, answer);
        } catch (IOException malformed) {
            failedRequests.add(new FailedRequest(call, null, malformed + ": " + answer));
            return null;
        }
    }
}
