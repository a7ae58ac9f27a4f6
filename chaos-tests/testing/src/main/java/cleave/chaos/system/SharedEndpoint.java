package cleave.chaos.system;

import cleave.client.Endpoint;
import java.net.URI;
import java.util.Optional;

/** An endpoint given from outside, for running a contract against something else. */
final class SharedEndpoint {
    private static final String PROPERTY = "cleave.test.endpoint";

    private SharedEndpoint() {}

    /** The endpoint of {@code -Dcleave.test.endpoint=http://127.0.0.1:10002/devstoreaccount1}, if one is given. */
    static Optional<Endpoint> given() {
        return Optional.ofNullable(System.getProperty(PROPERTY))
                .map(URI::create)
                .map(Endpoint::development);
    }
}
