package cleave.runtime.rpc;

import cleave.model.FeatureLevels;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Sends the feature levels of the caller with each call, and refuses calls that share no level with this process. Immutable. Most peers have
 * the same version, so the text is compared before it is parsed.
 */
final class LevelHandshake implements ClientInterceptor, ServerInterceptor {
    static final LevelHandshake OF_THIS_VERSION = new LevelHandshake(FeatureLevels.SUPPORTED);

    private static final Metadata.Key<String> LEVELS =
            Metadata.Key.of("cleave-levels", Metadata.ASCII_STRING_MARSHALLER);

    private final FeatureLevels own;
    private final String text;

    LevelHandshake(FeatureLevels own) {
        this.own = own;
        this.text = own.min() + "-" + own.max();
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                headers.put(LEVELS, text);
                super.start(listener, headers);
            }
        };
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String told = headers.get(LEVELS);
        String mismatch = text.equals(told) ? null : mismatch(told);
        if (mismatch == null) {
            return next.startCall(call, headers);
        }
        call.close(Status.FAILED_PRECONDITION.withDescription(mismatch), new Metadata());
        return new ServerCall.Listener<>() {};
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
