package cleave.objects;

import cleave.client.Endpoint;
import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.backup.place.PlaceProvider.Options;
import cleave.deploy.backup.place.Places;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** A server of one kind, for tests that are the same on all kinds. */
public final class TestServers implements Closeable {
    /** Which server. */
    public enum Kind {
        S3,
        AZURITE
    }

    private final Closeable server;
    private final String url;
    private final Options options;

    private TestServers(Closeable server, String url, Options options) {
        this.server = server;
        this.url = url;
        this.options = options;
    }

    /** Aborts the test if there is none of this kind. */
    public static TestServers start(Kind kind, Path folder) throws Exception {
        if (kind == Kind.S3) {
            S3Server server = new S3Server();
            return new TestServers(server, "s3://" + S3Server.BUCKET + "/", server.options(folder));
        }
        AzuriteServer server = AzuriteServer.start(folder.resolve("azurite"));
        return new TestServers(
                server,
                "azblob://" + Endpoint.DEVELOPMENT_ACCOUNT + "/" + AzuriteServer.CONTAINER + "/",
                server.options());
    }

    public String url(String prefix) {
        return url + prefix;
    }

    public Options options() {
        return options;
    }

    /** A place of this prefix, not yet taken. */
    public BackupPlace place(String prefix) throws IOException {
        return Places.open(url(prefix), options);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
