package cleave.objects;

import java.io.ByteArrayInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** A bucket of S3, by the AWS SDK. Thread-safe. */
final class S3Store implements ObjectStore {
    private static final int PRECONDITION_FAILED = 412;
    private static final String TYPE = "application/octet-stream";

    private final S3Client client;
    private final String bucket;
    private final S3Problems problems;

    /** @param service what people call the service */
    S3Store(S3Client client, String bucket, String service) {
        this.client = client;
        this.bucket = bucket;
        this.problems = new S3Problems(bucket, service);
    }

    private <T> T ask(Supplier<T> request) throws StoreFailure {
        try {
            return request.get();
        } catch (SdkException failed) {
            throw problems.of(failed);
        }
    }

    @Override
    public Page top(String prefix, @Nullable String from) throws StoreFailure {
        return page(request -> request.prefix(prefix).delimiter("/").continuationToken(from));
    }

    @Override
    public Page below(String prefix, @Nullable String from) throws StoreFailure {
        return page(request -> request.prefix(prefix).continuationToken(from));
    }

    private Page page(Consumer<ListObjectsV2Request.Builder> which) throws StoreFailure {
        ListObjectsV2Response answer = ask(() -> client.listObjectsV2(request -> {
            request.bucket(bucket);
            which.accept(request);
        }));
        TreeMap<String, Long> objects = new TreeMap<>();
        answer.contents().forEach(each -> objects.put(each.key(), each.size()));
        TreeSet<String> folders = new TreeSet<>();
        answer.commonPrefixes().forEach(each -> folders.add(each.prefix().replaceAll("/$", "")));
        return new Page(
                objects, folders, Boolean.TRUE.equals(answer.isTruncated()) ? answer.nextContinuationToken() : null);
    }

    @Override
    public long length(String name) throws StoreFailure {
        try {
            return ask(() -> client.headObject(request -> request.bucket(bucket).key(name)))
                    .contentLength();
        } catch (StoreFailure failed) {
            if (failed.kind() == StoreFailure.Kind.ABSENT) {
                return -1;
            }
            throw failed;
        }
    }

    @Override
    public byte[] read(String name, long from, int length) throws StoreFailure {
        byte[] bytes = ask(() -> client.getObject(
                        request -> request.bucket(bucket).key(name).range("bytes=" + from + "-" + (from + length - 1)),
                        ResponseTransformer.toBytes()))
                .asByteArrayUnsafe();
        if (bytes.length != length) {
            throw new StoreFailure(
                    StoreFailure.Kind.TRANSIENT, name + ": " + bytes.length + " bytes came instead of " + length);
        }
        return bytes;
    }

    @Override
    public void put(String name, byte[] bytes) throws StoreFailure {
        ask(() -> {
            send(bytes, request -> request.key(name));
            return true;
        });
    }

    @Override
    public boolean create(String name, byte[] bytes) throws StoreFailure {
        return ask(() -> {
            try {
                send(bytes, request -> request.key(name).ifNoneMatch("*"));
                return true;
            } catch (S3Exception failed) {
                if (failed.statusCode() == PRECONDITION_FAILED) {
                    return false;
                }
                throw failed;
            }
        });
    }

    private void send(byte[] bytes, Consumer<PutObjectRequest.Builder> how) {
        client.putObject(
                request -> {
                    request.bucket(bucket).contentType(TYPE).contentMD5(md5(bytes, bytes.length));
                    how.accept(request);
                },
                body(bytes, bytes.length));
    }

    /** Not a copy of the bytes. */
    private static RequestBody body(byte[] bytes, int length) {
        return RequestBody.fromContentProvider(() -> new ByteArrayInputStream(bytes, 0, length), length, TYPE);
    }

    private static String md5(byte[] bytes, int length) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            digest.update(bytes, 0, length);
            return Base64.getEncoder().encodeToString(digest.digest());
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has MD5", missing);
        }
    }

    @Override
    public String begin(String name) throws StoreFailure {
        return ask(() -> client.createMultipartUpload(
                        request -> request.bucket(bucket).key(name).contentType(TYPE)))
                .uploadId();
    }

    @Override
    public String part(String name, String upload, int number, byte[] bytes, int length) throws StoreFailure {
        return ask(() -> client.uploadPart(
                        request -> request.bucket(bucket)
                                .key(name)
                                .uploadId(upload)
                                .partNumber(number)
                                .contentLength((long) length)
                                .contentMD5(md5(bytes, length)),
                        body(bytes, length)))
                .eTag();
    }

    @Override
    public void complete(String name, String upload, List<String> parts) throws StoreFailure {
        List<CompletedPart> all = new ArrayList<>();
        for (String tag : parts) {
            int number = all.size() + 1;
            all.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
        }
        ask(() -> client.completeMultipartUpload(
                request -> request.bucket(bucket).key(name).uploadId(upload).multipartUpload(made -> made.parts(all))));
    }

    @Override
    public void abort(String name, String upload) throws StoreFailure {
        try {
            ask(() -> client.abortMultipartUpload(
                    request -> request.bucket(bucket).key(name).uploadId(upload)));
        } catch (StoreFailure failed) {
            if (failed.kind() != StoreFailure.Kind.ABSENT) {
                throw failed;
            }
        }
    }

    @Override
    public List<Unfinished> unfinished(String prefix) throws StoreFailure {
        return ask(() -> client.listMultipartUploads(
                        request -> request.bucket(bucket).prefix(prefix)))
                .uploads()
                .stream()
                .map(each -> new Unfinished(each.key(), each.uploadId()))
                .toList();
    }

    @Override
    public void delete(String name) throws StoreFailure {
        ask(() -> client.deleteObject(request -> request.bucket(bucket).key(name)));
    }

    @Override
    public void close() {
        client.close();
    }
}
