package cleave.objects;

import cleave.client.SharedKey;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Proves to the Blob service who asks. Thread-safe. */
interface BlobCredential {
    /**
     * A request to be proved. Immutable.
     *
     * @param path encoded
     * @param query names and values, not encoded
     * @param headers those that are sent, by their names in lower case; without Content-Length
     * @param length of the body
     */
    record Unsigned(
            String method,
            String path,
            SortedMap<String, String> query,
            SortedMap<String, String> headers,
            int length) {}

    /** Headers to be added. */
    Map<String, String> headers(Unsigned request) throws StoreFailure;

    /** What is added to the query, encoded; may be empty. */
    default String query() {
        return "";
    }

    /** By the key of the account. */
    static BlobCredential ofKey(SharedKey key) {
        return request -> Map.of(
                "Authorization",
                "SharedKey " + key.account() + ":" + key.signature(textToSign(request, key.account())));
    }

    /** By a shared access signature, without a question mark. */
    static BlobCredential ofSignature(String signature) {
        return new BlobCredential() {
            @Override
            public Map<String, String> headers(Unsigned request) {
                return Map.of();
            }

            @Override
            public String query() {
                return signature;
            }
        };
    }

    /** By a token of an identity. */
    static BlobCredential ofToken(AzureToken token) {
        return request -> Map.of("Authorization", "Bearer " + token.text());
    }

    /** The text that is signed, as the Blob service wants it since version 2015-02-21. */
    static String textToSign(Unsigned request, String account) {
        SortedMap<String, String> headers = request.headers();
        StringBuilder text = new StringBuilder(String.join(
                "\n",
                request.method(),
                "",
                "",
                request.length() == 0 ? "" : Integer.toString(request.length()),
                headers.getOrDefault("content-md5", ""),
                headers.getOrDefault("content-type", ""),
                "",
                "",
                "",
                headers.getOrDefault("if-none-match", ""),
                "",
                "",
                ""));
        headers.forEach((name, value) -> {
            if (name.startsWith("x-ms-")) {
                text.append(name).append(':').append(value).append('\n');
            }
        });
        text.append('/').append(account).append(request.path());
        new TreeMap<>(request.query())
                .forEach((name, value) ->
                        text.append('\n').append(name).append(':').append(value));
        return text.toString();
    }
}
