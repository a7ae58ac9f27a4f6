package cleave.deploy.kubernetes;

import cleave.deploy.role.AdminServer;
import cleave.deploy.role.ListenAddress;
import cleave.model.Readiness;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.List;

/** The paths that the admin port answers, by asking one. */
record AdminPaths(AdminServer server) implements AutoCloseable {
    static AdminPaths start() {
        return new AdminPaths(AdminServer.start(
                new ListenAddress("127.0.0.1", 0),
                new CollectorRegistry(),
                () -> Readiness.missing("a test"),
                List::of));
    }

    boolean exists(String path) {
        try {
            HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + server.port() + path)
                    .toURL()
                    .openConnection();
            return connection.getResponseCode() != HttpURLConnection.HTTP_NOT_FOUND;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
