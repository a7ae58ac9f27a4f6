package cleave.objects;

import cleave.objects.StoreFailure.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.Set;
import javax.net.ssl.SSLException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Says what a failure of the AWS SDK means, and what to do. Immutable.
 *
 * @param service what people call the service
 */
record S3Problems(String bucket, String service) {
    private static final Set<String> FULL = Set.of(
            "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "EntityTooLarge", "InsufficientCapacity");
    private static final Set<String> OTHER_REGION =
            Set.of("PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException");
    private static final Set<String> PASSING = Set.of(
            "SlowDown",
            "RequestTimeout",
            "ServiceUnavailable",
            "InternalError",
            "ConditionalRequestConflict",
            "Throttling");
    private static final Set<String> MISSING = Set.of("NoSuchKey", "NoSuchUpload");

    StoreFailure of(SdkException failed) {
        return failed instanceof S3Exception answer ? ofAnswer(answer) : ofClient(failed);
    }

    private StoreFailure ofAnswer(S3Exception answer) {
        String code = answer.awsErrorDetails() == null
                ? ""
                : String.valueOf(answer.awsErrorDetails().errorCode());
        int status = answer.statusCode();
        String told = code + " (" + status + ")";
        if (code.equals("NoSuchBucket")) {
            return refused("there is no bucket " + bucket + " at " + service
                    + ": create it, or correct the URL, or name another service by --endpoint");
        }
        if (MISSING.contains(code) || ((code.isEmpty() || code.equals("null")) && status == 404)) {
            return new StoreFailure(Kind.ABSENT, "there is no such object: " + told);
        }
        if (FULL.contains(code) || status == 507) {
            return refused("the store is full, or a quota is reached: " + told
                    + ". What was copied stays: make room and run the same command again, which continues from there");
        }
        if (PASSING.contains(code) || status == 429 || status == 408 || (status >= 500 && status != 501)) {
            return new StoreFailure(Kind.TRANSIENT, service + " cannot answer now: " + told);
        }
        if (code.equals("NotImplemented") || status == 501) {
            return new StoreFailure(Kind.UNSUPPORTED, service + " has no such operation: " + told);
        }
        if (OTHER_REGION.contains(code) || status == 301 || status == 307) {
            return refused("bucket " + bucket + " is in another region, or at another service than " + service + ": "
                    + told + ". Give --region, or --endpoint");
        }
        if (code.equals("RequestTimeTooSkewed")) {
            return refused("the clock of this machine differs from the store's: " + told + ". Correct it");
        }
        return refused(credentials(code, told));
    }

    private String credentials(String code, String told) {
        return switch (code) {
            case "InvalidAccessKeyId", "UnrecognizedClientException" ->
                service + " does not know the access key: " + told
                        + ". Check AWS_ACCESS_KEY_ID, AWS_PROFILE or --credentials";
            case "SignatureDoesNotMatch" ->
                service + " does not accept the signature: " + told
                        + ". The secret key is wrong (AWS_SECRET_ACCESS_KEY, --credentials), or a proxy changes requests";
            case "ExpiredToken", "TokenRefreshRequired", "InvalidToken" ->
                "the credentials have expired: " + told + ". Fetch new ones";
            case "AccessDenied", "AllAccessDisabled", "Forbidden", "", "null" ->
                service
                        + " denies access to bucket " + bucket + ": " + told
                        + ". A backup needs s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject,"
                        + " s3:AbortMultipartUpload and s3:ListBucketMultipartUploads; verify and restore the first two";
            default -> service + " refuses the request: " + told;
        };
    }

    private StoreFailure ofClient(SdkException failed) {
        String message = String.valueOf(failed.getMessage());
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return new StoreFailure(
                        Kind.UNREACHABLE,
                        "the name " + cause.getMessage() + " does not resolve: check --endpoint and --region;"
                                + " if it begins with the bucket's name, try --path-style");
            }
            if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
                return new StoreFailure(
                        Kind.UNREACHABLE,
                        "nobody answers at " + service + " (" + cause.getMessage() + "): check --endpoint");
            }
            if (cause instanceof SSLException) {
                return refused("TLS with " + service + " fails: " + cause.getMessage()
                        + ". Is --endpoint right, and is its certificate's authority trusted by this JVM?");
            }
            if (cause instanceof IOException) {
                return new StoreFailure(Kind.TRANSIENT, service + " does not answer: " + cause.getMessage());
            }
        }
        if (message.contains("credentials") || message.contains("Profile")) {
            return refused("no credentials are found: give AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE,"
                    + " --credentials FILE, or an identity of the pod or machine");
        }
        return failed.retryable()
                ? new StoreFailure(Kind.TRANSIENT, message)
                : refused(service + " cannot be used: " + message);
    }

    private static StoreFailure refused(String message) {
        return new StoreFailure(Kind.REFUSED, message);
    }
}
