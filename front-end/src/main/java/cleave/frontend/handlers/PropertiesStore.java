package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.service.ServiceProperties;
import cleave.frontend.protocol.service.ServicePropertiesXml;
import cleave.frontend.routing.EntityWrite;
import cleave.frontend.routing.RecentReads;
import cleave.frontend.routing.WireErrors;
import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.model.table.Registry;
import cleave.route.RangeClient;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The service properties of accounts, with a cache. Confined to its loop. They are stored in the registry of tables, one entity for each
 * account that has set any, in a partition that belongs to no account; the stored document is the one that clients get.
 */
public final class PropertiesStore {
    /** No account has this name. */
    private static final String PARTITION = "$properties";

    private static final String DOCUMENT = "Document";
    private static final int ATTEMPTS = 4;
    /** How long a request waits for properties that the cache lacks. */
    private static final long RECALL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final EventLoop loop;
    private final RangeClient ranges;
    private final RecentReads<String, ServiceProperties> memory;
    /** The accounts whose properties are being read. */
    private final Map<String, CompletableFuture<ServiceProperties>> reading = new HashMap<>();

    /** @param max accounts in the cache */
    public PropertiesStore(EventLoop loop, RangeClient ranges, long trustNanos, int max) {
        this.loop = loop;
        this.ranges = ranges;
        this.memory = new RecentReads<>(loop, trustNanos, max);
    }

    /** The cached properties, however old; null if they are evicted. */
    @Nullable
    ServiceProperties known(String account) {
        loop.assertInside();
        return memory.recallOld(account);
    }

    /** The cached properties unless they have expired, else the current ones. Fails if they cannot be read soon. */
    CompletableFuture<ServiceProperties> recall(String account) {
        loop.assertInside();
        ServiceProperties known = memory.recall(account);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        CompletableFuture<ServiceProperties> begun = reading.get(account);
        if (begun != null) {
            return begun;
        }
        CompletableFuture<ServiceProperties> begins = read(account, loop.nanos() + RECALL_NANOS);
        if (!begins.isDone()) {
            reading.put(account, begins);
            begins.whenComplete((properties, failure) -> reading.remove(account));
        }
        return begins;
    }

    /** The current properties. */
    CompletableFuture<ServiceProperties> read(String account, long deadlineNanos) {
        loop.assertInside();
        return stored(account, deadlineNanos).thenApply(Stored::properties);
    }

    /** Changes the current properties. */
    CompletableFuture<Void> change(String account, ServiceProperties change, long deadlineNanos) {
        loop.assertInside();
        return change(account, change, deadlineNanos, ATTEMPTS);
    }

    private CompletableFuture<Void> change(String account, ServiceProperties change, long deadlineNanos, int attempts) {
        if (attempts == 0) {
            return CompletableFuture.failedFuture(ServiceError.of(ServiceCode.SERVER_BUSY));
        }
        return stored(account, deadlineNanos).thenCompose(before -> {
            ServiceProperties after = before.properties().with(change);
            return ranges.write(List.of(replacement(account, before, after)), deadlineNanos)
                    .thenCompose(reply -> switch (reply.getStatus().getCode()) {
                        case OK -> {
                            memory.remember(account, after);
                            yield CompletableFuture.completedFuture(null);
                        }
                        // A concurrent change.
                        case ALREADY_EXISTS, CONDITION_FAILED, NOT_FOUND ->
                            change(account, change, deadlineNanos, attempts - 1);
                        default -> {
                            memory.forget(account);
                            throw WireErrors.ofRange(reply.getStatus());
                        }
                    });
        });
    }

    /** @param timestamp of the entity; null if it does not exist */
    private record Stored(
            ServiceProperties properties, @Nullable Long timestamp) {}

    private CompletableFuture<Stored> stored(String account, long deadlineNanos) {
        return ranges.read(key(account), deadlineNanos).thenApply(reply -> {
            Stored stored = stored(reply);
            memory.remember(account, stored.properties());
            return stored;
        });
    }

    private static Stored stored(ReadReply reply) {
        if (reply.getStatus().getCode() == ErrorCode.NOT_FOUND) {
            return new Stored(ServiceProperties.DEFAULT, null);
        }
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            throw WireErrors.ofRange(reply.getStatus());
        }
        byte[] entity = reply.getEntity().toByteArray();
        Property document = EntityCodec.decode(entity).property(DOCUMENT);
        if (document == null) {
            throw new IllegalStateException("the registry holds properties without a document");
        }
        return new Stored(
                ServicePropertiesXml.read(Body.of(document.value().toString())), EntityCodec.timestamp(entity));
    }

    private static WriteOperation replacement(String account, Stored before, ServiceProperties properties) {
        String document = new String(ServicePropertiesXml.write(properties), StandardCharsets.UTF_8);
        Entity entity = new Entity(0, List.of(new Property(DOCUMENT, EdmType.STRING, document)));
        WriteKind kind = before.timestamp() == null ? WriteKind.INSERT : WriteKind.REPLACE;
        return EntityWrite.toWire(kind, key(account), entity, before.timestamp());
    }

    private static Key key(String account) {
        return Key.of(Registry.TABLE, PARTITION, account);
    }
}
