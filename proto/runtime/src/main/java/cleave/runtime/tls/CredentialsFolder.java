package cleave.runtime.tls;

import cleave.runtime.loop.Periodic;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Credentials from a folder as cert-manager mounts it ({@code tls.crt}, {@code tls.key}, {@code ca.crt}), read again when the
 * files change. Thread-safe.
 *
 * <p>Its managers always use the newest valid files: new handshakes use them, open connections stay. After invalid files the previous ones
 * stay in use. Changed files are loaded when two reads in a row agree, because they may not have been written all at once.
 *
 * <p>Reads on a dedicated thread, because a folder may be on a network.
 */
public final class CredentialsFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CredentialsFolder.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** The times before its expiry at which a certificate is reported, once each. */
    private static final List<Duration> REMINDERS = List.of(Duration.ofDays(7), Duration.ofDays(1), Duration.ZERO);

    private final Path folder;
    /** The roles of a peer, one of which its certificate must be for; none for a server that requests no certificates. */
    private final List<PeerRole> roles;

    private final Listener listener;
    private final InstantSource clock;
    private final AdvancedTlsX509KeyManager keys = new AdvancedTlsX509KeyManager();
    private final AdvancedTlsX509TrustManager trust;
    private final Periodic periodic = new Periodic("certificates", this::look);
    private final ReentrantLock lock = new ReentrantLock();
    /** The files that were last loaded or refused. */
    private PemFiles judged;

    private PemFiles used;
    private @Nullable PemFiles seen;
    /** The files that are not valid yet. */
    private @Nullable PemFiles waiting;

    private boolean unreadable;
    private volatile Use use = new Use(Instant.MIN, Instant.MAX, false);
    private int reminders;

    /**
     * The certificate in use. Immutable.
     *
     * @param isOutdated the files that are there now are invalid or not yet valid, or cannot be read
     */
    public record Use(Instant validFrom, Instant expires, boolean isOutdated) {
        private Duration lifetime() {
            return Duration.between(validFrom, expires);
        }

        private Use with(boolean outdated) {
            return new Use(validFrom, expires, outdated);
        }
    }

    /** Called with the result of a changed file, on the reading thread. */
    public interface Listener {
        /** The files are in use now. */
        void taken(Instant expires);

        /** The files are invalid. */
        void refused();

        /** Ignores all results. */
        Listener NONE = new Listener() {
            @Override
            public void taken(Instant expires) {}

            @Override
            public void refused() {}
        };
    }

    private CredentialsFolder(Path folder, List<PeerRole> roles, Listener listener, InstantSource clock)
            throws IOException {
        this.clock = clock;
        this.folder = folder;
        this.roles = roles;
        this.listener = listener;
        try {
            trust = AdvancedTlsX509TrustManager.newBuilder().build();
        } catch (GeneralSecurityException impossible) {
            throw new IOException(impossible);
        }
        judged = PemFiles.read(folder);
        used = judged;
        take(judged);
        periodic.every(LOOK_NANOS);
    }

    /** Credentials for a server that requests no certificates. IOException, with the file and its fault. */
    public static CredentialsFolder ofServer(Path folder, Listener listener) throws IOException {
        return new CredentialsFolder(folder, List.of(), listener, InstantSource.system());
    }

    /** Credentials for mutual TLS: requires {@code ca.crt}, and a certificate for the role. IOException as above. */
    public static CredentialsFolder ofPeer(Path folder, PeerRole role, Listener listener) throws IOException {
        return ofPeer(folder, role, listener, InstantSource.system());
    }

    /** The same with a certificate for at least one of these roles, of which the first is the usual one. */
    public static CredentialsFolder ofPeer(Path folder, List<PeerRole> roles, Listener listener) throws IOException {
        return new CredentialsFolder(folder, roles, listener, InstantSource.system());
    }

    static CredentialsFolder ofPeer(Path folder, PeerRole role, Listener listener, InstantSource clock)
            throws IOException {
        return new CredentialsFolder(folder, List.of(role), listener, clock);
    }

    /** Presents the certificate. */
    public X509ExtendedKeyManager keys() {
        return keys;
    }

    /** Trusts certificates of the authorities; that of a server only if it names the requested host. */
    public X509ExtendedTrustManager trust() {
        return trust;
    }

    /** The certificate that new handshakes use. */
    public Use use() {
        return use;
    }

    /** Reads the files, and loads them if they have changed. */
    public void look() {
        lock.lock();
        try {
            remind(clock.instant());
            PemFiles found = readable();
            if (found != null && !found.equals(judged) && found.equals(seen)) {
                judge(found);
            }
            seen = found;
            if (found == null || found.equals(used)) {
                use = use.with(found == null);
            }
        } catch (IOException wrong) {
            use = use.with(true);
            refuse(wrong);
        } finally {
            lock.unlock();
        }
    }

    private void judge(PemFiles found) throws IOException {
        PemFiles before = judged;
        judged = found;
        try {
            take(found);
        } catch (NotYetValid early) {
            judged = before; // It is tried again until its time has come, and logged once.
            if (!found.equals(waiting)) {
                waiting = found;
                throw early;
            }
        }
    }

    private static final class NotYetValid extends IOException {
        NotYetValid(String message) {
            super(message);
        }
    }

    /** Null if the files cannot be read, which is logged once. */
    private @Nullable PemFiles readable() {
        try {
            PemFiles found = PemFiles.read(folder);
            unreadable = false;
            return found;
        } catch (IOException missing) {
            if (!unreadable) {
                unreadable = true;
                refuse(missing);
            }
            return null;
        }
    }

    private void take(PemFiles files) throws IOException {
        Credentials credentials;
        try {
            credentials = Credentials.of(files);
        } catch (IOException wrong) {
            throw new IOException(folder + ": " + wrong.getMessage(), wrong);
        }
        if (!roles.isEmpty()) {
            checkPeer(credentials);
        }
        try {
            if (!roles.isEmpty()) {
                trust.updateTrustCredentials(credentials.authorities().toArray(X509Certificate[]::new));
            }
            keys.updateIdentityCredentials(credentials.chain().toArray(X509Certificate[]::new), credentials.key());
        } catch (GeneralSecurityException unfit) {
            throw new IOException(folder + ": " + unfit.getMessage(), unfit);
        }
        X509Certificate own = credentials.own();
        Instant expires = own.getNotAfter().toInstant();
        use = new Use(own.getNotBefore().toInstant(), expires, false);
        used = files;
        reminders = 0;
        LOG.info(
                "certificate in use folder={} subject={} expires={}",
                folder,
                own.getSubjectX500Principal(),
                own.getNotAfter());
        listener.taken(expires);
        remind(clock.instant());
    }

    private void remind(Instant now) {
        int due = reminders;
        while (due < REMINDERS.size() && !now.isBefore(use.expires().minus(ahead(REMINDERS.get(due))))) {
            due++;
        }
        if (due > reminders) {
            reminders = due;
            LOG.warn("the certificate must be renewed folder={} expires={}", folder, use.expires());
        }
    }

    /** At most a tenth of the time for which it was issued: certificates that last hours are renewed every few hours. */
    private Duration ahead(Duration reminder) {
        Duration tenth = use.lifetime().dividedBy(10);
        return reminder.compareTo(tenth) < 0 ? reminder : tenth;
    }

    private void checkPeer(Credentials credentials) throws IOException {
        checkDates(credentials.own(), clock.instant());
        if (credentials.authorities().isEmpty()) {
            throw new IOException(folder.resolve(PemFiles.AUTHORITIES) + " does not exist");
        }
        if (Collections.disjoint(PeerRole.of(credentials.own()), roles)) {
            throw new IOException(folder.resolve(PemFiles.CERTIFICATE) + " is for the roles "
                    + PeerRole.of(credentials.own())
                    + " but is used by " + roles.get(0)
                    + ": among its subject alternative names there must be a URI such as"
                    + " spiffe://example.org/cleave/" + roles.get(0));
        }
    }

    /** Every peer would refuse it, and say so only in its own log. */
    private void checkDates(X509Certificate own, Instant now) throws IOException {
        Path file = folder.resolve(PemFiles.CERTIFICATE);
        if (now.isAfter(own.getNotAfter().toInstant())) {
            throw new IOException(file + " expired at " + own.getNotAfter().toInstant() + ", and it is " + now
                    + " now: put a renewed certificate there, or correct this machine's clock");
        }
        if (now.isBefore(own.getNotBefore().toInstant())) {
            throw new NotYetValid(file + " is not valid before "
                    + own.getNotBefore().toInstant() + ", and it is " + now
                    + " now: correct this machine's clock, or issue the certificate again");
        }
    }

    private void refuse(IOException wrong) {
        LOG.error("cannot load the certificate files, keeping the ones in use reason={}", wrong.getMessage());
        listener.refused();
    }

    @Override
    public void close() {
        periodic.close();
    }
}
