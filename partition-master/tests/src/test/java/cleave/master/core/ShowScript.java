package cleave.master.core;

import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.Shown;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.LeaderClock;
import cleave.wire.RangeState;
import cleave.wire.RangeTable;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import org.jspecify.annotations.Nullable;

/** The words of a master's transcript that change nothing, and print what masters, servers and the DFS have. */
final class ShowScript implements Transcripts.Words {
    private final MasterScript in;
    private final Bench bench;
    private final ServersScript servers;

    ShowScript(MasterScript in, ServersScript servers) {
        this.in = in;
        this.bench = in.bench;
        this.servers = servers;
    }

    @Override
    public boolean run(Command command) {
        switch (command.word()) {
            case "map" -> Shown.rows(bench.log.state()).forEach(this::print);
            case "servers" -> print(bench.log.state().servers().keySet());
            case "state" -> {
                RangeState state = status(command, StatusRequest.getDefaultInstance()).getStatesList().stream()
                        .filter(each -> each.getRange() == in.row(command.at(0)).id())
                        .findFirst()
                        .orElseThrow();
                print(state.getState() + (state.getTrouble().isEmpty() ? "" : ", " + state.getTrouble()));
            }
            case "status" -> {
                StatusReply status = status(command, StatusRequest.getDefaultInstance());
                print(status.getStatus().getCode() + ", leader " + status.getLeader() + ", "
                        + status.getMap().getRowsCount() + " rows, servers "
                        + status.getMap().getServersList().stream()
                                .map(each -> each.getIncarnation().getServer())
                                .toList()
                        + ", "
                        + status.getStatesList().stream()
                                .map(each -> each.getState() + " " + (long) each.getEntitiesPerSecond() + "/s")
                                .toList()
                        + ", peers "
                        + status.getPeersList().stream()
                                .map(each -> each.getId() + " " + each.getRole())
                                .toList());
            }
            case "tables" -> {
                StatusReply status = status(
                        command,
                        StatusRequest.newBuilder()
                                .setTables(true)
                                .setTable(command.named("table", ""))
                                .setAccount("account")
                                .build());
                status.getStatesList()
                        .forEach(each -> print(shown(each.getFirstTable())
                                + (each.hasLastTable() ? " … " + shown(each.getLastTable()) : "")));
                if (!status.getNamesMissing().isEmpty()) {
                    print(status.getNamesMissing());
                }
            }
            case "level" -> {
                StatusReply status = status(command, StatusRequest.getDefaultInstance());
                print("level " + status.getLevel() + ", next " + status.getNextLevel() + ", held back by "
                        + status.getHeldBackByList());
            }
            case "readiness" -> {
                var readiness = in.master(command.at(0)).loop().readiness();
                print((readiness.ready() ? "ready" : "not ready")
                        + (readiness.missing().isEmpty() ? "" : ": ")
                        + readiness.missing());
            }
            case "terms" ->
                print(bench.masters.entrySet().stream()
                        .map(each ->
                                each.getKey() + " " + each.getValue().replica().leaderTerm())
                        .toList());
            case "proofs" ->
                print(bench.log.commands().stream()
                        .filter(NoOp.class::isInstance)
                        .count());
            case "clock" -> {
                LeaderClock clock = servers.server(command).clock();
                print(
                        clock == null
                                ? "no clock"
                                : "told " + (clock.getTicks() - servers.ticks())
                                        + " after the servers' time, skew "
                                        + clock.getSkewTicks() + ", after heartbeat "
                                        + (clock.getAskedNanos()
                                                - servers.server(command).sentNanos()) + ", ahead "
                                        + clock.getAheadTicks() + (clock.getOff() ? ", off" : ""));
            }
            case "clocks" -> {
                StatusReply status = status(command, StatusRequest.getDefaultInstance());
                print("leader ahead " + status.getLeaderAheadTicks() + ", off "
                        + status.getClocksList().stream()
                                .filter(each -> each.getOff())
                                .map(each -> each.getIncarnation().getServer())
                                .toList());
            }
            case "loads" ->
                print(bench.servers().stream()
                        .map(each -> each.incarnation().server() + " "
                                + Math.round(servers.load()
                                        .of(bench.log.state().rows().all().stream()
                                                .filter(row ->
                                                        each.incarnation().equals(row.owner()))
                                                .toList())))
                        .toList());
            case "files" -> bench.files.paths().forEach(this::print);
            case "lists-held" -> print(bench.files.listsHeld());
            case "dfs-of-the-cluster" ->
                print(
                        bench.log.state().dfs().isEmpty()
                                ? "none"
                                : bench.log.state().dfs());
            case "is-dropped-everywhere" -> print(bench.ranges.isDroppedEverywhere(command.number(0)));
            case "table" -> print(bench.ranges.table("account", command.at(0)));
            case "drops" -> print(bench.log.state().drops().values());
            case "metric" -> print(bench.metric(command.at(0), command.names(), command.values()));
            case "orders" -> print(bench.ranges.orders().size());
            default -> {
                return false;
            }
        }
        return true;
    }

    private void print(@Nullable Object what) {
        in.print(String.valueOf(what));
    }

    private StatusReply status(Command command, StatusRequest request) {
        return bench.status(in.master(command), request);
    }

    private static String shown(RangeTable table) {
        return table.getId() + " " + table.getAccount() + "/" + table.getName() + " " + table.getState();
    }
}
