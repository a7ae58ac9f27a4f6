package cleave.server;

import cleave.route.MapView;
import cleave.runtime.loop.EventLoop;
import cleave.server.membership.Membership;
import cleave.server.range.AccountShares;
import cleave.server.range.Directory;
import cleave.server.rpc.MapWatchService;
import cleave.server.rpc.RangesService;
import io.grpc.BindableService;
import org.jspecify.annotations.Nullable;

/**
 * The core of one partition server, wired: the process, the simulator and the tests differ only in what they give it from outside.
 * Thread-safe.
 */
public final class ServerCore {
    private final EventLoop loop;
    private final Directory directory = new Directory();
    private final AccountShares memory;
    private final Membership membership;
    private volatile @Nullable RangesService ranges;

    private ServerCore(EventLoop loop, Membership.Self self, Membership.Outside outside) {
        this.loop = loop;
        this.memory = AccountShares.ofMemory(self.ranges().serverBytes(), outside.metrics());
        this.membership = new Membership(loop, self, outside, directory, memory);
    }

    /** @param loop the membership's; ranges run in the loops of {@code outside} */
    public static ServerCore of(EventLoop loop, Membership.Self self, Membership.Outside outside) {
        return new ServerCore(loop, self, outside);
    }

    public Membership membership() {
        return membership;
    }

    Directory directory() {
        return directory;
    }

    AccountShares memory() {
        return memory;
    }

    /** The services that it serves. */
    public BindableService[] services(MapView map) {
        RangesService made = new RangesService(directory, map, membership, memory);
        ranges = made;
        return new BindableService[] {made, new MapWatchService(loop, map)};
    }

    /** Executes no more requests that come on streams, and ends the streams when all is answered. */
    void leave() {
        RangesService serving = ranges;
        if (serving != null) {
            serving.leave();
        }
    }
}
