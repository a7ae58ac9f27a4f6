package cleave.frontend.core;

import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.IssuerOfTests;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.AdmittedRequest;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Request;
import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.frontend.throttle.AccountThrottle;
import cleave.frontend.tracing.FinishedTrace;
import cleave.frontend.tracing.Tracing;
import cleave.model.Key;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.runtime.loop.ManualLoop;
import io.prometheus.client.CollectorRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A front end's core on a manual loop before a fake cluster, and a client of it. Confined to the test's thread. */
final class CoreClient {
    static final String ACCOUNT = Accounts.DEVELOPMENT_ACCOUNT;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final RequestLimits LIMITS = new RequestLimits(
            TimeUnit.SECONDS.toNanos(30),
            TimeUnit.SECONDS.toNanos(5),
            4 << 20,
            TimeUnit.SECONDS.toNanos(30),
            100,
            10,
            64 << 20);
    static final String NO_METADATA = "application/json;odata=nometadata";

    final ManualLoop loop = new ManualLoop();
    final FakeCluster cluster;
    final FakeMaster master;
    final CollectorRegistry registry = new CollectorRegistry();
    final FrontEndCore core;
    /** The accounts that are served from now on. */
    Accounts accounts = Accounts.development();
    /** The trace was told this; it is on when this is. */
    final List<String> told = new ArrayList<>();

    boolean traces;
    /** The traces that were to be exported, if a test has them on. */
    final List<FinishedTrace> exported = new ArrayList<>();

    private int requests;

    CoreClient() {
        this(new FakeCluster());
    }

    /** A client of one of several front ends before the same cluster. */
    CoreClient(FakeCluster cluster) {
        this(cluster, LIMITS, AccountThrottle.OFF);
    }

    CoreClient(RequestLimits limits) {
        this(limits, AccountThrottle.OFF);
    }

    CoreClient(RequestLimits limits, AccountThrottle throttle) {
        this(new FakeCluster(), limits, throttle);
    }

    /** A client of a front end that exports traces. */
    static CoreClient tracing(Tracing.Policy policy) {
        return new CoreClient(new FakeCluster(), LIMITS, AccountThrottle.OFF, policy);
    }

    private CoreClient(FakeCluster cluster, RequestLimits limits, AccountThrottle throttle) {
        this(cluster, limits, throttle, null);
    }

    /** @param policy of traces; null without them */
    private CoreClient(
            FakeCluster cluster, RequestLimits limits, AccountThrottle throttle, Tracing.@Nullable Policy policy) {
        this.cluster = cluster;
        this.master = new FakeMaster(cluster);
        Trace trace = trace();
        core = FrontEndCore.of(
                new FrontEndCore.Outside(
                        loop,
                        cluster,
                        cluster,
                        master,
                        authenticator(trace),
                        trace,
                        throttle,
                        new Random(1),
                        new FrontEndMetrics(registry),
                        policy == null ? null : new Tracing(loop, policy, new Random(2), exported::add)),
                new FrontEndCore.Settings(
                        "https://login.example/tenant/oauth2/authorize",
                        List.of("table.core.windows.net"),
                        limits,
                        Long.MAX_VALUE));
    }

    private Authenticator authenticator(Trace trace) {
        return new Authenticator(() -> accounts, trace, IssuerOfTests.RULES, new IssuerOfTests());
    }

    private Trace trace() {
        return new Trace() {
            @Override
            public boolean isOn() {
                return traces;
            }

            @Override
            public void tried(String requestId, String stringToSign) {
                told.add("tried " + stringToSign);
            }

            @Override
            public void refused(String requestId, String why) {
                told.add("refused " + why);
            }
        };
    }

    /** Headers that every test's requests have. */
    SignedHeaders headers() {
        return new SignedHeaders()
                .with("Host", "127.0.0.1:10002")
                .with("Accept", NO_METADATA)
                .with("x-ms-version", "2019-02-02");
    }

