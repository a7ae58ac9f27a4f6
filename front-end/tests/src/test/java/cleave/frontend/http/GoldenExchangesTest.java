package cleave.frontend.http;

import cleave.exchanges.GoldenContract;
import cleave.exchanges.Scene;
import cleave.exchanges.Stage;
import cleave.exchanges.TokenIssuer;
import cleave.frontend.core.FakeCluster;
import cleave.frontend.core.FakeMaster;
import cleave.frontend.core.FrontEndCore;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.IssuerOfTests;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.settings.FrontEndConfig;
import cleave.frontend.throttle.AccountThrottle;
import cleave.model.Key;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.runtime.loop.ManualLoop;
import cleave.runtime.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * The exchanges against a front end's core on a manual loop, before a fake cluster in which the registry and the partitions of
 * single tables are divided among ranges.
 */
class GoldenExchangesTest extends GoldenContract {
    private static final int REGISTRY_RANGES = 4;

    private final ManualLoop loop = new ManualLoop();
    private final FakeCluster cluster = new FakeCluster();
    private final FrontEndCore core;

    GoldenExchangesTest() throws IOException {
        super(Path.of("..", "testing", "exchanges"));
        List<String> accounts = List.copyOf(Scene.accountsOf(scenes()));
        for (int i = 1; i < REGISTRY_RANGES; i++) {
            cluster.splitAt(Key.beforePartition(Registry.TABLE, accounts.get(accounts.size() * i / REGISTRY_RANGES)));
        }
        cluster.publish();
        core = core(Accounts.parse(Scene.accountsFile(scenes())));
    }

    private FrontEndCore core(Accounts accounts) {
        FrontEndConfig config = FrontEndConfig.from(new Settings(Map.of(
                "masters", "m:1",
                "front-end.accounts", "accounts",
                "front-end.token-issuers", TokenIssuer.NAME,
                "front-end.token-keys", "keys.json")));
        IssuerOfTests issuer = new IssuerOfTests();
        issuer.publish(TokenIssuer.keys());
        return FrontEndCore.of(
                new FrontEndCore.Outside(
                        loop,
                        cluster,
                        cluster,
                        new FakeMaster(cluster),
                        new Authenticator(
                                () -> accounts, Trace.OFF, config.tokens().rules(), issuer),
                        Trace.OFF,
                        AccountThrottle.OFF,
                        new Random(1),
                        new FrontEndMetrics(new CollectorRegistry())),
                new FrontEndCore.Settings(
                        config.tokens().authorizationUri(), config.hostSuffixes(), config.requests(), Long.MAX_VALUE));
    }

    @Override
    protected boolean plays(Scene scene) {
        return !scene.needsSocket();
    }

    @Override
    protected Stage stage(Scene scene) {
        return new CoreStage(loop, core, scene.isSecure() ? "https" : "http", () -> divide(scene));
    }

    private void divide(Scene scene) {
        scene.splits().forEach((table, partitions) -> {
            byte[] row = Objects.requireNonNull(cluster.get(Registry.key(scene.account(), table)));
            long id =
                    Objects.requireNonNull(Registry.of(EntityCodec.decode(row))).id();
            partitions.forEach(partition -> cluster.splitAt(Key.beforePartition(id, partition)));
        });
        cluster.publish();
    }
}
