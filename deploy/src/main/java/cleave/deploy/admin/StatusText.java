package cleave.deploy.admin;

import cleave.deploy.terminal.TextTable;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.wire.MasterPeer;
import cleave.wire.PendingDrop;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.RangeTable;
import cleave.wire.ServerClock;
import cleave.wire.ServerInfo;
import cleave.wire.ServerSeen;
import cleave.wire.ServerSpace;
import cleave.wire.Space;
import cleave.wire.StatusReply;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A master's status, as tables for people and as JSON for programs. Pure. */
final class StatusText {
    private StatusText() {}

    static String ranges(StatusReply status) {
        Map<Long, RangeState> states = states(status);
        TextTable table = new TextTable(
                "RANGE",
                "START",
                "END",
                "TABLES",
                "OWNER",
                "STATE",
                "ENTITIES/S",
                "MIB",
                "VERSION",
                "EPOCH",
                "TROUBLE");
        for (RangeRow row : rows(status)) {
            RangeState state = states.getOrDefault(row.getId(), RangeState.getDefaultInstance());
            table.row(
                    Row.idText(row.getId()),
                    Prose.oneLine(start(row)),
                    Prose.oneLine(end(row)),
                    tables(state),
                    owner(row),
                    stateOf(state),
                    String.format(Locale.ROOT, "%.0f", state.getEntitiesPerSecond()),
                    String.format(Locale.ROOT, "%.1f", state.getBytes() / (double) (1 << 20)),
                    row.getVersion(),
                    row.getEpoch(),
                    troubleOf(state));
        }
        String missing = status.getNamesMissing();
        return table.text() + (missing.isEmpty() ? "" : Prose.oneLine(Prose.sentence(missing)) + "\n");
    }

    /** One range, with what the leader knows of it. */
    static String range(StatusReply status) {
        return ranges(status)
                + status.getStatesList().stream().map(RangeText::of).collect(Collectors.joining());
    }

    /** {@code a/red}, or the first and the last of several: {@code (registry) ... a/red}. */
    private static String tables(RangeState state) {
        return !state.hasFirstTable()
                ? "-"
                : Prose.oneLine(table(state.getFirstTable())
                        + (state.hasLastTable() ? " ... " + table(state.getLastTable()) : ""));
    }

    private static String table(RangeTable table) {
        String name = table.getName().isEmpty()
                ? Long.toUnsignedString(table.getId())
                : table.getAccount() + "/" + table.getName();
        return switch (table.getState()) {
            case "" -> name;
            case "system" -> "(" + table.getName() + ")";
            default -> name + " (" + table.getState() + ")";
        };
    }

    private static String troubleOf(RangeState state) {
        if (state.getDamagedFilesCount() > 0) {
            return "damaged in the DFS: " + String.join(", ", state.getDamagedFilesList());
        }
        return state.getTrouble().isEmpty() ? "-" : state.getTrouble();
    }

    /** {@code serving}, or with what is being done to it: {@code serving, move}. */
    private static String stateOf(RangeState state) {
        String text = state.getState().isEmpty() ? "-" : state.getState();
        return state.getHandoff().isEmpty() ? text : text + ", " + state.getHandoff();
    }

    static String servers(StatusReply status) {
        TextTable table = new TextTable(
                "SERVER", "INCARNATION", "ADDRESS", "STATE", "RANGES", "ENTITIES/S", "MIB", "FREE MIB", "CLOCK");
        Map<cleave.wire.Incarnation, Share> shares = Share.all(status);
        for (ServerInfo server : servers(status.getMap().getServersList())) {
            Share share = shares.getOrDefault(server.getIncarnation(), Share.NONE);
            table.row(
                    server.getIncarnation().getServer(),
                    server.getIncarnation().getNumber(),
                    server.getAddress(),
                    stateOf(server, share),
                    share.ranges(),
                    String.format(Locale.ROOT, "%.0f", share.entitiesPerSecond()),
                    String.format(Locale.ROOT, "%.1f", share.bytes() / (double) (1 << 20)),
                    free(status, server),
                    clock(status, server));
        }
        return table.text() + dfsProblems(status) + leaderClock(status);
    }

