package cleave.frontend.routing;

import cleave.frontend.fairness.Turns;
import cleave.frontend.protocol.odata.PageSink;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.model.Invariant;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Limits;
import cleave.model.entity.Filter;
import cleave.model.entity.FilterCodec;
import cleave.route.MapView;
import cleave.route.RangeClient;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.KeyInterval;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ScanRow;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads one page of a query from one range after the other. Confined to its loop.
 *
 * <p>Each reply names the key up to which its range was examined. The scan continues there, and never at bounds from a map, so it neither
 * loses nor repeats an entity when ranges split, merge or move. It continues past the end of a range, and where its own request had a
 * reply cut; where a server stopped, the page ends.
 *
 * <p>A page that salvages goes on behind what servers cannot read, and knows where that is. It ends when that is much.
 *
 * <p>Invariant I7: the returned key is above the start of the page, and every key between them was examined exactly once.
 */
public final class PageScan {
    /** A page names no more bounds of unreadable ranges; about as many bytes again may come with the last answer. */
    private static final int UNREADABLE_BYTES_MAX = 4 << 10;

    private final Outside outside;
    private final EventLoop loop;
    private final Caller caller;
    private final RequestCost cost;
    private final int account;
    private final KeyRange range;
    private final @Nullable Filter filter;
    private final Iterable<String> select;
    private final PageSink rows;
    private final boolean salvages;
    private final List<KeyRange> unreadable = new ArrayList<>();
    private final long beganNanos;
    private Key position;
    private int wanted;
    /** A reply was cut, so the page is large: the rest of it has calls of its own, not the stream that all requests share. */
    private boolean isLarge;

    /** The outside of all page scans: everything that they depend on beyond their own state. */
    public record Outside(EventLoop loop, RangeClient ranges, MapView map, Turns turns, RequestLimits limits) {}

    /**
     * @param range not empty
     * @param select names of properties; empty: all
     * @param wanted maximum entities, above 0
     * @param salvages it passes over what cannot be read
     */
    PageScan(
            Outside outside,
            Caller caller,
            KeyRange range,
            @Nullable Filter filter,
            Iterable<String> select,
            int wanted,
            PageSink rows,
            boolean salvages) {
        this.outside = outside;
        this.loop = outside.loop();
        this.cost = caller.cost();
        this.caller = caller;
        this.account = caller.number();
        this.range = range;
        this.filter = filter;
        this.select = select;
        this.rows = rows;
        this.salvages = salvages;
        this.beganNanos = loop.nanos();
        this.position = range.start();
        this.wanted = wanted;
    }

    /** Reads the page; returns the key at which the next page begins, or nothing if this is the last. */
    CompletableFuture<Optional<Key>> run() {
        loop.assertInside();
        long asked = loop.nanos();
        return outside.ranges().scan(request(), caller.trace(), callDeadline()).thenCompose(reply -> {
            cost.waited(loop.nanos() - asked, reply.getQueueMicros(), reply.getDfsMicros());
            return take(reply);
        });
    }

    private ScanRequest.Builder request() {
        ScanRequest.Builder request = ScanRequest.newBuilder()
                .setStart(position.toWire())
                .setEnd(range.endToWire())
                .addAllSelect(select)
                .setLimit(wanted)
                .setBytesMax(isLarge ? 0 : Limits.SHARED_SCAN_BYTES_MAX)
                .setSalvage(salvages)
                .setAccount(account)
                .setRequestHigh(caller.id().high())
                .setRequestLow(caller.id().low());
        if (filter != null) {
            request.setFilter(FilterCodec.toWire(filter));
        }
        return request;
    }

    /** The first call may take until the request's deadline; further calls only until the end of the page's time. */
    private long callDeadline() {
        long endOfPage = beganNanos + outside.limits().pageNanos();
        return hasProgressed() && endOfPage - caller.deadlineNanos() < 0 ? endOfPage : caller.deadlineNanos();
    }

    private boolean hasProgressed() {
        return position.compareTo(range.start()) > 0;
    }

