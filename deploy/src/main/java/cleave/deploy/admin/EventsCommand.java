package cleave.deploy.admin;

import cleave.deploy.terminal.Wait;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cleave admin events}. */
@Command(
        name = "events",
        mixinStandardHelpOptions = true,
        header = "what the leader decided and observed, and why",
        description = {
            "One line per event, in local time: handoffs that were requested, begun, done, given up or refused, takeovers,"
                    + " verdicts of the balancer, drains, changes of settings, sweeps. The leader keeps some thousands; a new"
                    + " leader begins with none."
        })
final class EventsCommand extends AdminAction {
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration EVER = Duration.ofDays(10_000);

    @Option(
            names = "--last",
            paramLabel = "COUNT",
            defaultValue = "50",
            description = "maximum number of events (default: ${DEFAULT-VALUE}; 0: all)")
    private int last;

    @Option(names = "--follow", description = "keep printing new events until interrupted")
    private boolean follow;

    @Option(
            names = "--figures",
            description = "below each event the figures it rests on, durations, and what was not done instead")
    private boolean figures;

    @Option(names = "--json", description = "as JSON, one object a line, in UTC")
    private boolean json;

    @Override
    void act(AdminClient client) {
        long[] seen = {show(client, EventsRequest.newBuilder().setLimit(counted("--last", last)), 0)};
        if (follow) {
            Wait.until(
                    () -> {
                        seen[0] = show(client, EventsRequest.newBuilder().setAfter(seen[0]), seen[0]);
                        return false;
                    },
                    EVER,
                    PAUSE);
        }
    }

    /** Prints what comes; answers the number of the last one seen. */
    private long show(AdminClient client, EventsRequest.Builder request, long seen) {
        List<Event> events = client.events(request.build());
        StringBuilder lines = new StringBuilder();
        EventText text = new EventText(ZoneId.systemDefault(), figures);
        events.forEach(event -> lines.append(json ? EventText.json(event) : text.of(event)));
        mustPrint(lines.toString());
        return events.isEmpty() ? seen : events.get(events.size() - 1).getNumber();
    }
}
