package cleave.master.servers;

import cleave.wire.HeartbeatReply;

/** Sends replies on a server's heartbeat stream. Called from the master loop. */
public interface HeartbeatSink {
    /** May be dropped if the receiver is slow, since the next heartbeat's reply repeats the orders. */
    void send(HeartbeatReply reply);

    void close();
}
