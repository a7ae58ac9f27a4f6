package cleave.master.rpc;

import cleave.master.core.MasterCore;
import io.grpc.BindableService;

/** The gRPC services of a master. Stateless. */
public final class MasterServices {
    private MasterServices() {}

    public static BindableService[] of(MasterCore core, MapFeed feed) {
        return new BindableService[] {
            new MasterService(core.master(), core.membership()),
            new WatchService(feed),
            new AdminService(core.master(), core.membership()),
            new GroupService(core.founding(), core.joining(), core.master().operator())
        };
    }
}
