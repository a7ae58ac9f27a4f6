package cleave.master.events;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.metrics.MasterMetrics;
import cleave.model.Limits;
import cleave.runtime.loop.ManualLoop;
import cleave.wire.Event;
import cleave.wire.EventsReply;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventsTest {
    private final ManualLoop loop = new ManualLoop();
    private final Events events = new Events(loop, new MasterMetrics(new CollectorRegistry()));

    @BeforeEach
    void lead() {
        loop.run(() -> events.begin(7));
    }

    private void add(int count, String reason) {
        loop.run(() -> {
            for (int i = 0; i < count; i++) {
                events.add(EventKind.VERDICT, Event.newBuilder().setReason(reason));
            }
        });
    }

    private List<Event> after(long number, int limit) {
        List<Event> found = new ArrayList<>();
        loop.run(() -> found.addAll(events.after(number, limit)));
        return found;
    }

    @Test
    void thoseBehindANumberComeInOrderAndTheNewestIfThereAreMoreThanAsked() {
        add(10, "because");
        List<Event> all = after(0, 0);
        assertThat(all).hasSize(10).isSortedAccordingTo((a, b) -> Long.compare(a.getNumber(), b.getNumber()));
        assertThat(after(all.get(6).getNumber(), 0)).isEqualTo(all.subList(7, 10));
        assertThat(after(0, 2)).isEqualTo(all.subList(8, 10));
        assertThat(after(all.get(9).getNumber(), 5)).isEmpty();
    }

    @Test
    void theNextLeadersNumbersAreHigher() {
        add(3, "because");
        long last = after(0, 1).get(0).getNumber();
        loop.run(() -> {
            events.clear();
            events.begin(8);
        });
        add(1, "later");
        assertThat(after(last, 0)).hasSize(1);
    }

    @Test
    void allThatThereAreFitsIntoAMessage() {
        add(40, "x".repeat(1 << 20));
        List<Event> all = after(0, 0);
        assertThat(all).isNotEmpty();
        assertThat(EventsReply.newBuilder().addAllEvents(all).build().getSerializedSize())
                .isLessThan(Limits.MESSAGE_BYTES_MAX);
        assertThat(all.get(all.size() - 1)).isEqualTo(after(0, 1).get(0));
    }
}