    /** A line for each server that gets no ranges because of the DFS. */
    private static String dfsProblems(StatusReply status) {
        return status.getSeenList().stream()
                .filter(each -> !each.getDfsProblem().isEmpty())
                .map(each -> Prose.oneLine("Server " + each.getIncarnation().getServer() + " gets no ranges: "
                                + each.getDfsProblem() + ".")
                        + "\n")
                .collect(Collectors.joining());
    }

    private static String stateOf(ServerInfo server, Share share) {
        if (!server.getDraining()) {
            return "live";
        }
        return share.ranges() == 0 ? "drained" : "draining";
    }

    /** The free space of a server's disk, marked if it is so little that the server gets no more ranges. */
    private static String free(StatusReply status, ServerInfo server) {
        Space space = spaceOf(status, server);
        if (space == null) {
            return "-";
        }
        return (space.getFreeBytes() >> 20) + (isLow(space) ? " low" : "");
    }

    private static boolean isLow(Space space) {
        return space.getFreeBytes() < space.getReserveBytes();
    }

    private static @Nullable Space spaceOf(StatusReply status, ServerInfo server) {
        return status.getSpacesList().stream()
                .filter(each -> each.getIncarnation().equals(server.getIncarnation()))
                .map(ServerSpace::getSpace)
                .findFirst()
                .orElse(null);
    }

    /** How many seconds its clock is ahead, marked if that is so much that it gets no more ranges. */
    private static String clock(StatusReply status, ServerInfo server) {
        ServerClock clock = clockOf(status, server);
        return clock == null
                ? "-"
                : String.format(Locale.ROOT, "%+.1f s%s", seconds(clock.getAheadTicks()), clock.getOff() ? " off" : "");
    }

    private static @Nullable ServerClock clockOf(StatusReply status, ServerInfo server) {
        return status.getClocksList().stream()
                .filter(each -> each.getIncarnation().equals(server.getIncarnation()))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable ServerSeen seen(StatusReply status, ServerInfo server) {
        return status.getSeenList().stream()
                .filter(each -> each.getIncarnation().equals(server.getIncarnation()))
                .findFirst()
                .orElse(null);
    }

    private static double seconds(long ticks) {
        return ticks / (double) Ticks.PER_SECOND;
    }

    private static String leaderClock(StatusReply status) {
        double ahead = seconds(status.getLeaderAheadTicks());
        return ahead == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "The clock of master %s, the leader, is %.1f s %s those of most servers: correct it.\n",
                        status.getSelf(),
                        Math.abs(ahead),
                        ahead > 0 ? "ahead of" : "behind");
    }

    static String leader(StatusReply status) {
        TextTable table = new TextTable("MASTER", "ADDRESS", "ROLE");
        for (MasterPeer peer : status.getPeersList()) {
            table.row(peer.getId(), peer.getAddress(), peer.getRole().isEmpty() ? "UNKNOWN" : peer.getRole());
        }
        StringBuilder text = new StringBuilder(table.text());
        text.append("map version ").append(status.getMap().getVersion()).append('\n');
        text.append("feature level ").append(level(status));
        if (status.getHeldBackByCount() > 0) {
            text.append("; level ").append(status.getNextLevel()).append(" is held back:");
            status.getHeldBackByList().forEach(why -> text.append("\n  ").append(why));
        }
        text.append('\n');
        for (PendingDrop drop : status.getDropsList()) {
            text.append("deleting table ")
                    .append(drop.getAccount())
                    .append('/')
                    .append(drop.getName())
                    .append(" (id ")
                    .append(drop.getTable())
                    .append(")\n");
        }
        return text.toString();
    }

    private static int level(StatusReply status) {
        return Math.max(1, status.getLevel());
    }

