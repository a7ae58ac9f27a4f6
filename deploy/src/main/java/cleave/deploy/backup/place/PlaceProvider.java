package cleave.deploy.backup.place;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens places of one kind of object store. Found by {@link java.util.ServiceLoader}. Stateless. */
public interface PlaceProvider {
    /** What its URLs begin with: {@code s3} for {@code s3://BUCKET/PREFIX}. */
    String scheme();

    /** What its URLs look like, for a message. */
    String form();

    /**
     * Opens the place of a URL, which need not exist, without a request. CommandFailure if the URL or an option is wrong, or there are no
     * credentials.
     */
    BackupPlace open(String url, Options options);

    /**
     * How the store is reached; what is null is taken from the environment. Immutable.
     *
     * @param endpoint the URL of the service
     * @param credentials a file that holds them
     */
    record Options(
            @Nullable String endpoint,
            @Nullable String region,
            boolean isPathStyle,
            @Nullable Path credentials) {
        public static final Options NONE = new Options(null, null, false, null);

        boolean isGiven() {
            return !equals(NONE);
        }
    }
}
