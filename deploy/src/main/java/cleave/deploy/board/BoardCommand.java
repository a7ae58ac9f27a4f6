package cleave.deploy.board;

import cleave.board.Pace;
import cleave.board.http.BoardServer.Listen;
import cleave.board.scrape.Scrape.Kind;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.AdminToken;
import cleave.deploy.access.Deployment;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.MastersOption;
import cleave.deploy.board.BoardProcess.Admin;
import cleave.deploy.board.BoardProcess.Keeping;
import cleave.deploy.board.Scraper.Named;
import cleave.deploy.play.LocalPlay;
import cleave.deploy.role.EndSignals;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import cleave.runtime.files.FileProblem;
import cleave.runtime.rpc.Address;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave board}. */
@Command(
        name = "board",
        mixinStandardHelpOptions = true,
        header = "show a cluster in a browser: load over keys and time, servers, decisions",
        customSynopsis = {
            "cleave board [--listen HOST:PORT] [--masters ADDRESSES [--tls DIR] | --dir DIR] [--data DIR]",
            "cleave board [--listen HOST:PORT] --replay FILE"
        },
        description = {
            "Asks the leader and the processes of a cluster once a second, and serves a page that shows what they answer: the"
                    + " key space over time, servers, front ends, handoffs, and what the balancer decided and why. Prints its URL and"
                    + " runs until SIGTERM or SIGINT (Ctrl-C). It changes nothing in the cluster but what --admin-token-file and --play permit. If the cluster does not run yet, it"
                    + " waits for it.",
            "",
            "With --data it remembers five weeks over restarts. With --record it also writes each second to a file, which"
                    + " --replay shows anywhere, without the cluster.",
            "",
            "The page shows partition keys. At an address that other machines can reach, viewers need a token."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave board",
            "  cleave board --masters m1:7001,m2:7001 --tls /etc/cleave/tls --data /var/lib/cleave-board",
            "  cleave board --dir /tmp/c --record monday.jsonl",
            "  cleave board --replay monday.jsonl",
            "",
            "FILES",
            "",
            "  DIR/board.jsonl      what it remembers, readable for its owner alone",
            "  DIR/hash-key         with --hash-keys: the secret of the hashes"
        })
public final class BoardCommand extends TerminalCommand implements Callable<Integer> {
    private static final long POLL_MILLIS = 100;