    private CompletableFuture<Optional<Key>> take(ScanReply reply) {
        cost.called(outside.map().current().lookup(position));
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            return refused(reply);
        }
        cost.read(reply.getExamined(), reply.getRowsCount());
        cost.hold(reply.getSerializedSize());
        reply.getUnreadableList().forEach(this::passOver);
        isLarge |= reply.getEnded() == ScanEnd.CUT;
        Key until = isAtEnd(reply) ? null : Key.fromWire(reply.getExaminedUntil());
        Taking taking = new Taking(reply, until == null ? range.end() : until);
        return outside.turns()
                .run(account, reply.getSerializedSize(), taking)
                .thenCompose(nothing -> goOn(reply.getEnded(), until));
    }

    private void passOver(KeyInterval passed) {
        KeyRange interval = KeyRange.fromWire(passed.getStart(), passed.getEnd());
        if (interval == null) {
            throw new IllegalStateException("an empty interval cannot be read: " + passed);
        }
        int last = unreadable.size() - 1;
        KeyRange joined = last < 0 ? null : unreadable.get(last).joined(interval);
        if (joined == null) {
            unreadable.add(interval);
        } else {
            unreadable.set(last, joined);
        }
    }

    /** The ranges that were passed over so far, ascending. */
    List<KeyRange> unreadable() {
        return List.copyOf(unreadable);
    }

    private CompletableFuture<Optional<Key>> goOn(ScanEnd ended, @Nullable Key until) {
        if (until == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Invariant.check(until.compareTo(position) >= 0, "a scan from %s went back to %s", position, until);
        boolean moved = until.compareTo(position) > 0;
        position = until;
        boolean goesOn = ended == ScanEnd.END_OF_RANGE || ended == ScanEnd.CUT;
        return moved && goesOn && wantsMore() ? hop().thenCompose(nothing -> run()) : end();
    }

    private CompletableFuture<Optional<Key>> refused(ScanReply reply) {
        if (reply.getStatus().getCode() == ErrorCode.THROTTLED) {
            cost.throttled();
        }
        boolean goesOnLater = hasProgressed() && reply.getStatus().getCode() != ErrorCode.TABLE_DROPPED;
        return goesOnLater ? end() : CompletableFuture.failedFuture(WireErrors.ofRange(reply.getStatus()));
    }

    /** Takes the rows of an answer, one with each step. */
    private final class Taking implements Turns.Work {
        private final ScanReply reply;
        private final @Nullable Key until;
        private Key least = position;
        private int taken;

        Taking(ScanReply reply, @Nullable Key until) {
            int count = reply.getRowsCount();
            Invariant.check(count <= wanted, "%s rows where %s were asked for", count, wanted);
            this.reply = reply;
            this.until = until;
            wanted -= count;
            cost.answered(count);
        }

        @Override
        public boolean isDone() {
            return taken == reply.getRowsCount();
        }

        @Override
        public long step() {
            ScanRow row = reply.getRows(taken++);
            Key key = Key.fromWire(row.getKey());
            Invariant.check(
                    key.compareTo(least) >= 0 && (until == null || key.compareTo(until) < 0),
                    "row %s is not within [%s, %s)",
                    key,
                    least,
                    until);
            rows.add(key, row.getEntity().toByteArray());
            least = key.next();
            return row.getSerializedSize();
        }
    }

    /** True if the whole interval of the page was examined. */
    private boolean isAtEnd(ScanReply reply) {
        ByteString until = reply.getExaminedUntil();
        Key end = range.end();
        return reply.getEnded() == ScanEnd.END_OF_SCAN
                || until.isEmpty()
                || (end != null && Key.fromWire(until).compareTo(end) >= 0);
    }

    private boolean wantsMore() {
        return wanted > 0
                && rows.size() < outside.limits().pageBytes()
                && unreadableBytes() < UNREADABLE_BYTES_MAX
                && cost.hasRoom()
                && loop.nanos() - beganNanos < outside.limits().pageNanos();
    }

    private int unreadableBytes() {
        int bytes = 0;
        for (KeyRange each : unreadable) {
            bytes += each.startToWire().size() + each.endToWire().size();
        }
        return bytes;
    }

    /** Ends the page here; without progress it is refused, because a token equal to its start would make the client loop. */
    private CompletableFuture<Optional<Key>> end() {
        return hasProgressed()
                ? CompletableFuture.completedFuture(Optional.of(position))
                : CompletableFuture.failedFuture(ServiceError.of(ServiceCode.SERVER_BUSY));
    }

    /** Yields to other requests, and keeps the stack flat however many ranges a page visits. */
    private CompletableFuture<Void> hop() {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        loop.submit(() -> turn.complete(null));
        return turn;
    }
}
