package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import cleave.model.Row;
import cleave.model.table.TableName;
import cleave.wire.AdminSplitRequest;
import cleave.wire.RangeRow;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code cleave admin}: what the masters know, and what an operator wants of them. */
@Command(
        name = "admin",
        mixinStandardHelpOptions = true,
        header = "query the masters; split, merge and move ranges",
        subcommands = {
            MergeCommand.class,
            MoveCommand.class,
            DrainCommand.class,
            HandoffsCommand.class,
            CancelCommand.class,
            EventsCommand.class,
            SettingsCommand.class,
            GroupCommand.class,
            AuditCommand.class,
            ProcessCommand.class
        },
        customSynopsis = {
            "cleave admin ranges|servers|leader [--json] [--masters ADDRESSES | --dir DIR]",
            "cleave admin split --account NAME --table NAME [--masters ADDRESSES | --dir DIR] PARTITION_KEY...",
            "cleave admin merge RANGE [RANGE] | move RANGE --to SERVER | drain SERVER [--undo]",
            "cleave admin handoffs | cancel HANDOFF | events [--follow] | settings [get|set]",
            "cleave admin masters found|list|add|remove|replace [ARGUMENTS]",
            "cleave admin audit [--since TIME] [--json]",
            "cleave admin process status|threads|recording|log-level [--tls DIR] ADDRESS",
            "cleave admin export|import|salvage --table NAME [--connection-file FILE | --dir DIR] FILE"
        },
        description = {
            "Queries the leader for the partition map and for what the servers have reported. Without --masters and --dir, the"
                    + " standalone of the current directory is asked. With --cluster ID or CLEAVE_CLUSTER, the masters of another"
                    + " cluster refuse the request; a change names the cluster in which it was made."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave admin ranges",
            "  cleave admin ranges --table devstoreaccount1/cities",
            "  cleave admin ranges --range 17.0",
            "  cleave admin servers --dir /tmp/c --json",
            "  cleave admin split --account devstoreaccount1 --table cities DE FR US",
            "  cleave admin move 17.0 --to s2",
            "  cleave admin drain s1",
            "  cleave admin events --follow"
        })
public final class AdminCommand extends TerminalCommand implements Runnable {
    /** Picocli makes the methods below subcommands, and shows their options. */
    @Override
    public void run() {
        throw new ParameterException(
                line(),
                "say what: ranges, servers, leader, split, merge, move, drain, handoffs, cancel, events, settings, masters, audit, process, export or import");
    }

    @Command(
            name = "ranges",
            mixinStandardHelpOptions = true,
            header = "every range: bounds, owner, state, load",
            description = {
                "One line a range, in key order. Bounds are written table/PartitionKey; '-' is the beginning or the end of"
                        + " the key space. The tables of a range, from the first to the last, are named as far as the leader"
                        + " knows their names.",
                "With --json or --range also the load of each range, as its server reported it last, and what stood against its"
                        + " split, merge and move when the balancer last looked, within about a second."
            })
    int ranges(
            @Mixin MastersOption masters,
            @Option(names = "--json", description = "as JSON") boolean json,
            @Option(
                            names = "--table",
                            paramLabel = "ACCOUNT/NAME",
                            description = "only the ranges that hold keys of this table")
                    @Nullable
                    String table,
            @Option(
                            names = "--range",
                            paramLabel = "RANGE",
                            description = "only this range, with its load and why it is left alone")
                    @Nullable
                    String range) {
        if (table != null && range != null) {
            throw new ParameterException(line(), "--table and --range exclude each other");
        }
        StatusRequest.Builder request =
                StatusRequest.newBuilder().setLoads(json || range != null).setWhy(json || range != null);
        if (table != null) {
            TableName named = named(table);
            request.setAccount(named.account()).setTable(named.table());
        }
        if (range == null) {
            return show(
                    masters,
                    client -> client.statusWithTables(request),
                    json ? StatusText::rangesJson : StatusText::ranges);
        }
        long id = AdminAction.read(() -> Row.parseId(range));
        return show(masters, client -> one(client, request, id), json ? StatusText::rangesJson : StatusText::range);
    }

    /** A leader of an older version lists all ranges. */
    private static StatusReply one(AdminClient client, StatusRequest.Builder request, long range) {
        StatusReply reply = client.statusWithTables(request.addRanges(range));
        List<RangeRow> rows = reply.getMap().getRowsList().stream()
                .filter(row -> row.getId() == range)
                .toList();
        if (rows.isEmpty()) {
            throw CommandFailure.failed("range " + Row.idText(range) + " is not in the map");
        }
        StatusReply.Builder only = reply.toBuilder().clearStates();
        only.getMapBuilder().clearRows().addAllRows(rows);
        reply.getStatesList().stream()
                .filter(state -> state.getRange() == range)
                .forEach(only::addStates);
        return only.build();
    }

    private TableName named(String table) {
        int slash = table.indexOf('/');
        if (slash <= 0 || slash == table.length() - 1) {
            throw new ParameterException(line(), "--table takes ACCOUNT/NAME, but got '" + table + "'");
        }
        return new TableName(table.substring(0, slash), table.substring(slash + 1));
    }

    @Command(name = "servers", mixinStandardHelpOptions = true, header = "the live partition servers and what they own")
    int servers(@Mixin MastersOption masters, @Option(names = "--json", description = "as JSON") boolean json) {
        return show(masters, AdminClient::status, json ? StatusText::serversJson : StatusText::servers);
    }

    @Command(name = "leader", mixinStandardHelpOptions = true, header = "the masters and their roles")
    int leader(@Mixin MastersOption masters, @Option(names = "--json", description = "as JSON") boolean json) {
        return show(masters, AdminClient::status, json ? StatusText::leaderJson : StatusText::leader);
    }

    @Command(
            name = "split",
            mixinStandardHelpOptions = true,
            header = "split ranges at partitions of a table",
            description = {
                "Afterwards a range begins at each of the given PartitionKeys, and the ranges are spread over the servers. Existing"
                        + " boundaries stay."
            })
    int split(
            @Mixin MastersOption masters,
            @Option(names = "--account", paramLabel = "NAME", required = true, description = "the table's account")
                    String account,
            @Option(names = "--table", paramLabel = "NAME", required = true, description = "the table") String table,
            @Parameters(
                            paramLabel = "PARTITION_KEY",
                            arity = "1..*",
                            description = "partitions at which ranges are to begin")
                    List<String> partitionKeys) {
        Logs.onlyErrors();
        AdminSplitRequest request = AdminSplitRequest.newBuilder()
                .setAccount(account)
                .setTable(table)
                .addAllPartitionKeys(partitionKeys)
                .build();
        try (AdminClient client = masters.client()) {
            mustPrint(AdminAction.changed(client, () -> {
                client.split(request);
                return "A range now begins at each of " + String.join(", ", partitionKeys) + ".\n";
            }));
        }
        return ExitCode.OK;
    }

    /** How an answer is written. */
    private interface Form {
        String of(StatusReply status);
    }

    private int show(MastersOption masters, Function<AdminClient, StatusReply> question, Form form) {
        Logs.onlyErrors();
        try (AdminClient client = masters.client()) {
            mustPrint(form.of(question.apply(client)));
        }
        return ExitCode.OK;
    }
}
