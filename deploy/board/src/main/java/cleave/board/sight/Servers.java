package cleave.board.sight;

import cleave.board.frame.Cells;
import cleave.board.frame.Parties.Server;
import cleave.board.sight.Ranges.Range;
import cleave.model.Ticks;
import cleave.wire.Incarnation;
import cleave.wire.ServerClock;
import cleave.wire.ServerInfo;
import cleave.wire.ServerSeen;
import cleave.wire.ServerSpace;
import cleave.wire.StatusReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The partition servers, in the order of their ids. One that is no longer among the living is shown as dead for ten minutes, so that its
 * lane can be seen to empty. Confined to its owner.
 */
final class Servers {
    /** Several heartbeats. */
    private static final long SILENT_MILLIS = 3000;

    private static final long REMEMBERED_MILLIS = 600_000;

    private final TreeMap<String, Server> known = new TreeMap<>();
    private final Map<String, Long> lastLive = new TreeMap<>();
    private List<Server> now = List.of();

    /** The living ones as a status tells of them, and those that died of late. */
    List<Server> see(StatusReply status, Ranges ranges, long t) {
        Map<Incarnation, ServerSeen> seen = new HashMap<>(); // Asked, never iterated, as those below.
        status.getSeenList().forEach(each -> seen.put(each.getIncarnation(), each));
        Map<Incarnation, Share> shares = shares(ranges);
        known.replaceAll((id, server) -> dead(server));
        for (ServerInfo info : status.getMap().getServersList()) {
            String id = info.getIncarnation().getServer();
            known.put(
                    id,
                    server(
                            status,
                            info,
                            seen.get(info.getIncarnation()),
                            shares.getOrDefault(info.getIncarnation(), new Share())));
            lastLive.put(id, t);
        }
        lastLive.values().removeIf(last -> t - last > REMEMBERED_MILLIS);
        known.keySet().retainAll(lastLive.keySet());
        now = new ArrayList<>(known.values());
        return List.copyOf(now);
    }

    /** What the ranges of one incarnation add up to. */
    private static final class Share {
        private int ranges;
        private double entities;
        private double cpu;
        private long bytes;
    }

    private static Map<Incarnation, Share> shares(Ranges ranges) {
        Map<Incarnation, Share> shares = new HashMap<>();
        for (Range range : ranges.all()) {
            var owner = range.row().owner();
            if (owner != null) {
                Share share = shares.computeIfAbsent(owner.toWire(), none -> new Share());
                share.ranges++;
                share.entities += range.load().getEntitiesPerSecond();
                share.cpu += range.load().getCpu();
                share.bytes += range.load().getBytes();
            }
        }
        return shares;
    }

    private static Server server(StatusReply status, ServerInfo info, @Nullable ServerSeen seen, Share share) {
        Incarnation incarnation = info.getIncarnation();
        ServerSpace space = status.getSpacesList().stream()
                .filter(each -> each.getIncarnation().equals(incarnation))
                .findFirst()
                .orElse(null);
        ServerClock clock = status.getClocksList().stream()
                .filter(each -> each.getIncarnation().equals(incarnation))
                .findFirst()
                .orElse(null);
        boolean isShort = space != null
                && space.getSpace().getFreeBytes() < space.getSpace().getReserveBytes();
        boolean isCutOff = seen != null && !seen.getDfsProblem().isEmpty();
        boolean isAside = isShort || isCutOff || (clock != null && clock.getOff());
        long silent = seen == null ? 0 : seen.getSilentMillis();
        return new Server(
                incarnation.getServer(),
                incarnation.getNumber(),
                info.getAddress(),
                seen == null ? "" : seen.getAdmin(),
                info.getDraining() ? "draining" : silent > SILENT_MILLIS ? "silent" : isAside ? "aside" : "live",
                share.ranges,
                Math.round(share.entities),
                Math.round((seen == null || seen.getCpu() == 0 ? share.cpu : seen.getCpu()) * 1000),
                space == null ? -1 : space.getSpace().getFreeBytes(),
                space == null ? 0 : space.getSpace().getReserveBytes(),
                share.bytes,
                silent,
                clock == null ? 0 : clock.getAheadTicks() / Ticks.PER_MILLI);
    }

    private static Server dead(Server server) {
        return new Server(
                server.id(),
                server.number(),
                server.address(),
                server.admin(),
                "dead",
                0,
                0,
                0,
                -1,
                0,
                0,
                server.silent(),
                0);
    }

    /** The place of a range's owner among those seen last; NOBODY if that is no living server. */
    int ownerOf(Range range) {
        var owner = range.row().owner();
        for (int i = 0; owner != null && i < now.size(); i++) {
            Server server = now.get(i);
            if (server.id().equals(owner.server())
                    && server.number() == owner.number()
                    && !server.state().equals("dead")) {
                return i;
            }
        }
        return Cells.NOBODY;
    }
}
