package cleave.chaos.bench.profile;

import java.util.regex.Pattern;

/** A part of a process, known by the names of its classes; the first that fits counts. */
enum Part {
    GRPC(
            "gRPC, HTTP/2",
            "io\\.grpc\\.|io\\.netty\\.handler\\.codec\\.http2\\.|io\\.perfmark\\.|cleave\\.wire\\.\\w+Grpc\\b"),
    PROTOBUF("protobuf", "com\\.google\\.protobuf\\.|cleave\\.wire\\."),
    CLEAVE("cleave.*", "cleave\\."),
    HTTP("HTTP/1.1 codec", "io\\.netty\\.handler\\.codec\\.http\\."),
    NETTY("Netty channels, epoll, buffers", "io\\.netty\\."),
    VERTX("Vert.x", "io\\.vertx\\."),
    ROCKSDB("RocksDB", "org\\.rocksdb\\."),
    RAFT("Raft", "org\\.apache\\.ratis\\."),
    /** The Java library, and what is in no other part. */
    OTHER("none of these", "");

    private final String title;
    private final Pattern beginning;

    Part(String title, String beginning) {
        this.title = title;
        this.beginning = Pattern.compile(beginning);
    }

    String title() {
        return title;
    }

    /** @param frame a class with its package, and the method */
    static Part of(String frame) {
        for (Part part : values()) {
            if (part.beginning.matcher(frame).lookingAt()) {
                return part;
            }
        }
        throw new AssertionError("OTHER fits all, and so " + frame);
    }
}