    /** Sends a request of the development account; the target begins behind the account. */
    CompletableFuture<Answer> send(String verb, String target, SignedHeaders headers, String body) {
        String whole = "/" + ACCOUNT + target;
        headers.signed(whole, loop.ticks());
        Request request = Request.of("request-" + ++requests, verb, whole, "http", "127.0.0.1", headers);
        try {
            return loop.call(() -> core.answer(core.admit(request), Body.of(body)));
        } catch (ServiceError error) {
            return CompletableFuture.completedFuture(refuse(request, error));
        }
    }

    /** Asks with the credentials that the target and the headers carry. */
    Answer askAs(String scheme, String verb, String target, SignedHeaders headers, String body) {
        Request request =
                Request.of("request-" + ++requests, verb, "/" + ACCOUNT + target, scheme, "10.1.2.3", headers);
        try {
            return await(loop.call(() -> core.answer(core.admit(request), Body.of(body))));
        } catch (ServiceError error) {
            return refuse(request, error);
        }
    }

    AdmittedRequest admit(Request request) {
        return loop.call(() -> core.admit(request));
    }

    /** Asks whether a request of another origin may be made of the development account. */
    Answer preflight(String target, SignedHeaders headers) {
        Request request = Request.of(
                "preflight", "OPTIONS", target, "http", "127.0.0.1", headers.with("Host", "127.0.0.1:10002"));
        return await(loop.call(() -> core.preflight(request)));
    }

    Answer refuse(Request request, ServiceError error) {
        return loop.call(() -> core.refuse(request, error));
    }

    CompletableFuture<Answer> answer(Request request) {
        return answer(request, "");
    }

    CompletableFuture<Answer> answer(Request request, String body) {
        return loop.call(() -> core.answer(core.admit(request), Body.of(body)));
    }

    /** Lets time pass until the future has its value. */
    <T> T await(CompletableFuture<T> future) {
        if (!loop.advanceUntil(future::isDone, PATIENCE_NANOS)) {
            throw new AssertionError("nothing completes the future");
        }
        return future.join();
    }

    Answer ask(String verb, String target, SignedHeaders headers, String body) {
        return await(send(verb, target, headers, body));
    }

    Answer ask(String verb, String target, String body) {
        return ask(verb, target, headers(), body);
    }

    Answer ask(String verb, String target) {
        return ask(verb, target, headers(), "");
    }

    static String text(Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /** Makes a table past the front end, and gives its id. */
    long table(String name) {
        long id = await(master.allocateTableIds(1, Long.MAX_VALUE)).getFirst();
        cluster.put(Registry.key(ACCOUNT, name), EntityCodec.encode(new Registry(id, name, false).toEntity()));
        return id;
    }

    /** Stores an entity past the front end. */
    void entity(long table, String partitionKey, String rowKey, int value) {
        cleave.model.entity.Property property =
                new cleave.model.entity.Property("N", cleave.model.entity.EdmType.INT32, value);
        cluster.put(
                Key.of(table, partitionKey, rowKey),
                EntityCodec.encode(new cleave.model.entity.Entity(17_000_000_000_000_000L, List.of(property))));
    }

    double metric(String name, String... labelsAndValues) {
        String[] labels = new String[labelsAndValues.length / 2];
        String[] values = new String[labels.length];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = labelsAndValues[2 * i];
            values[i] = labelsAndValues[2 * i + 1];
        }
        // This metric alone is collected: all of them allocate more than a request may.
        return Collections.list(registry.filteredMetricFamilySamples(Set.of(name))).stream()
                .flatMap(family -> family.samples.stream())
                .filter(sample -> sample.name.equals(name)
                        && sample.labelNames.equals(List.of(labels))
                        && sample.labelValues.equals(List.of(values)))
                .mapToDouble(sample -> sample.value)
                .findFirst()
                .orElse(0);
    }
}
