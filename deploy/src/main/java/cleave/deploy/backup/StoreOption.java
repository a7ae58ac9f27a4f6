package cleave.deploy.backup;

import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.backup.place.PlaceProvider;
import cleave.deploy.backup.place.Places;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how an object store is reached. Confined to the command's thread. */
final class StoreOption {
    /** The forms of the place of backups, for the description of a parameter. */
    static final String FORMS = "a folder, file:/some/folder, s3://BUCKET/PREFIX, or azblob://ACCOUNT/CONTAINER/PREFIX";

    /** What {@code --help} says of credentials. */
    static final String CREDENTIALS =
            "The credentials of an object store come from --credentials, or the environment, or the identity of the pod or machine. Of S3:"
                    + " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, and whatever else the AWS SDK finds; AWS_REGION and"
                    + " AWS_ENDPOINT_URL_S3 too. Of Azure: AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, a workload"
                    + " identity (AZURE_FEDERATED_TOKEN_FILE), or the managed identity (of several, AZURE_CLIENT_ID).";

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "of the object store, unless it is Amazon's or Azure's own: https://minio:9000,"
                    + " http://127.0.0.1:10000/devstoreaccount1")
    private @Nullable String endpoint;

    @Option(names = "--region", paramLabel = "NAME", description = "of the bucket (default: AWS_REGION, or us-east-1)")
    private @Nullable String region;

    @Option(
            names = "--path-style",
            arity = "0..1",
            fallbackValue = "true",
            hideParamSyntax = true,
            description =
                    "name the bucket in the path, and not in the host's name, as most stores other than Amazon's need")
    private boolean isPathStyle;

    @Option(
            names = "--credentials",
            paramLabel = "FILE",
            description = "of S3: a file of profiles, as ~/.aws/credentials; of Azure: a connection string")
    private @Nullable Path credentials;

    /** The place that a text names, not yet taken. CommandFailure if it names none. */
    BackupPlace place(String text) {
        return Places.open(text, new PlaceProvider.Options(given(endpoint), given(region), isPathStyle, credentials));
    }

    /** An empty text gives nothing, so that manifests can name the option in any case. */
    private static @Nullable String given(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }
}