    @Mixin
    private final MastersOption masters = new MastersOption();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "where the page is served; port 0: any free one (default: 127.0.0.1:10800)")
    private String listen = "127.0.0.1:10800"; // Not 10080, to which browsers do not connect.

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "a file with a token that viewers need; without it the page is served on loopback addresses only")
    private @Nullable Path tokenFile;

    @Option(
            names = "--admin-token-file",
            paramLabel = "FILE",
            description =
                    "a file with a token; who has it may change the balancer's settings on the page (default: nobody may)")
    private @Nullable Path adminTokenFile;

    @Option(
            names = "--admin-tls",
            paramLabel = "DIR",
            description = "the folder of the certificates with which these changes are made (default: as --tls)")
    private @Nullable Path adminTls;

    @Option(
            names = "--play",
            description =
                    "who has the URL that is printed may end the processes of the local cluster in --dir, start"
                            + " them again, cut the links between them if it was started with --play, and put load on them, on the page")
    private boolean play;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "folder of what the board remembers (default: it remembers until it ends)")
    private @Nullable Path data;

    @Option(names = "--record", paramLabel = "FILE", description = "append each frame to this file")
    private @Nullable Path record;

    @Option(names = "--replay", paramLabel = "FILE", description = "show this recording instead of a cluster")
    private @Nullable Path replay;

    @Option(
            names = "--hash-keys",
            description =
                    "hash partition keys with a secret before they are kept or shown, so that viewers do not learn them")
    private boolean hashKeys;

    @Option(
            names = "--scrape",
            paramLabel = "KIND=HOST:PORT",
            split = ",",
            hideParamSyntax = true,
            description =
                    "metrics of processes that the masters do not tell of, KIND being front-end, server, dfs or bookie;"
                            + " all addresses of HOST are asked. May be given many times")
    private List<String> scraped = List.of();

    @Override
    public Integer call() throws InterruptedException {
        Logs.fromWarnings();
        ListenAddress address = ListenAddress.parse("--listen", listen);
        Listen at = new Listen(address.host(), address.port(), token(address));
        try (BoardProcess board = replay == null ? live(at, admin(address)) : replayed(at, replay)) {
            EndSignals signals = EndSignals.ofThisProcess();
            say("Board: " + (at.token() == null ? board.urlToPlay() : board.url() + "#token=TOKEN"));
            while (!signals.awaitAsked(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS))) {
                refuseEnded(board);
            }
        }
        return ExitCode.OK;
    }

    private BoardProcess live(Listen at, @Nullable Admin admin) {
        List<Named> named = named();
        AdminClient client = masters.watcher();
        return BoardProcess.live(
                at,
                new AdminSource(client, new Scraper(named), admin == null ? null : masters.administrator(adminTls())),
                new Keeping(absolute(data), absolute(record), hashKeys),
                Pace.STEADY,
                admin);
    }

    /** Play is with a cluster of this user on this machine, whose certificates are at hand. */
    private @Nullable Path adminTls() {
        Path dir = masters.dir();
        return adminTls == null && play && dir != null ? Deployment.load(dir).tls() : adminTls;
    }

    private @Nullable Admin admin(ListenAddress address) {
        if (!play) {
            return adminTokenFile == null ? null : new Admin(token("--admin-token-file", adminTokenFile), null);
        }
        Path dir = masters.dir();
        if (dir == null) {
            throw CommandFailure.usage(
                    "--play ends processes of a cluster that 'cleave cluster' started on this machine: give"
                            + " its folder by --dir. What was started elsewhere, a board can only watch");
        }
        if (!address.socket().getAddress().isLoopbackAddress()) {
            throw CommandFailure.usage(
                    "--listen " + address + ": other machines can reach this address, and --play ends"
                            + " processes. Listen on 127.0.0.1, and go there through an SSH tunnel");
        }
        return new Admin(
                adminTokenFile == null ? AdminToken.random() : token("--admin-token-file", adminTokenFile),
                LocalPlay.ofCluster(dir.toAbsolutePath().normalize()));
    }

    private BoardProcess replayed(Listen at, Path file) {
        if (masters.isGiven()
                || data != null
                || record != null
                || hashKeys
                || !scraped.isEmpty()
                || adminTokenFile != null
                || play) {
            throw CommandFailure.usage(
                    "--replay shows a file; --masters, --dir, --data, --record, --hash-keys, --scrape, --admin-token-file"
                            + " and --play are for a cluster");
        }
        return BoardProcess.replay(at, file);
    }

    private static @Nullable Path absolute(@Nullable Path path) {
        return path == null ? null : path.toAbsolutePath().normalize();
    }

    private @Nullable String token(ListenAddress address) {
        if (tokenFile == null) {
            if (!address.socket().getAddress().isLoopbackAddress()) {
                throw CommandFailure.usage(
                        "--listen " + address + ": other machines can reach this address, and the page"
                                + " shows partition keys. Give --token-file FILE with a token that viewers need, or listen on 127.0.0.1"
                                + " and go there through an SSH tunnel");
            }
            return null;
        }
        return token("--token-file", tokenFile);
    }

    private static String token(String option, Path file) {
        try {
            String token = Files.readString(file, StandardCharsets.UTF_8).strip();
            if (token.length() < 16 || token.chars().anyMatch(letter -> letter <= ' ' || letter > '~')) {
                throw CommandFailure.usage(option + " " + file
                        + ": a token has at least 16 letters, digits or signs of ASCII, without spaces");
            }
            return token;
        } catch (IOException unreadable) {
            throw CommandFailure.usage(option + " " + FileProblem.text(unreadable));
        }
    }

    private List<Named> named() {
        List<Named> named = new ArrayList<>();
        for (String each : scraped) {
            if (each.isEmpty()) {
                continue; // As of a variable that is empty where there is nothing to read.
            }
            int equals = each.indexOf('=');
            Kind kind = equals < 0 ? null : kind(each.substring(0, equals));
            if (kind == null) {
                throw CommandFailure.usage("--scrape takes KIND=HOST:PORT, KIND being one of "
                        + String.join(", ", Kind.words()) + ", but got '" + each + "'");
            }
            try {
                named.add(new Named(kind, Address.parse(each.substring(equals + 1))));
            } catch (IllegalArgumentException malformed) {
                throw CommandFailure.usage("--scrape " + each + ": " + malformed.getMessage());
            }
        }
        return named;
    }

    private static @Nullable Kind kind(String word) {
        for (Kind kind : Kind.values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        return null;
    }

    /** A board whose files are another cluster's ends. */
    private static void refuseEnded(BoardProcess board) throws InterruptedException {
        try {
            board.ended().get(0, TimeUnit.MILLISECONDS);
        } catch (TimeoutException runs) {
            return;
        } catch (ExecutionException ended) {
            if (ended.getCause() instanceof IOException refused) {
                throw CommandFailure.taken(FileProblem.text(refused));
            }
            throw new IllegalStateException(ended.getCause());
        }
    }
}
