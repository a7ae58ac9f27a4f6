package cleave.chaos.conformance.golden;

import java.io.IOException;
import java.net.Socket;

/** The server as one scene meets it. Confined to that scene. */
interface Stage {
    /** A connection for one exchange, by TLS if the scene is to be played over it. */
    Socket connect() throws IOException;

    /** What the scene begins with is there; its first exchange is to come. */
    default void prepared() {}
}
