package cleave.chaos.bench.peer;

import cleave.chaos.load.run.Target;
import cleave.chaos.process.Patience;
import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.Ports;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL server with its defaults, which sync each commit before it is answered, and a larger cache. Confined to its owner. */
public final class Postgres implements Peer {
    private static final Duration INITIALISATION = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String CACHE = "512MB";

    private final Ports ports;
    private final PostgresTarget target;
    private final URLClassLoader loader;
    private String title = PeerKind.POSTGRES.title();
    private @Nullable OtherProcess process;

    private Postgres(Ports ports, URLClassLoader loader, PostgresTarget target) {
        this.ports = ports;
        this.loader = loader;
        this.target = target;
    }

    /**
     * Makes a database in a folder, starts its server and waits until it answers; CommandFailure if its programs or its driver are missing, or
     * if it does not start.
     *
     * @param run the folder of the whole run. Where this process is root's, the server's user may pass through the folders from it to the
     *     database's, and list none of them
     * @param folder below it, which the server gets as its own
     */
    public static Postgres started(Path run, Path folder, Patience patience) throws IOException, InterruptedException {
        PostgresPrograms programs = PostgresPrograms.found();
        List<Path> libraries = PeerLibraries.of(PeerKind.POSTGRES);
        Ports ports = new Ports();
        int port = ports.free();
        URLClassLoader loader = new URLClassLoader(urls(libraries), ClassLoader.getPlatformClassLoader());
        Postgres postgres = new Postgres(
                ports,
                loader,
                new PostgresTarget(
                        driver(loader),
                        "jdbc:postgresql://127.0.0.1:" + port + "/postgres",
                        UUID.randomUUID().toString()));
        boolean isReady = false;
        try {
            Path own = Files.createDirectories(folder.toAbsolutePath());
            if (programs.isAsOther()) {
                giveAway(own, run.toAbsolutePath());
            }
            postgres.start(programs, own, port, patience);
            isReady = true;
            return postgres;
        } finally {
            if (!isReady) {
                postgres.close();
            }
        }
    }

    private static URL[] urls(List<Path> libraries) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (Path library : libraries) {
            urls.add(library.toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    private static Driver driver(ClassLoader loader) {
        try {
            return Class.forName("org.postgresql.Driver", true, loader)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException missing) {
            throw CommandFailure.failed("the libraries for PostgreSQL lack its JDBC driver: " + missing);
        }
    }

    /** Makes a folder that of the server's user, who may pass through those above it. */
    private static void giveAway(Path folder, Path run) throws IOException {
        UserPrincipal user;
        try {
            user = folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(PostgresPrograms.USER);
        } catch (UserPrincipalNotFoundException missing) {
            throw CommandFailure.failed("PostgreSQL refuses to run as root, and there is no user "
                    + PostgresPrograms.USER + ", which Debian's package 'postgresql' makes");
        }
        for (Path above = folder.getParent(); above != null; above = above.getParent()) {
            Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(above));
            if (permissions.contains(PosixFilePermission.OTHERS_EXECUTE)) {
                continue;
            }
            if (!above.startsWith(run)) {
                throw CommandFailure.failed("PostgreSQL refuses to run as root, and its user " + PostgresPrograms.USER
                        + " may not pass through " + above + "; name another folder by --dir");
            }
            permissions.add(PosixFilePermission.OTHERS_EXECUTE);
            Files.setPosixFilePermissions(above, permissions);
        }
        Files.setOwner(folder, user);
    }

    private void start(PostgresPrograms programs, Path folder, int port, Patience patience)
            throws IOException, InterruptedException {
        Path data = folder.resolve("data");
        Path secret = folder.resolve("password");
        Files.writeString(secret, target.password() + "\n");
        if (programs.isAsOther()) {
            Files.setOwner(secret, Files.getOwner(folder));
        }
        List<String> initialisation = List.of(
                "--pgdata=" + data,
                "--username=" + PostgresTarget.USER,
                "--auth=scram-sha-256",
                "--pwfile=" + secret,
                "--encoding=UTF8",
                "--locale=C");
        OtherProcess.run("initdb", folder, programs.command("initdb", initialisation), INITIALISATION);
        OtherProcess started = OtherProcess.started(
                "postgres",
                folder,
                programs.command(
                        "postgres",
                        List.of(
                                "-D",
                                data.toString(),
                                "-c",
                                "listen_addresses=127.0.0.1",
                                "-c",
                                "port=" + port,
                                "-c",
                                "unix_socket_directories=",
                                "-c",
                                // Files of the data's folder: nothing is left if the server is killed.
                                "dynamic_shared_memory_type=mmap",
                                "-c",
                                "shared_buffers=" + CACHE)));
        process = started;
        started.awaitReady(patience, this::answers);
    }

    private boolean answers() throws SQLException {
        try (Connection connection = target.connect(PATIENCE)) {
            // Behind the version stands whose package it is.
            String version =
                    connection.getMetaData().getDatabaseProductVersion().split(" ", 2)[0];
            title = PeerKind.POSTGRES.title() + " " + version;
            return true;
        }
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public long id() {
        return Objects.requireNonNull(process).id();
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
        ports.close();
        try {
            loader.close();
        } catch (IOException failed) {
            // Its jars stay open until this process ends.
        }
    }
}
