package cleave.deploy.demo;

import cleave.client.Endpoint;
import cleave.client.Explain;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.ConnectionFile;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import cleave.deploy.access.Tables;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.MastersOption;
import cleave.deploy.admin.ServedRanges;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import cleave.deploy.terminal.TextTable;
import cleave.deploy.terminal.Wait;
import cleave.wire.AdminSplitRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave demo}: loads the cities of the world as entities, and shows the cost of queries on them. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        header = "load a real data set and show the cost of queries on it",
        customSynopsis = {
            "cleave demo [--connection-file FILE | --endpoint URL | --dir DIR] [--ranges N] [--table NAME]"
        },
        description = {
            "Loads 24,440 cities (GeoNames, CC BY 4.0) over the Table protocol: PartitionKey is the country, RowKey the id;"
                    + " written by entity group transactions of up to 100 upserts, so the command may be repeated. A few"
                    + " countries are far larger than the rest, as partitions in production are.",
            "",
            "Then it runs the four query classes of the Azure documentation - point, row range, partition range, table"
                    + " scan - follows continuation tokens to the end, checks every answer against the data, and prints the cost"
                    + " of each.",
            "",
            "Without an endpoint or connection file it uses the standalone or cluster of --dir (default: ./cleave-data), and"
                    + " if there is none, http://127.0.0.1:10002 with the development account."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave demo",
            "  cleave demo --ranges 8",
            "  cleave demo --dir /tmp/c --ranges 8",
            "  cleave demo --connection-file shop.txt"
        })
public final class DemoCommand extends TerminalCommand implements Callable<Integer> {
    private static final Duration SPLIT_PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int RANGES_MAX = 128;

    @Option(
            names = "--connection-file",
            paramLabel = "FILE",
            description = "a file with a connection string as for the SDKs")
    private @Nullable Path connectionFile;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "http://host:port of a front end, for the development account")
    private @Nullable String endpoint;

    @Mixin
    private MastersOption masters = new MastersOption();

    @Option(
            names = "--ranges",
            paramLabel = "N",
            description =
                    "first have the masters split the table into N ranges (up to 128), so that queries cross ranges")
    private int ranges;

    @Option(names = "--table", paramLabel = "NAME", description = "the table to load into (default: cities)")
    private String table = "cities";

    @Override
    public Integer call() {
        Logs.onlyErrors();
        if (ranges < 0 || ranges > RANGES_MAX) {
            throw CommandFailure.usage("--ranges must be from 1 to " + RANGES_MAX + ", not " + ranges);
        }
        Endpoint at = account();
        try (Tables tables = new Tables(at)) {
            return run(at, tables) ? ExitCode.OK : ExitCode.FAILED;
        }
    }

    private boolean run(Endpoint at, Tables tables) {
        List<City> cities = City.all();
        if (ranges > 1) {
            reachMasters(at);
        }
        boolean isNew = tables.create(table);
        say("Table '" + table + "' at " + at.url()
                + (isNew ? " was created." : " exists; its entities are written again."));
        if (ranges > 1) {
            split(at.credential().account(), cities);
        }
        load(tables, cities);
        boolean right = query(tables, cities);
        say("");
        say("Data: GeoNames (https://www.geonames.org/), licensed under CC BY 4.0.");
        return right;
    }

    /** Creates the table only once the masters that are to split it have answered. */
    private void reachMasters(Endpoint at) {
        Deployment near = masters.isGiven() ? null : masters.deployment();
        if (!masters.isGiven()
                && (near == null
                        || near.endpoints().stream()
                                .noneMatch(each ->
                                        Endpoint.at(each, at.credential()).equals(at)))) {
            throw CommandFailure.usage("--ranges has the masters split the table, and " + at.url()
                    + " does not name them: add --masters ADDRESSES or --dir DIR, or leave out --ranges");
        }
        try (AdminClient client = masters.client()) {
            client.status();
        }
    }

    private void load(Tables tables, List<City> cities) {
        long millis;
        try (Progress progress = progress()) {
            millis = new Loading(tables, table).load(cities, progress);
        }
        say(String.format(
                Locale.ROOT,
                "Loaded %,d entities in %.1f s: %,d entities/s.",
                cities.size(),
                millis / 1000.0,
                cities.size() * 1000L / Math.max(1, millis)));
    }

    private boolean query(Tables tables, List<City> cities) {
        TextTable costs = new TextTable(
                "QUERY", "RETURNED", "EXAMINED", "RANGES", "SERVERS", "CALLS", "PAGES", "MS", "RIGHT", "FILTER");
        boolean right = true;
        boolean explained = true;
        for (CityQuery query : CityQuery.fourClasses(cities)) {
            QueryRun run = QueryRun.of(tables, table, query);
            boolean asExpected = run.keys().equals(query.expected(cities));
            right &= asExpected;
            explained &= run.isExplained();
            addRow(costs, query, run, asExpected);
        }
        say("");
        print(costs.text());
        say("");
        say(
                right
                        ? "Every query returned exactly the entities that it should, in key order."
                        : "WRONG: a query did not return exactly the entities that it should, in key order.");
        if (!explained) {
            say("This service does not report the cost of queries (no header " + Explain.HEADER + ").");
        }
        return right;
    }

    private static void addRow(TextTable costs, CityQuery query, QueryRun run, boolean asExpected) {
        boolean told = run.isExplained();
        costs.row(
                told && !run.queryClass().isEmpty() ? run.queryClass() : query.title(),
                run.keys().size(),
                told ? run.examined() : "-",
                told ? run.ranges() : "-",
                told ? run.servers() : "-",
                told ? run.calls() : "-",
                run.requests(),
                run.millis(),
                asExpected ? "yes" : "NO",
                query.filter().isEmpty() ? "(none)" : query.filter());
    }

    private void split(String accountName, List<City> cities) {
        List<String> keys = Splitting.keys(cities, ranges);
        AdminSplitRequest request = AdminSplitRequest.newBuilder()
                .setAccount(accountName)
                .setTable(table)
                .addAllPartitionKeys(keys)
                .build();
        try (AdminClient client = masters.client();
                Progress progress = progress()) {
            progress.show("splitting before " + String.join(", ", keys));
            client.split(request);
            if (!Wait.until(() -> ServedRanges.of(client.status()).isAll(), SPLIT_PATIENCE, PAUSE)) {
                throw CommandFailure.failed("not all ranges were served " + SPLIT_PATIENCE.toSeconds()
                        + " s after the split; 'cleave admin ranges' shows more");
            }
        }
        say("Split into ranges before " + String.join(", ", keys) + ".");
    }

    private Endpoint account() {
        if (connectionFile != null && endpoint != null) {
            throw CommandFailure.usage("--endpoint and --connection-file name two endpoints; give one of them");
        }
        if (connectionFile != null) {
            return ConnectionFile.account(connectionFile);
        }
        if (endpoint != null) {
            return TableAccount.development(endpoint);
        }
        Deployment found = masters.deployment();
        return found == null ? TableAccount.development("http://127.0.0.1:10002") : found.tables();
    }
}
