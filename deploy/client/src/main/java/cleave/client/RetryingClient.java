package cleave.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Operations on tables over one connection, which are repeated while the service cannot execute them. Confined to one thread. Methods that return an
 * {@link Answer} leave the judgement to the caller; the others throw {@link Refused} unless it is right.
 */
public final class RetryingClient implements Closeable {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int FORBIDDEN = 403;

    private final Requests requests;
    private final Duration patience;
    private final RetryPolicy retries;
    private final Repeat repeated;
    private final KeptConnection connection;

    /**
     * @param requests unsigned ones have no credential
     * @param patience for connecting, and for each answer; a request that was sent this long ago is not repeated
     */
    public RetryingClient(Requests requests, Duration patience, RetryPolicy retries, Repeat repeated) {
        this.requests = requests;
        this.patience = patience;
        this.retries = retries;
        this.repeated = repeated;
        this.connection = new KeptConnection(requests.endpoint(), patience);
    }

    /** One that repeats nothing. */
    public RetryingClient(Requests requests, Duration patience) {
        this(requests, patience, RetryPolicy.NONE, Repeat.BUSY);
    }

    public Requests requests() {
        return requests;
    }

    /** An answer that has not been read. */
    public interface Pending {
        /** Waits for it. */
        Answer answer() throws IOException;
    }

    /** The last answer to a request, which is made and signed again for each attempt. ConnectException if nobody listens. */
    public Answer exchange(Function<Requests, Request> request) throws IOException {
        return settled(request, () -> connection.exchange(request.apply(requests)));
    }

    /** Sends a request and does not wait: the answer must be read before anything else is sent. */
    public Pending begin(Function<Requests, Request> request) throws IOException {
        connection.send(request.apply(requests));
        return () -> settled(request, connection::receive);
    }

    private Answer settled(Function<Requests, Request> request, Pending first) throws IOException {
        long begun = System.nanoTime();
        Pending next = first;
        for (int before = 0; ; before++) {
            double wait = retries.waitSeconds(before, ThreadLocalRandom.current());
            try {
                Answer answer = next.answer();
                if (wait < 0 || isLong(begun) || !repeated.applies(answer)) {
                    return answer;
                }
            } catch (ConnectException nobody) {
                throw nobody;
            } catch (IOException broken) {
                if (wait < 0 || isLong(begun) || repeated != Repeat.TRANSIENT) {
                    throw broken;
                }
            }
            pause(wait);
            next = () -> connection.exchange(request.apply(requests));
        }
    }

    private boolean isLong(long begun) {
        return System.nanoTime() - begun >= patience.toNanos();
    }

    private static void pause(double seconds) throws InterruptedIOException {
        try {
            TimeUnit.NANOSECONDS.sleep((long) (seconds * NANOS_PER_SECOND));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted before a request was repeated");
        }
    }

    /** True if the table was created; false if it existed. */
    public boolean createTable(String table) throws IOException {
        Answer answer = exchange(to -> to.createTable(table));
        if (answer.errorCode().equals("TableAlreadyExists")) {
            return false;
        }
        expect("creating table " + table, answer);
        return true;
    }

    /**
     * The same for an account whose signature may not permit creating tables: then the table is taken to exist.
     */
    public boolean ensureTable(String table) throws IOException {
        Credential credential = requests.endpoint().credential();
        if (credential instanceof Sas sas && !sas.table().isEmpty()) {
            return false;
        }
        try {
            return createTable(table);
        } catch (Refused refused) {
            if (refused.answer().status() == FORBIDDEN && credential instanceof Sas) {
                return false;
            }
            throw refused;
        }
    }

    /**
     * One page of a query.
     *
     * @param options such as {@code $top=5}, each encoded
     * @param from where it begins; null: the first page
     */
    public Answer page(String table, List<String> options, @Nullable Continuation from) throws IOException {
        return exchange(to -> to.query(table, options, from));
    }

    /** The answer, if it is a success. */
    public static Answer expect(String what, Answer answer) throws Refused {
        if (!answer.isSuccess()) {
            throw new Refused(what, answer);
        }
        return answer;
    }

    @Override
    public void close() {
        connection.close();
    }
}
