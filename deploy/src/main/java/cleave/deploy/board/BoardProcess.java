package cleave.deploy.board;

import cleave.board.Board;
import cleave.board.Pace;
import cleave.board.Recorded;
import cleave.board.Source;
import cleave.board.http.Acting;
import cleave.board.http.BoardServer;
import cleave.board.http.BoardServer.Listen;
import cleave.board.recording.Replay;
import cleave.board.recording.Unfit;
import cleave.board.scrape.Scrape.Kind;
import cleave.board.sight.Names;
import cleave.deploy.CommandFailure;
import cleave.deploy.Version;
import cleave.deploy.access.AdminToken;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.board.Scraper.Named;
import cleave.deploy.play.LocalPlay;
import cleave.deploy.role.ListenAddress;
import cleave.model.Ticks;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.FolderLock;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.loop.Clock;
import cleave.runtime.rpc.Address;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A board that runs in this process, with its server. Thread-safe; closed once. */
public final class BoardProcess implements AutoCloseable {
    private static final String FILE = "board.jsonl";
    private static final String SECRET = "hash-key";
    private static final int SECRET_BYTES = 32;
    static final Clock CLOCK = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long ticks() {
            return Ticks.of(Instant.now());
        }
    };

    private final BoardServer server;
    private final @Nullable Board board;
    private final @Nullable FolderLock lock;
    private final String host;
    private final @Nullable Admin admin;

    private BoardProcess(
            BoardServer server, @Nullable Board board, @Nullable FolderLock lock, String host, @Nullable Admin admin) {
        this.server = server;
        this.board = board;
        this.lock = lock;
        this.host = host;
        this.admin = admin;
    }

    /**
     * What who has a token may do from the page: change settings, with the rights that the source has for that, and play.
     *
     * @param play closed with the board; null: nobody plays
     */
    public record Admin(String token, @Nullable LocalPlay play) {
        void close() {
            if (play != null) {
                play.close();
            }
        }
    }

    /**
     * What a board of a cluster keeps.
     *
     * @param data the folder of what it remembers over restarts; null: it remembers nothing
     * @param record a file for all frames; null: none
     * @param hashKeys whether partition keys are hashed before they are kept or shown
     */
    public record Keeping(@Nullable Path data, @Nullable Path record, boolean hashKeys) {
        /** Nothing. */
        public static final Keeping NOTHING = new Keeping(null, null, false);
    }

    /**
     * Shows a cluster. CommandFailure if it cannot listen or use its files. The source is closed with it, or when this fails.
     *
     * @param admin null: nothing is changed from the page
     */
    public static BoardProcess live(Listen listen, Source source, Keeping keeping, Pace pace, @Nullable Admin admin) {
        FolderLock lock = null;
        Board board = null;
        boolean isStarted = false;
        try {
            Path data = keeping.data();
            if (data != null) {
                lock = FolderLock.take(data);
            }
            Names names = keeping.hashKeys() ? Names.hashed(secret(data)) : Names.CLEAR;
            board = new Board(
                    new Board.Plan(
                            "cleave " + Version.built(),
                            pace,
                            data == null ? null : data.resolve(FILE),
                            keeping.record(),
                            names,
                            keeping.hashKeys()),
                    source,
                    CLOCK,
                    new Random(new SecureRandom().nextLong()));
            BoardServer server = new BoardServer(
                    listen, board, admin == null ? null : new Acting(admin.token(), board::change, admin.play()));
            listen(server, listen);
            board.start(server::publish, server::viewers);
            isStarted = true;
            return new BoardProcess(server, board, lock, listen.host(), admin);
        } catch (FolderLock.Taken | Unfit unfit) {
            throw CommandFailure.taken(String.valueOf(unfit.getMessage()));
        } catch (IOException failed) {
            throw CommandFailure.taken("the board's files cannot be used: " + FileProblem.text(failed));
        } finally {
            if (!isStarted) {
                closeAll(board, source, lock);
            }
        }
    }

    private static void closeAll(@Nullable Board board, Source source, @Nullable FolderLock lock) {
        if (board == null) {
            source.close();
        } else {
            board.close();
        }
        if (lock != null) {
            lock.close();
        }
    }

    /** The source of a cluster of one master, whose processes all have their metrics at one admin port. */
    public static Source ofOneProcess(String master, List<Kind> kinds, Address admin) {
        return new AdminSource(
                AdminClient.watcher(List.of(master), null),
                new Scraper(kinds.stream().map(kind -> new Named(kind, admin)).toList()),
                AdminClient.of(List.of(master), null));
    }

    /** Shows a recording. */
    public static BoardProcess replay(Listen listen, Path file) {
        try {
            BoardServer server = new BoardServer(listen, new Recorded(Replay.of(file), "cleave " + Version.built()));
            listen(server, listen);
            return new BoardProcess(server, null, null, listen.host(), null);
        } catch (Unfit unfit) {
            throw CommandFailure.usage(String.valueOf(unfit.getMessage()));
        } catch (IOException failed) {
            throw CommandFailure.usage("the recording cannot be read: " + FileProblem.text(failed));
        }
    }

    private static void listen(BoardServer server, Listen listen) {
        try {
            server.start();
        } catch (IOException failed) {
            server.close();
            throw CommandFailure.taken("the board cannot listen on " + new ListenAddress(listen.host(), listen.port())
                    + " (" + failed.getMessage() + "); give another address by --listen (port 0: any free one)");
        }
    }

    /** Hashes stay the same over restarts if there is a folder. */
    private static byte[] secret(@Nullable Path data) throws IOException {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        if (data == null) {
            return secret;
        }
        Path file = data.resolve(SECRET);
        if (Files.exists(file)) {
            byte[] kept = Files.readAllBytes(file);
            if (kept.length == SECRET_BYTES) {
                return kept;
            }
        }
        try (FileChannel channel = PrivateFiles.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(secret));
            channel.force(true);
        }
        return secret;
    }

    /** Where a browser finds it. */
    public String url() {
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.port() + "/";
    }

    /** The same for who may play: with the token in the fragment, which is not sent to anybody. */
    public String urlToPlay() {
        return admin == null || admin.play() == null ? url() : url() + AdminToken.fragment(admin.token());
    }

    /** Completes when the board has ended by itself; exceptionally, with an IOException for people, if its files are another cluster's. */
    public CompletableFuture<Void> ended() {
        return board == null ? new CompletableFuture<>() : board.ended();
    }

    @Override
    public void close() {
        if (board != null) {
            board.close(); // Before the server, to which it tells each frame.
        }
        server.close();
        if (admin != null) {
            admin.close();
        }
        if (lock != null) {
            lock.close();
        }
    }
}
