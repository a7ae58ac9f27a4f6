package cleave.deploy.backup;

import cleave.objects.TestServers;
import org.junit.jupiter.api.Tag;

/** npm installs the server, which takes longer than the tests. */
@Tag("nightly")
class BlobBackupsIT extends ObjectBackupsContract {
    @Override
    TestServers.Kind kind() {
        return TestServers.Kind.AZURITE;
    }
}
