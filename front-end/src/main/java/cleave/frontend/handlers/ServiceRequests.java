package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.service.ServiceProperties;
import cleave.frontend.protocol.service.ServicePropertiesXml;
import cleave.frontend.protocol.service.ServiceStats;
import cleave.frontend.request.Answer;
import cleave.frontend.routing.Caller;
import cleave.model.Ticks;
import cleave.runtime.loop.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Answers requests for the service itself: its properties and statistics. Confined to its loop. */
public final class ServiceRequests {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    /** RFC 1123, with two digits for the day always. */
    private static final DateTimeFormatter RFC_1123 = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Clock clock;
    private final PropertiesStore store;

    public ServiceRequests(Clock clock, PropertiesStore store) {
        this.clock = clock;
        this.store = store;
    }

    public CompletableFuture<Answer> properties(Caller caller) {
        return store.read(caller.account(), caller.deadlineNanos())
                .thenApply(properties -> Answer.xml(OK, ServicePropertiesXml.write(properties)));
    }

    public CompletableFuture<Answer> setProperties(Caller caller, Body body) {
        ServiceProperties change = ServicePropertiesXml.read(body);
        return store.change(caller.account(), change, caller.deadlineNanos())
                .thenApply(nothing -> Answer.plain(ACCEPTED));
    }

    /** There is one copy, which both endpoints show: the secondary is never behind. */
    public CompletableFuture<Answer> statistics() {
        String now = RFC_1123.format(Ticks.toInstant(clock.ticks()));
        return CompletableFuture.completedFuture(Answer.xml(OK, ServiceStats.write(now)));
    }
}
