package cleave.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.backup.place.PlaceProvider.Options;
import cleave.deploy.backup.place.Places;
import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Places in S3, on a server of it. */
class S3PlaceIT extends PlaceContract {
    private static S3Server server;

    @TempDir
    private Path dir;

    @BeforeAll
    static void start() throws Exception {
        server = new S3Server();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Override
    ObjectStore store() throws Exception {
        return S3Places.store(S3Server.BUCKET, server.options(dir));
    }

    private static CommandFailure failure(String url, Options options) {
        try (BackupPlace place = Places.open(url, options)) {
            return place.failure(Assertions.catchThrowableOfType(IOException.class, place::top));
        }
    }

    @Test
    void itsUrlNamesTheBucketAndThePrefix() throws Exception {
        try (BackupPlace place = Places.open("s3://backups/c/1//", server.options(dir))) {
            assertThat(place).hasToString("s3://backups/c/1");
            place.put("index-1", new byte[1]);
        }
        try (BackupPlace place = Places.open("s3://backups/c", server.options(dir))) {
            assertThat(place.top()).containsExactly("1");
        }
        for (String wrong :
                new String[] {"s3://", "s3:///c", "s3://Bucket/c", "s3://b/c", "s3://backups/a/../c", "s3://backups/a?b"
                }) {
            assertThatThrownBy(() -> Places.open(wrong, Options.NONE))
                    .as(wrong)
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("'" + wrong + "' is not of the form s3://BUCKET/PREFIX: ");
        }
    }

    @Test
    void aBucketThatDoesNotExistIsNamed() throws Exception {
        assertThat(failure("s3://nothing-here/c", server.options(dir)))
                .hasMessage("s3://nothing-here/c: there is no bucket nothing-here at " + server.endpoint()
                        + ": create it, or correct the URL, or name another service by --endpoint");
    }

    @Test
    void wrongCredentialsAreNamed() throws Exception {
        assertThat(failure("s3://backups/c", S3Server.options(dir, server.endpoint(), "wrong")))
                .hasMessageContaining("does not accept the signature: SignatureDoesNotMatch (403)")
                .hasMessageContaining("The secret key is wrong");
        assertThatThrownBy(() -> Places.open("s3://backups/c", new Options(null, null, false, dir.resolve("none"))))
                .hasMessageContaining("--credentials: there is no file " + dir.resolve("none"));
    }

    @Test
    void anAddressWhereNobodyIsIsReportedAtOnce() throws Exception {
        assertThat(failure("s3://backups/c", S3Server.options(dir, "http://nowhere.invalid:9000", "s")))
                .hasMessageContaining("the name nowhere.invalid does not resolve: check --endpoint")
                .satisfies(failed -> assertThat(failed.exitCode()).isEqualTo(ExitCode.UNREACHABLE));
        assertThat(failure("s3://backups/c", S3Server.options(dir, "http://127.0.0.1:1", "s")))
                .hasMessageContaining("nobody answers at http://127.0.0.1:1");
        assertThatThrownBy(() -> Places.open("s3://backups/c", new Options("minio:9000", null, true, null)))
                .hasMessageContaining("--endpoint is 'minio:9000' but must be the URL of a service");
    }
}
