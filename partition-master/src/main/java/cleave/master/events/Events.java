package cleave.master.events;

import cleave.master.metrics.MasterMetrics;
import cleave.model.HandoffNumber;
import cleave.model.Limits;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Event;
import cleave.wire.Figure;
import cleave.wire.Setting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest few thousand events: what this leader has decided and seen. Confined to the master loop. Numbers begin with the leader's
 * term, so that a reader who follows the events goes on with the next leader's.
 */
public final class Events {
    private static final Logger LOG = LoggerFactory.getLogger(Events.class);
    private static final int KEPT_MAX = 4_096;
    private static final int TERM_SHIFT = 32;
    private static final long BYTES_MAX = Limits.MESSAGE_BYTES_MAX / 2;

    private final EventLoop loop;
    private final MasterMetrics metrics;
    private final ArrayDeque<Event> kept = new ArrayDeque<>();
    private long next;

    public Events(EventLoop loop, MasterMetrics metrics) {
        this.loop = loop;
        this.metrics = metrics;
        MasterMetrics.begin(metrics.events, Arrays.stream(EventKind.values()).map(EventKind::text));
    }

    public void begin(long term) {
        loop.assertInside();
        next = (term << TERM_SHIFT) + 1;
    }

    public void clear() {
        loop.assertInside();
        kept.clear();
    }

    /** Keeps, logs and counts an event; the builder lacks only number, time and kind, and the evidence, which is its figures as texts. */
    public void add(EventKind kind, Event.Builder event) {
        loop.assertInside();
        event.getFiguresList()
                .forEach(figure -> event.addEvidence(
                        Setting.newBuilder().setName(figure.getName()).setValue(text(figure))));
        Event made = event.setNumber(next++)
                .setTicks(loop.ticks())
                .setKind(kind.text())
                .build();
        if (kept.size() == KEPT_MAX) {
            kept.removeFirst();
        }
        kept.addLast(made);
        metrics.events.labels(kind.text()).inc();
        LOG.info(
                "event kind={} handoff={} ranges={} servers={} reason={} evidence={} rejected={}",
                made.getKind(),
                made.getHandoff() == 0 ? "-" : HandoffNumber.text(made.getHandoff()),
                made.getRangesList(),
                made.getServersList(),
                made.getReason(),
                evidence(made),
                made.getRejectedList());
    }

    /** A text that an event rests on. */
    public static Figure text(String name, Object text) {
        return Figure.newBuilder().setName(name).setText(String.valueOf(text)).build();
    }

    /** A number that an event rests on. */
    public static Figure count(String name, long count) {
        return figure(name, count, "");
    }

    /** A measured whole number that an event rests on. */
    public static Figure figure(String name, long value, String unit) {
        return figure(name, (double) value, unit);
    }

    /** A measured number that an event rests on. */
    public static Figure figure(String name, double value, String unit) {
        return Figure.newBuilder().setName(name).setValue(value).setUnit(unit).build();
    }

    /** A figure of the balancer. */
    public static Figure figure(cleave.master.policy.Figure figure) {
        return Figure.newBuilder()
                .setName(figure.name())
                .setValue(figure.value())
                .setUnit(figure.unit())
                .setText(figure.text())
                .build();
    }

    /** Numbers are rounded, those of seconds to one decimal. */
    private static String text(Figure figure) {
        double value = figure.getValue();
        if (!figure.getText().isEmpty()) {
            return figure.getText();
        }
        boolean isTime = figure.getUnit().equals("s");
        String number = isTime ? String.format(Locale.ROOT, "%.1f", value) : Long.toString(Math.round(value));
        return number + (figure.getUnit().equals("%") ? "%" : "");
    }

    private static List<String> evidence(Event event) {
        List<String> pairs = new ArrayList<>();
        for (Setting pair : event.getEvidenceList()) {
            pairs.add(pair.getName() + "=" + pair.getValue());
        }
        return pairs;
    }

    /**
     * The events with a higher number, ascending. If there are more than the limit (0: no limit), or than a message holds, the
     * newest ones.
     */
    public List<Event> after(long number, int limit) {
        loop.assertInside();
        ArrayDeque<Event> found = new ArrayDeque<>();
        long bytes = 0;
        for (Iterator<Event> newestFirst = kept.descendingIterator(); newestFirst.hasNext(); ) {
            Event event = newestFirst.next();
            bytes += event.getSerializedSize();
            if (event.getNumber() <= number || (limit > 0 && found.size() == limit) || bytes > BYTES_MAX) {
                break;
            }
            found.addFirst(event);
        }
        return List.copyOf(found);
    }
}