    /** The members, and what they would withstand. */
    static String masters(StatusReply status) {
        TextTable table = new TextTable("MASTER", "ADDRESS", "RAFT", "ROLE", "BEHIND", "MEMBER");
        int members = 0;
        int silent = 0;
        for (MasterPeer peer : status.getPeersList()) {
            boolean isMember = !peer.getRole().equals("JOINING");
            members += isMember ? 1 : 0;
            silent += isMember && peer.getRole().equals("UNKNOWN") ? 1 : 0;
            table.row(
                    peer.getId(),
                    peer.getAddress(),
                    peer.getRaft(),
                    peer.getRole(),
                    peer.getBehind() < 0 ? "-" : String.valueOf(peer.getBehind()),
                    peer.getMember());
        }
        return table.text() + members + (members == 1 ? " member" : " members")
                + (silent == 0 ? "" : ", of which " + silent + " cannot be reached")
                + "; " + withstands(members, (members - 1) / 2 - silent) + "\n";
    }

    /** @param spare members that may fail before no majority is left; negative if none is */
    private static String withstands(int members, int spare) {
        if (spare < 0) {
            return "the map cannot change until more of them answer";
        }
        String condition = members == 1 ? "it runs" : spare == 0 ? "no other fails" : "no more than " + spare + " fail";
        return "the map can change while " + condition;
    }

    static String rangesJson(StatusReply status) {
        Map<Long, RangeState> states = states(status);
        return Json.document(json -> {
            json.writeNumberField("mapVersion", status.getMap().getVersion());
            Json.objects(json, "ranges", rows(status), row -> {
                RangeState state = states.getOrDefault(row.getId(), RangeState.getDefaultInstance());

                json.writeStringField("id", Row.idText(row.getId()));
                json.writeStringField("start", start(row));
                json.writeStringField("end", end(row));
                tableJson(json, "firstTable", state.hasFirstTable() ? state.getFirstTable() : null);
                tableJson(json, "lastTable", state.hasLastTable() ? state.getLastTable() : null);
                json.writeStringField("owner", row.hasOwner() ? row.getOwner().getServer() : null);
                json.writeStringField("incarnation", row.hasOwner() ? owner(row) : null);
                json.writeStringField("manifest", row.getManifest().isEmpty() ? null : row.getManifest());
                json.writeNumberField("version", row.getVersion());
                json.writeNumberField("epoch", row.getEpoch());
                json.writeStringField("state", state.getState());
                json.writeStringField("handoff", state.getHandoff());
                json.writeNumberField("entitiesPerSecond", Math.round(state.getEntitiesPerSecond()));
                json.writeNumberField("bytes", state.getBytes());
                json.writeStringField("trouble", state.getTrouble());
                Json.strings(json, "damagedFiles", state.getDamagedFilesList());
                RangeText.json(json, state);
            });
            json.writeStringField("namesMissing", status.getNamesMissing());
        });
    }

    private static void tableJson(JsonGenerator json, String field, @Nullable RangeTable table) throws IOException {
        if (table == null) {
            json.writeNullField(field);
            return;
        }
        json.writeObjectFieldStart(field);
        json.writeNumberField("id", table.getId());
        json.writeStringField("account", table.getAccount());
        json.writeStringField("name", table.getName());
        json.writeStringField("state", table.getState());
        json.writeEndObject();
    }

    static String serversJson(StatusReply status) {
        return Json.document(json -> {
            Map<cleave.wire.Incarnation, Share> shares = Share.all(status);
            Json.objects(json, "servers", servers(status.getMap().getServersList()), server -> {
                Share share = shares.getOrDefault(server.getIncarnation(), Share.NONE);

                json.writeStringField("server", server.getIncarnation().getServer());
                json.writeNumberField("incarnation", server.getIncarnation().getNumber());
                json.writeStringField("address", server.getAddress());
                json.writeStringField("state", stateOf(server, share));
                json.writeNumberField("ranges", share.ranges());
                json.writeNumberField("entitiesPerSecond", Math.round(share.entitiesPerSecond()));
                json.writeNumberField("bytes", share.bytes());
                Space space = spaceOf(status, server);
                if (space != null) {
                    json.writeNumberField("freeBytes", space.getFreeBytes());
                    json.writeBooleanField("low", isLow(space));
                }
                ServerClock clock = clockOf(status, server);
                if (clock != null) {
                    json.writeNumberField("clockAheadMillis", clock.getAheadTicks() / Ticks.PER_MILLI);
                    json.writeBooleanField("clockOff", clock.getOff());
                }
                ServerSeen seen = seen(status, server);
                if (seen != null) {
                    json.writeStringField("admin", seen.getAdmin());
                    RangeText.number(json, "cpu", seen.getCpu());
                    json.writeNumberField("silentMillis", seen.getSilentMillis());
                }
            });
            json.writeNumberField("leaderClockAheadMillis", status.getLeaderAheadTicks() / Ticks.PER_MILLI);
        });
    }

