package cleave.chaos.load.profile;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a process, known by the names of its classes. */
enum Part {
    CLEAVE("cleave.*", "cleave."),
    GRPC("gRPC, HTTP/2", "io.grpc.", "io.netty.handler.codec.http2.", "io.perfmark."),
    HTTP("HTTP/1.1 codec", "io.netty.handler.codec."),
    NETTY("Netty channels, epoll, buffers", "io.netty."),
    VERTX("Vert.x", "io.vertx."),
    PROTOBUF("protobuf", "com.google.protobuf."),
    ROCKSDB("RocksDB", "org.rocksdb."),
    RAFT("Raft", "org.apache.ratis."),
    OTHER("none of these");

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // It is a List.of.
    private final List<String> prefixes;

    Part(String title, String... prefixes) {
        this.title = title;
        this.prefixes = List.of(prefixes);
    }

    String title() {
        return title;
    }

    /** Of the first whose prefix fits; null for the Java library and what no part knows. */
    static @Nullable Part of(String frame) {
        for (Part part : values()) {
            if (part.prefixes.stream().anyMatch(frame::startsWith)) {
                return part;
            }
        }
        return null;
    }
}
