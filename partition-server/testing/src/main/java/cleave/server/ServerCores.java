package cleave.server;

import cleave.server.range.Directory;

/** Shows tests and the simulator what a server's core keeps to itself. */
public final class ServerCores {
    private ServerCores() {}

    public static Directory directory(ServerCore core) {
        return core.directory();
    }
}
