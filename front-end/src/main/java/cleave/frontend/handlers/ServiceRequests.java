package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.HttpDate;
import cleave.frontend.protocol.service.ServiceProperties;
import cleave.frontend.protocol.service.ServicePropertiesXml;
import cleave.frontend.request.Answer;
import cleave.frontend.routing.Caller;
import cleave.runtime.loop.Clock;
import java.util.concurrent.CompletableFuture;

/** Answers requests for the service itself: its properties and statistics. Confined to its loop. */
public final class ServiceRequests {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
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

    /** Both endpoints show the same copy, so the secondary never lags. */
    public CompletableFuture<Answer> statistics() {
        return CompletableFuture.completedFuture(
                Answer.xml(OK, ServicePropertiesXml.statistics(new HttpDate().of(clock.ticks()))));
    }
}
