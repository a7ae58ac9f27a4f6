package cleave.objects;

import cleave.objects.StoreFailure.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.util.Set;
import javax.net.ssl.SSLException;

/**
 * Says what a failure of the Blob service means, and what to do. Immutable.
 *
 * @param account its address
 */
record BlobProblems(String container, String account) {
    private static final Set<String> FULL = Set.of("InsufficientStorage", "AccountLimitExceeded", "QuotaExceeded");
    private static final Set<String> UNKNOWN =
            Set.of("AuthenticationFailed", "InvalidAuthenticationInfo", "NoAuthenticationInformation");
    private static final Set<String> DENIED = Set.of(
            "AuthorizationFailure",
            "AuthorizationPermissionMismatch",
            "AuthorizationServiceMismatch",
            "AuthorizationResourceTypeMismatch",
            "AuthorizationProtocolMismatch",
            "AuthorizationSourceIPMismatch",
            "InsufficientAccountPermissions",
            "AccountIsDisabled",
            "PublicAccessNotPermitted",
            "KeyBasedAuthenticationNotPermitted");

    /** What the service names as the error; empty if it names none. */
    static String code(HttpResponse<?> answer) {
        return answer.headers().firstValue("x-ms-error-code").orElse("");
    }

    StoreFailure of(HttpResponse<?> answer) {
        String code = code(answer);
        int status = answer.statusCode();
        String told = code + " (" + status + ")";
        if (code.equals("ContainerNotFound") || code.equals("ContainerBeingDeleted")) {
            return refused("there is no container " + container + " at " + account + ": " + told
                    + ". Create it, or correct the URL, or name another service by --endpoint");
        }
        if (status == 404) {
            return new StoreFailure(Kind.ABSENT, "there is no such blob: " + told);
        }
        if (FULL.contains(code) || status == 507) {
            return refused("the store is full, or a quota is reached: " + told
                    + ". What was copied stays: make room and run the same command again, which continues from there");
        }
        if (status == 429 || status == 408 || status >= 500) {
            return new StoreFailure(Kind.TRANSIENT, account + " cannot answer now: " + told);
        }
        if (UNKNOWN.contains(code) || status == 401) {
            return refused(account + " does not accept the credentials: " + told
                    + ". Check the key or signature (AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY,"
                    + " AZURE_STORAGE_SAS_TOKEN, --credentials), its end, and the clock of this machine");
        }
        if (DENIED.contains(code) || status == 403) {
            return refused(account + " denies access to container " + container + ": " + told
                    + ". The key may be wrong. A backup needs to read, write, delete and list blobs (Storage Blob Data Contributor); verify and"
                    + " restore to read and list them (Storage Blob Data Reader)");
        }
        return refused(account + " refuses the request: " + told);
    }

    StoreFailure of(String host, IOException broken) {
        for (Throwable cause = broken; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
                return new StoreFailure(
                        Kind.UNREACHABLE,
                        "the name " + host + " does not resolve: check the account's name, or --endpoint");
            }
            if (cause instanceof SSLException) {
                return refused("TLS with " + account + " fails: " + cause.getMessage()
                        + ". Is --endpoint right, and is its certificate's authority trusted by this JVM?");
            }
        }
        if (broken instanceof ConnectException) {
            return new StoreFailure(Kind.UNREACHABLE, "nobody answers at " + account + ": check --endpoint");
        }
        return new StoreFailure(Kind.TRANSIENT, account + " does not answer: " + broken.getMessage());
    }

    private static StoreFailure refused(String message) {
        return new StoreFailure(Kind.REFUSED, message);
    }
}
