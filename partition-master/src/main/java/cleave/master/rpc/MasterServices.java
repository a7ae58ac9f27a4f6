package cleave.master.rpc;

import cleave.master.core.MasterCore;
import cleave.runtime.rpc.Callers;
import io.grpc.BindableService;

/** The gRPC services of a master. Stateless. */
public final class MasterServices {
    private MasterServices() {}

    /** @param admin where the process serves its metrics; empty if it does not */
    public static BindableService[] of(MasterCore core, MapFeed feed, String admin) {
        return new BindableService[] {
            new MasterService(core.master(), core.membership()),
            new WatchService(feed),
            Callers.of(new AdminService(
                    core.master(), core.membership(), () -> new AdminService.Told(admin, feed.frontEnds()))),
            Callers.of(new GroupService(
                    core.founding(), core.joining(), core.master().operator()))
        };
    }
}
