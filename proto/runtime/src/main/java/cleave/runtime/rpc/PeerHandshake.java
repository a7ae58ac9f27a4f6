package cleave.runtime.rpc;

import cleave.model.FeatureLevels;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds the caller's feature levels and, once it knows it, the id of its cluster to each call. A call is refused before it is executed if
 * the two processes share no level, or know that they belong to different clusters. Otherwise an address that leads to a process of another
 * cluster would be answered with that cluster's data. Thread-safe.
 *
 * <p>Nearly all peers say the same, so the texts are compared before they are parsed; HTTP/2 sends them once per connection.
 */
public final class PeerHandshake implements ClientInterceptor, ServerInterceptor {
    private static final Metadata.Key<String> LEVELS =
            Metadata.Key.of("cleave-levels", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> CLUSTER =
            Metadata.Key.of("cleave-cluster", Metadata.ASCII_STRING_MARSHALLER);
    /** The key in the trailers of a call that was refused before it was executed. */
    private static final Metadata.Key<String> REFUSED =
            Metadata.Key.of("cleave-refused", Metadata.ASCII_STRING_MARSHALLER);

    /** Their messages name the cluster, and their answers to a process of another cluster say more than a refusal. */
    private static final Set<String> CLUSTER_IS_IN_THE_MESSAGE = Set.of(
            "cleave.wire.MapWatch/Watch",
            "cleave.wire.Master/Register",
            "cleave.wire.MasterGroup/Join",
            "cleave.wire.MasterGroup/ListMembers");

    private final FeatureLevels own;
    private final String text;
    private final Supplier<String> cluster;
    private final Consumer<String> whenRefused;

    private PeerHandshake(FeatureLevels own, Supplier<String> cluster, Consumer<String> whenRefused) {
        this.own = own;
        this.text = own.min() + "-" + own.max();
        this.cluster = cluster;
        this.whenRefused = whenRefused;
    }

    /**
     * For channels.
     *
     * @param cluster id of this process's cluster; empty while it is unknown. Called for each call, on any thread
     * @param whenRefused gets the reason for which a peer refused a call
     */
    static PeerHandshake ofClient(Supplier<String> cluster, Consumer<String> whenRefused) {
        return new PeerHandshake(FeatureLevels.SUPPORTED, cluster, whenRefused);
    }

    /**
     * For servers.
     *
     * @param cluster as in {@link #ofClient}
     */
    public static PeerHandshake ofServer(FeatureLevels levels, Supplier<String> cluster) {
        return new PeerHandshake(levels, cluster, why -> {});
    }

    /** True if the peer refused the call before it was executed. */
    public static boolean isRefusal(Throwable failure) {
        Metadata trailers = Status.trailersFromThrowable(failure);
        return trailers != null && trailers.containsKey(REFUSED);
    }

    /** Ends a call that was not executed. */
    static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, Status why) {
        Metadata trailers = new Metadata();
        trailers.put(REFUSED, "1");
        call.close(why, trailers);
        return new ServerCall.Listener<>() {};
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                headers.put(LEVELS, text);
                String id = cluster.get();
                if (!id.isEmpty()) {
                    headers.put(CLUSTER, id);
                }
                super.start(new Ending<>(listener), headers);
            }
        };
    }

    /** Notices a refusal. */
    private final class Ending<A> extends SimpleForwardingClientCallListener<A> {
        Ending(ClientCall.Listener<A> listener) {
            super(listener);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (!status.isOk() && trailers.containsKey(REFUSED)) {
                whenRefused.accept(String.valueOf(status.getDescription()));
            }
            super.onClose(status, trailers);
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String toldLevels = headers.get(LEVELS);
        String mismatch = text.equals(toldLevels) ? null : mismatch(toldLevels);
        if (mismatch == null) {
            mismatch = strangeness(headers.get(CLUSTER), call.getMethodDescriptor());
        }
        return mismatch == null
                ? next.startCall(call, headers)
                : refuse(call, Status.FAILED_PRECONDITION.withDescription(mismatch));
    }

    /** Why that caller cannot run beside this process; null if it can. */
    private @Nullable String mismatch(@Nullable String told) {
        FeatureLevels levels = told == null ? FeatureLevels.UNTOLD : read(told);
        if (levels == null) {
            return "the caller says of its feature levels what cannot be read: '" + told + "'";
        }
        return own.overlaps(levels)
                ? null
                : "this process supports " + own + ", its caller " + levels
                        + ": they cannot run beside each other, upgrade by way of a version between";
    }

    /** Why that caller belongs elsewhere; null if it does not, as far as both know. */
    private @Nullable String strangeness(@Nullable String told, MethodDescriptor<?, ?> method) {
        if (told == null) {
            return null;
        }
        String id = cluster.get();
        return id.isEmpty() || id.equals(told) || CLUSTER_IS_IN_THE_MESSAGE.contains(method.getFullMethodName())
                ? null
                : "this process belongs to cluster " + id + ", its caller to cluster " + told
                        + ": correct the address or its name; if one of these clusters has replaced the"
                        + " other, restart the process that still belongs to the old one, this one or the caller";
    }

    private static @Nullable FeatureLevels read(String told) {
        int dash = told.indexOf('-');
        try {
            return new FeatureLevels(
                    Integer.parseInt(told.substring(0, Math.max(0, dash))), Integer.parseInt(told.substring(dash + 1)));
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }
}
