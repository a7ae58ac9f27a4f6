package cleave.deploy.backup;

import cleave.objects.TestServers;

class S3BackupsIT extends ObjectBackupsContract {
    @Override
    TestServers.Kind kind() {
        return TestServers.Kind.S3;
    }
}
