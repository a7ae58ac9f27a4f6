package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings.BadSetting;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedDfsTest {
    @TempDir
    private Path dir;

    private SharedDfs shared() {
        return new SharedDfs("file:" + dir, 0);
    }

    @Test
    void allRolesOfAProcessGetTheSameClient() {
        SharedDfs shared = shared();
        CollectorRegistry registry = new CollectorRegistry();
        Dfs one = shared.take(registry, Transport.PLAIN);
        assertThat(shared.take(registry, Transport.PLAIN)).isSameAs(one);
        shared.giveBack();
        shared.giveBack();
    }

    @Test
    void itStaysOpenUntilTheLastHasGivenItBack() {
        SharedDfs shared = shared();
        CollectorRegistry registry = new CollectorRegistry();
        Dfs dfs = shared.take(registry, Transport.PLAIN);
        shared.take(registry, Transport.PLAIN);
        shared.giveBack();
        assertThat(dfs.list("").join()).isEmpty();
        shared.giveBack();
        SharedDfs next = shared();
        assertThat(next.take(new CollectorRegistry(), Transport.PLAIN)).isNotSameAs(dfs);
        next.giveBack();
    }

    @Test
    void afterTheLastItIsOpenedAnew() {
        SharedDfs shared = shared();
        Dfs before = shared.take(new CollectorRegistry(), Transport.PLAIN);
        shared.giveBack();
        Dfs after = shared.take(new CollectorRegistry(), Transport.PLAIN);
        assertThat(after).isNotSameAs(before);
        assertThat(after.list("").join()).isEmpty();
        shared.giveBack();
    }

    @Test
    void anAddressOfNoKnownKindIsAWrongSetting() {
        SharedDfs wrong = new SharedDfs("ftp:somewhere", 0);
        assertThatThrownBy(() -> wrong.take(new CollectorRegistry(), Transport.PLAIN))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("ftp:somewhere");
    }
}
