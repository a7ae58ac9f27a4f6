package cleave.objects;

import cleave.deploy.backup.place.PlaceProvider.Options;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStoreContext;

/** A server of S3 in this JVM, which checks signatures, with one bucket in memory. */
final class S3Server implements Closeable {
    static final String BUCKET = "backups";
    private static final String KEY = "access";
    private static final String SECRET = "secret-of-the-test";

    private final BlobStoreContext context =
            ContextBuilder.newBuilder("transient").overrides(new Properties()).build(BlobStoreContext.class);
    private final S3Proxy server;

    S3Server() throws Exception {
        context.getBlobStore().createContainerInLocation(null, BUCKET);
        server = S3Proxy.builder()
                .blobStore(context.getBlobStore())
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V4, KEY, SECRET)
                .build();
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getPort();
    }

    /** How it is reached, with a file of credentials in this folder. */
    Options options(Path folder) throws IOException {
        return options(folder, endpoint(), SECRET);
    }

    static Options options(Path folder, String endpoint, String secret) throws IOException {
        Path file = Files.writeString(
                Files.createTempFile(folder, "credentials", ""),
                "[default]\naws_access_key_id = " + KEY + "\naws_secret_access_key = " + secret + "\n");
        return new Options(endpoint, "us-east-1", true, file);
    }

    @Override
    public void close() throws IOException {
        try {
            server.stop();
        } catch (Exception failed) { // It declares no narrower one.
            throw new IOException(failed);
        } finally {
            context.close();
        }
    }
}
