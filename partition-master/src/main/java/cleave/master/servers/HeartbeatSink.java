package cleave.master.servers;

import cleave.wire.HeartbeatReply;

/** The way back on a server's stream. Called from the master loop. */
public interface HeartbeatSink {
    /** May be lost when the receiver is slow: what should be is sent again with the next heartbeat. */
    void send(HeartbeatReply reply);

    void close();
}
