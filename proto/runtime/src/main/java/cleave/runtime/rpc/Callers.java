package cleave.runtime.rpc;

import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Who calls a service: its certificate, or else where it calls from, and who it says it is. Thread-safe. */
public final class Callers {
    private static final Metadata.Key<String> OPERATOR =
            Metadata.Key.of("cleave-operator", Metadata.ASCII_STRING_MARSHALLER);
    private static final Context.Key<Caller> CALLER = Context.key("cleave-caller");

    private Callers() {}

    /** The caller of the call that is being executed, of a service {@linkplain #of known to know it}; else one of this process. */
    public static Caller current() {
        Caller caller = CALLER.get();
        return caller == null ? Caller.without(true, "") : caller;
    }

    /** The same service, which can ask for its {@link #current} caller. */
    public static BindableService of(BindableService service) {
        return () -> ServerInterceptors.intercept(service, new Reader());
    }

    /** Reads who calls. */
    private static final class Reader implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            Context context = Context.current().withValue(CALLER, caller(call, headers.get(OPERATOR)));
            return Contexts.interceptCall(context, call, headers, next);
        }
    }

    private static Caller caller(ServerCall<?, ?> call, @Nullable String said) {
        String told = said == null ? "" : said;
        SSLSession tls = call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        try {
            if (tls != null && tls.getPeerCertificates()[0] instanceof X509Certificate own) {
                return Caller.of(own, told);
            }
        } catch (SSLPeerUnverifiedException unverified) {
            return Caller.without(false, told);
        }
        SocketAddress from = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        boolean isOther = from instanceof InetSocketAddress address
                && (address.isUnresolved() || !address.getAddress().isLoopbackAddress());
        return Caller.without(!isOther, told);
    }

    /** Says with each call who calls, unless that is empty. */
    static ClientInterceptor saying(Supplier<String> operator) {
        return new ClientInterceptor() {
            @Override
            public <Q, A> ClientCall<Q, A> interceptCall(
                    MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
                String told = Caller.without(true, operator.get()).told();
                return told.isEmpty()
                        ? next.newCall(method, options)
                        : new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                            @Override
                            public void start(Listener<A> listener, Metadata headers) {
                                headers.put(OPERATOR, told);
                                super.start(listener, headers);
                            }
                        };
            }
        };
    }
}
