package cleave.deploy.role;

import cleave.deploy.role.RoleProcess.Announcer;
import cleave.runtime.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.util.function.Function;

/** What the commands of all roles have in common: settings first, refused as a whole if one is wrong, then the process. */
final class RoleStart {
    private RoleStart() {}

    /** The configuration is read by the outer function; the inner one makes the role from it, and has no effect before that. */
    static int run(GivenSettings given, Function<Settings, Function<CollectorRegistry, RunningRole>> configure) {
        Settings settings = given.read();
        ListenAddress admin = admin(settings);
        Function<CollectorRegistry, RunningRole> make = configure.apply(settings);
        settings.refuseUnknown();
        given.openLog();
        CollectorRegistry registry = new CollectorRegistry();
        return new RoleProcess(admin, registry, Announcer.NONE).run(() -> make.apply(registry));
    }

    /** The one setting that every role has. */
    static ListenAddress admin(Settings settings) {
        return ListenAddress.parse("admin.listen", settings.text("admin.listen", "127.0.0.1:0"));
    }
}