    static String leaderJson(StatusReply status) {
        return Json.document(json -> {
            json.writeStringField("leader", status.getLeader());
            json.writeStringField("answeredBy", status.getSelf());
            json.writeNumberField("term", status.getTerm());
            json.writeStringField("admin", status.getAdmin());
            json.writeNumberField("mapVersion", status.getMap().getVersion());
            json.writeNumberField("featureLevel", level(status));
            Json.strings(json, "featureLevelHeldBackBy", status.getHeldBackByList());
            Json.objects(json, "masters", status.getPeersList(), peer -> {
                json.writeStringField("id", peer.getId());
                json.writeStringField("address", peer.getAddress());
                json.writeStringField("role", peer.getRole());
                json.writeStringField("raft", peer.getRaft());
                json.writeStringField("member", peer.getMember());
                json.writeNumberField("behind", peer.getBehind());
            });
            Json.objects(json, "frontEnds", status.getFrontEndsList(), frontEnd -> {
                json.writeStringField("id", frontEnd.getId());
                json.writeStringField("admin", frontEnd.getAdmin());
            });
        });
    }

    /** The ranges of one incarnation, and the load that they report. Immutable. */
    private record Share(int ranges, double entitiesPerSecond, long bytes) {
        private static final Share NONE = new Share(0, 0, 0);

        /** The shares of all incarnations that own anything. */
        static Map<cleave.wire.Incarnation, Share> all(StatusReply status) {
            Map<Long, RangeState> states = states(status);
            Map<cleave.wire.Incarnation, Share> shares = new HashMap<>();
            for (RangeRow row : status.getMap().getRowsList()) {
                if (row.hasOwner()) {
                    RangeState state = states.getOrDefault(row.getId(), RangeState.getDefaultInstance());
                    Share its = new Share(1, state.getEntitiesPerSecond(), state.getBytes());
                    shares.merge(row.getOwner(), its, Share::plus);
                }
            }
            return shares;
        }

        private Share plus(Share other) {
            return new Share(ranges + other.ranges, entitiesPerSecond + other.entitiesPerSecond, bytes + other.bytes);
        }
    }

    private static Map<Long, RangeState> states(StatusReply status) {
        Map<Long, RangeState> states = new TreeMap<>();
        status.getStatesList().forEach(state -> states.put(state.getRange(), state));
        return states;
    }

    private static List<RangeRow> rows(StatusReply status) {
        return status.getMap().getRowsList().stream()
                .sorted(Comparator.comparing((RangeRow row) -> Key.fromWire(row.getStart())))
                .toList();
    }

    private static List<ServerInfo> servers(List<ServerInfo> servers) {
        return servers.stream()
                .sorted(Comparator.comparing((ServerInfo server) -> Incarnation.fromWire(server.getIncarnation())))
                .toList();
    }

    private static String start(RangeRow row) {
        return Key.fromWire(row.getStart()).toString();
    }

    private static String end(RangeRow row) {
        return row.getEnd().isEmpty() ? "-" : Key.fromWire(row.getEnd()).toString();
    }

    private static String owner(RangeRow row) {
        return row.hasOwner() ? Incarnation.fromWire(row.getOwner()).toString() : "-";
    }
}
