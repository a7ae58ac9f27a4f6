package cleave.frontend.refresh;

import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.IssuerKeys;
import cleave.runtime.loop.Periodic;
import cleave.runtime.settings.Settings.BadSetting;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of issuers, from a JSON Web Key Set behind a URL or in a file. Thread-safe.
 *
 * <p>The set is read again every five minutes, a file every ten seconds, and either at once when a token names a key that is not in
 * it, or as soon as five seconds have passed since the last reading began: strangers can name as many keys as they like. One
 * reading at a time; one that fails is tried again after the same pause. What cannot be read or holds no key is logged and
 * counted, and the keys before it stay.
 */
public final class IssuerKeysSource implements IssuerKeys, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeysSource.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long FILE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long URL_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int BYTES_MAX = 1 << 20;
    private static final int OK = 200;

    private final String location;
    private final FrontEndMetrics metrics;
    private final LongSupplier nanos;
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(Duration.ofNanos(TIMEOUT_NANOS))
            .build();
    private final Periodic periodic = new Periodic("front-end-issuer-keys", this::look);
    private final AtomicBoolean wanted = new AtomicBoolean();
    private volatile @Nullable JWKSet current;
    private volatile long begun;
    private volatile long beganNanos;
    private volatile long read;
    private String seen = "";
    private String complaint = "";

    /** @param location an http or https URL, or else a file, which must be readable now: else {@link BadSetting} */
    public IssuerKeysSource(String location, FrontEndMetrics metrics) {
        this(location, metrics, System::nanoTime);
    }

    IssuerKeysSource(String location, FrontEndMetrics metrics, LongSupplier nanos) {
        this.location = location;
        this.metrics = metrics;
        this.nanos = nanos;
        this.beganNanos = nanos.getAsLong() - URL_NANOS;
        try {
            if (!isUrl()) {
                take(Files.readString(Path.of(location), StandardCharsets.UTF_8));
            }
        } catch (IOException unreadable) {
            throw new BadSetting(
                    "setting front-end.token-keys is '" + location + "', which cannot be used: " + unreadable);
        }
    }

    /** True if keys are read over HTTP. */
    private boolean isUrl() {
        return location.startsWith("http://") || location.startsWith("https://");
    }

    /** Reads them, and begins to look for changes. */
    public void start() {
        periodic.soon();
        periodic.every(LOOK_NANOS);
    }

    @Override
    public @Nullable JWKSet current() {
        return current;
    }

    @Override
    public long refresh() {
        long next = begun + 1; // Before it is asked for: a reading that begins in between is late enough, too.
        if (!wanted.getAndSet(true) && nanos.getAsLong() - beganNanos >= PAUSE_NANOS) {
            periodic.soon();
        }
        return next;
    }

    @Override
    public long lastReading() {
        return read;
    }

    /** Reads the keys again if it is time. One caller at a time. */
    void look() {
        long now = nanos.getAsLong();
        long period = wanted.get() || current == null ? PAUSE_NANOS : isUrl() ? URL_NANOS : FILE_NANOS;
        if (now - beganNanos < period) {
            return;
        }
        wanted.set(false);
        long number = begun + 1;
        begun = number;
        beganNanos = now;
        try {
            take(isUrl() ? fetched() : Files.readString(Path.of(location), StandardCharsets.UTF_8));
            read = number;
            complaint = "";
        } catch (IOException | UncheckedIOException wrong) {
            wanted.set(true);
            complain(wrong.toString());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private void complain(String reason) {
        if (!reason.equals(complaint)) {
            complaint = reason;
            metrics.reloaded("issuer-keys", false);
            LOG.error(
                    "cannot reload the issuers' keys, keeping the keys in use location={} reason={}", location, reason);
        }
    }

    private void take(String text) throws IOException {
        if (text.equals(seen)) {
            return;
        }
        JWKSet set = parse(text);
        boolean isFirst = current == null;
        current = set;
        seen = text;
        if (!isFirst) {
            metrics.reloaded("issuer-keys", true);
        }
        LOG.info("loaded the issuers' keys location={} keys={}", location, set.size());
    }

    private static JWKSet parse(String text) throws IOException {
        try {
            JWKSet set = JWKSet.parse(text).toPublicJWKSet();
            if (set.getKeys().stream().noneMatch(key -> key instanceof RSAKey || key instanceof ECKey)) {
                throw new IOException("it contains no RSA or EC key");
            }
            return set;
        } catch (ParseException malformed) {
            throw new IOException("it is not a JSON Web Key Set: " + malformed.getMessage(), malformed);
        }
    }

    private String fetched() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(location))
                .header("Accept", "application/json")
                .build();
        CompletableFuture<String> body = http.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
                .thenApplyAsync(IssuerKeysSource::text);
        try {
            return body.get(TIMEOUT_NANOS, TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw new IOException(String.valueOf(failed.getCause()), failed);
        } catch (TimeoutException late) {
            body.cancel(true);
            throw new IOException("no response in time", late);
        }
    }

    private static String text(HttpResponse<InputStream> response) {
        try (InputStream body = response.body()) {
            byte[] bytes = body.readNBytes(BYTES_MAX);
            if (response.statusCode() != OK || bytes.length == BYTES_MAX) {
                throw new IOException("answered " + response.statusCode() + " with " + bytes.length + " bytes");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        periodic.close();
    }
}
