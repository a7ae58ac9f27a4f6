package cleave.chaos.ycsb;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import site.ycsb.Client;

/**
 * Runs YCSB with the binding: YCSB's arguments, of which {@code -db} may be left out. The settings of the binding and the table are checked before
 * YCSB starts, since YCSB itself goes on without a binding that fails, and always exits with 0. Stateless.
 */
public final class Ycsb {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private static final String HELP = """
            usage: java -jar cleave-ycsb.jar (-load | -t) -P WORKLOAD [-threads N] [-target N] [-s] [-p NAME=VALUE]...

              -load          insert the records that the workload says (recordcount)
              -t             run its operations (operationcount)
              -P FILE        properties of YCSB, such as a workload; may be repeated
              -p NAME=VALUE  one property, which overrides those of files; may be repeated
              -threads N     threads, each with a connection of its own (default: 1)
              -target N      operations per second of all threads together (default: as many as possible)
              -s             show progress

            Properties of YCSB for a constant rate:
              measurement.interval=intended|both       latency counts from when an operation was due (default: op, from when it was sent)
              hdrhistogram.percentiles=50,95,99,99.9   what to report
              maxexecutiontime=SECONDS                 ends a run earlier

            Properties of the binding:
              cleave.connection-file=FILE    file with a connection string (account key or shared access signature), or with the URL of a shared
                                             access signature (default: environment variable CLEAVE_CONNECTION_STRING)
              cleave.endpoint=URL            a Table endpoint, for the development account (default: http://127.0.0.1:10002)
              table=NAME                     the table, which is created unless it exists (default: usertable)
              cleave.partitions=N            partitions among which records are hashed; 0: each record in a partition of its own (default: 100)
              cleave.insert=insert|upsert    whether an insert fails if the record exists, or replaces it (default: insert)
              cleave.timeout-seconds=N       how long to wait for an answer (default: 60)

            The exit status is 2 if an argument is wrong and 1 if the service cannot be used. Otherwise it is YCSB's, which is 0 although operations
            failed: look for FAILED and Return= in its report.
            """;

    private Ycsb() {}

    public static void main(String[] arguments) {
        if (arguments.length == 0 || List.of(arguments).contains("--help")) {
            System.out.print(HELP);
            System.exit(arguments.length == 0 ? USAGE : 0);
        }
        try {
            prepare(arguments, System.getenv());
        } catch (IllegalArgumentException wrong) {
            fail(USAGE, wrong);
        } catch (TableSession.Unusable refused) {
            fail(FAILED, refused);
        }
        Client.main(withBinding(arguments));
    }

    private static void fail(int status, Exception why) {
        System.err.println("cleave-ycsb: " + why.getMessage());
        System.exit(status);
    }

    private static void prepare(String[] arguments, Map<String, String> environment) throws TableSession.Unusable {
        Properties properties = properties(arguments);
        if (!properties
                .getProperty(Client.DB_PROPERTY, TableBinding.class.getName())
                .equals(TableBinding.class.getName())) {
            return;
        }
        try (TableSession session = new TableSession(Settings.of(properties, environment))) {
            session.createTable();
        }
    }

    /** YCSB's arguments with the binding, unless they name one. */
    static String[] withBinding(String[] arguments) {
        List<String> all = new ArrayList<>();
        if (!properties(arguments).containsKey(Client.DB_PROPERTY)) {
            all.addAll(List.of("-db", TableBinding.class.getName()));
        }
        all.addAll(List.of(arguments));
        return all.toArray(String[]::new);
    }

    /**
     * The properties in YCSB's arguments: those of files in their order, and then those that arguments set. Other mistakes in the arguments
     * are left to YCSB.
     */
    static Properties properties(String[] arguments) {
        Properties all = new Properties();
        Properties set = new Properties();
        for (int at = 0; at + 1 < arguments.length; at++) {
            String value = arguments[at + 1];
            switch (arguments[at]) {
                case "-P" -> {
                    load(value, all);
                    at++;
                }
                case "-p" -> {
                    int equals = value.indexOf('=');
                    if (equals > 0) {
                        set.setProperty(value.substring(0, equals), value.substring(equals + 1));
                    }
                    at++;
                }
                case "-db" -> {
                    set.setProperty(Client.DB_PROPERTY, value);
                    at++;
                }
                default -> {
                    // The binding ignores it.
                }
            }
        }
        all.putAll(set);
        return all;
    }

    private static void load(String file, Properties into) {
        try (Reader reader = Files.newBufferedReader(Path.of(file))) {
            into.load(reader);
        } catch (IOException | InvalidPathException unreadable) {
            throw new IllegalArgumentException(
                    "-P " + file + ": there is no readable properties file: " + unreadable.getMessage(), unreadable);
        }
    }
}
