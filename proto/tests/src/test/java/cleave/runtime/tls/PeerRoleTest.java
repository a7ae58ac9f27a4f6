package cleave.runtime.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerRoleTest {
    @TempDir
    private Path folder;

    @Test
    void aCertificateIsGoodForTheRolesThatItsUrisName() throws IOException {
        TestAuthority authority = new TestAuthority(Files.createDirectory(folder.resolve("authority")));
        assertThat(PeerRole.of(authority.issue("none").certificate())).isEmpty();
        assertThat(PeerRole.of(authority
                        .issueFor("two", PeerRole.MASTER, PeerRole.FRONT_END)
                        .certificate()))
                .containsExactlyInAnyOrder(PeerRole.MASTER, PeerRole.FRONT_END);
        String others = "dns:localhost,uri:spiffe://a.b/cleave/queen,uri:spiffe://a.b/other/master,"
                + "uri:https://a.b/cleave/master,uri:spiffe://a.b/cleave/master/x,dns:master";
        assertThat(PeerRole.of(authority.issue("others", "EC", others).certificate()))
                .isEmpty();
    }

    @Test
    void aProcessWhoseCertificateIsForAnotherRoleDoesNotStart() throws IOException {
        TestAuthority authority = new TestAuthority(Files.createDirectory(folder.resolve("authority")));
        Path tls = TestAuthority.write(folder.resolve("tls"), authority.issueFor("server", PeerRole.SERVER));
        CredentialsFolder.ofPeer(tls, PeerRole.SERVER, CredentialsFolder.Listener.NONE)
                .close();
        assertThatThrownBy(() -> CredentialsFolder.ofPeer(tls, PeerRole.MASTER, CredentialsFolder.Listener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("tls.crt", "[server]", "spiffe://example.org/cleave/master");
    }

    @Test
    void whereOneOfSeveralRolesIsEnoughTheUsualOneIsNamed() throws IOException {
        TestAuthority authority = new TestAuthority(Files.createDirectory(folder.resolve("authority")));
        List<PeerRole> enough = List.of(PeerRole.ADMIN, PeerRole.VIEWER);
        Path viewer = TestAuthority.write(folder.resolve("viewer"), authority.issueFor("viewer", PeerRole.VIEWER));
        Path server = TestAuthority.write(folder.resolve("server"), authority.issueFor("server", PeerRole.SERVER));
        CredentialsFolder.ofPeer(viewer, enough, CredentialsFolder.Listener.NONE)
                .close();
        assertThatThrownBy(() -> CredentialsFolder.ofPeer(server, enough, CredentialsFolder.Listener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("[server]", "is used by admin", "spiffe://example.org/cleave/admin");
    }

    @Test
    void everyRoleHasAWordOfItsOwn() {
        assertThat(EnumSet.allOf(PeerRole.class).stream().map(PeerRole::word).distinct())
                .hasSize(PeerRole.values().length);
    }
}
