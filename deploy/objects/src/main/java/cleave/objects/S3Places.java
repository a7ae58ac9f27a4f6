package cleave.objects;

import cleave.deploy.CommandFailure;
import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.backup.place.PlaceProvider;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Opens places in S3, or in a store that speaks its protocol. Stateless. */
public final class S3Places implements PlaceProvider {
    private static final String FORM = "s3://BUCKET/PREFIX";
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofSeconds(60);
    private static final String NO_CREDENTIALS_FILE = "--credentials: there is no file ";

    @Override
    public String scheme() {
        return "s3";
    }

    @Override
    public String form() {
        return FORM;
    }

    @Override
    public BackupPlace open(String url, Options options) {
        StoreUrl place = StoreUrl.parse(url, FORM, 1);
        return new ObjectPlace(place.text(), place.prefix(), store(place.names().get(0), options));
    }

    /** The bucket, without a request to it. */
    static ObjectStore store(String bucket, Options options) {
        URI endpoint = StoreUrl.endpoint(options.endpoint());
        String region = region(options, endpoint != null || isEndpointOfEnvironment());
        S3ClientBuilder client = S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT)
                        .socketTimeout(SILENCE))
                .credentialsProvider(credentials(options.credentials()))
                .region(Region.of(region))
                .forcePathStyle(options.isPathStyle())
                // Content-MD5, which every store knows, is sent instead of checksums that only some do.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .overrideConfiguration(settings -> settings.retryStrategy(AwsRetryStrategy.doNotRetry()));
        if (endpoint != null) {
            client.endpointOverride(endpoint);
        }
        return new S3Store(client.build(), bucket, endpoint == null ? "S3 in " + region : endpoint.toString());
    }

    private static boolean isEndpointOfEnvironment() {
        return System.getenv("AWS_ENDPOINT_URL_S3") != null || System.getenv("AWS_ENDPOINT_URL") != null;
    }

    /** Where an endpoint is given, a machine of Amazon's is not asked for its region. */
    private static String region(Options options, boolean isElsewhere) {
        if (options.region() != null) {
            return options.region();
        }
        String named = System.getenv("AWS_REGION");
        if (named != null && !named.isEmpty()) {
            return named;
        }
        if (isElsewhere) {
            return Region.US_EAST_1.id();
        }
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion().id();
        } catch (SdkClientException unknown) {
            return Region.US_EAST_1.id();
        }
    }

    private static AwsCredentialsProvider credentials(@Nullable Path file) {
        if (file == null) {
            return DefaultCredentialsProvider.builder().build();
        }
        if (!Files.isReadable(file)) {
            throw CommandFailure.usage(NO_CREDENTIALS_FILE + file + ", or it cannot be read");
        }
        return ProfileCredentialsProvider.builder()
                .profileFile(ProfileFile.builder()
                        .content(file)
                        .type(ProfileFile.Type.CREDENTIALS)
                        .build())
                .build();
    }
}
