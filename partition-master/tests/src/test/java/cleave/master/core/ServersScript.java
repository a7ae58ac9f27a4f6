package cleave.master.core;

import static java.util.Objects.requireNonNull;

import cleave.master.state.MasterAnswer;
import cleave.master.state.Proposals;
import cleave.master.state.Shown;
import cleave.model.Incarnation;
import cleave.model.Ticks;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.HandoffProgress;
import java.util.List;
import java.util.TreeMap;

/** The words of a master's transcript for partition servers: what they say and do, their load, and their clocks. */
final class ServersScript implements Transcripts.Words {
    private final MasterScript in;
    private final Bench bench;
    private final TreeMap<String, FakeServer> servers = new TreeMap<>();
    /** The error of each wrong clock of a server, in ticks. */
    private final TreeMap<String, Long> aheads = new TreeMap<>();

    private final ModelLoad load = new ModelLoad();
    /** By what servers' clocks are ahead of the leader's because it jumped. */
    private long jumped;

    ServersScript(MasterScript in) {
        this.in = in;
        this.bench = in.bench;
    }

    private FakeServer server(String id) {
        return requireNonNull(servers.get(id), "no server " + id);
    }

    FakeServer server(Command command) {
        return server(command.at(0));
    }

    ModelLoad load() {
        return load;
    }

    /** The time of servers whose clocks are right. */
    long ticks() {
        return bench.time.ticks() - jumped;
    }

    @Override
    public boolean run(Command command) {
        switch (command.word()) {
            case "server" -> {
                String id = command.at(0);
                FakeServer server = bench.server(id, in.master(command));
                servers.put(id, server);
                server.measure(load::measure);
                if (command.has("clocked")) {
                    server.showClock(() -> clock(id));
                }
            }
            case "owner" -> {
                FakeServer owner = bench.server(command.at(0), in.master(command));
                servers.put(command.at(0), owner);
                bench.pass(700);
                bench.obey(owner);
                bench.pass(200);
            }
            case "diligent" -> bench.beDiligent();
            case "idle" -> {
                bench.beIdle();
                bench.servers().forEach(each -> each.serveOnly(List.of()));
            }
            case "obey" -> bench.obey(server(command));
            case "open" -> bench.open(server(command), in.row(command.at(1)));
            case "serve-all" -> bench.log.state().rows().all().forEach(server(command)::serve);
            case "silence" -> bench.silence(server(command));
            case "speak" -> bench.speak(server(command));
            case "break" -> server(command).breakStream();
            case "refuse" -> bench.ranges.refuseAt("address-of-" + command.at(0));
            case "beat" -> server(command).beat();
            case "connect" -> server(command).connect(in.master(command.at(1)).loop());
            case "progress" -> server(command).makeProgress(command.has("on"));
            case "low" -> server(command).isLow(!command.has("off"));
            // The DFS answers it from now on, or no more.
            case "probe" -> {
                long since = command.has("answers") ? 0 : bench.time.nanos();
                server(command).probe(() -> since == 0 ? 0 : (bench.time.nanos() - since) / 1_000_000);
            }
            case "complain" -> server(command).complain(in.row(command.at(1)), command.from(2));
            case "complain-of-store" -> server(command).complainOfStore(in.row(command.at(1)), command.from(2));
            case "levels" -> server(command).support(requireNonNull(Proposals.levels(command.at(1))));
            case "use-dfs" -> server(command).use(command.from(1));
            case "carry-out" -> server(command).carryOut(handoffs(command));
            case "load" -> load.be(command);
            case "register" -> {
                MasterAnswer answer = bench.register(
                        in.master(command),
                        command.at(0),
                        command.named("dfs", FakeFiles.DFS),
                        requireNonNull(Proposals.levels(command.named("levels", ""))),
                        command.named("clock", "0s").equals("min")
                                ? Long.MIN_VALUE
                                : ticks() + ticks(command.named("clock", "0s")));
                in.print("registration: " + Shown.answer(answer));
            }
            case "jump" -> {
                long ticks = ticks(command.at(0));
                bench.time.jumpTicks(ticks);
                jumped += ticks;
            }
            case "ahead" -> aheads.put(command.at(0), ticks(command.at(1)));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static long ticks(String text) {
        return switch (text) {
            case "min" -> Long.MIN_VALUE;
            case "max" -> Long.MAX_VALUE;
            default ->
                (long) (Double.parseDouble(text.substring(0, text.length() - 1))
                        * (text.endsWith("h") ? 3_600 : 1)
                        * Ticks.PER_SECOND);
        };
    }

    private long clock(String id) {
        long ahead = aheads.getOrDefault(id, 0L);
        return ahead == Long.MIN_VALUE || ahead == Long.MAX_VALUE ? ahead : ticks() + ahead;
    }

    /** The handoff with that number or, by {@code last}, the first that was ordered; none if none is named. */
    private HandoffProgress[] handoffs(Command command) {
        if (command.plain().size() == 1) {
            return new HandoffProgress[0];
        }
        long number =
                command.at(1).equals("last") ? bench.ranges.orders().get(0).getHandoff() : command.number(1);
        return new HandoffProgress[] {
            HandoffProgress.newBuilder()
                    .setHandoff(number)
                    .setStep(command.from(2))
                    .build()
        };
    }

    Incarnation incarnation(String id) {
        return bench.log.state().servers().values().stream()
                .map(each -> each.incarnation())
                .filter(each -> each.server().equals(id))
                .findFirst()
                .orElseGet(() -> server(id).incarnation());
    }
}
