package cleave.deploy.links;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.ratis.thirdparty.io.grpc.EquivalentAddressGroup;
import org.apache.ratis.thirdparty.io.grpc.NameResolver;
import org.apache.ratis.thirdparty.io.grpc.NameResolverProvider;
import org.apache.ratis.thirdparty.io.grpc.NameResolverRegistry;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.StatusOr;

/** The same as {@link LinkNames} for the gRPC that Ratis carries with it, under other names of packages. Thread-safe. */
final class RaftLinkNames extends NameResolverProvider {
    private static final String SCHEME = "links";
    private static final String DNS = "dns";
    private static final int BEFORE_DNS = 9;

    private final Links links;

    private RaftLinkNames(Links links) {
        this.links = links;
    }

    /** From now on all channels of this process that are made to a bare {@code host:port} ask here. */
    static void install(Links links) {
        NameResolverRegistry.getDefaultRegistry().register(new RaftLinkNames(links));
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
        String address = target.getPath().substring(1);
        return links.has(address)
                ? new ByLink(links, address)
                : NameResolverRegistry.getDefaultRegistry()
                        .getProviderForScheme(DNS)
                        .newNameResolver(URI.create(DNS + ":///" + address), args);
    }

    /** One address that never changes. Confined to its channel. */
    private static final class ByLink extends NameResolver {
        private final Links links;
        private final String address;

        ByLink(Links links, String address) {
            this.links = links;
            this.address = address;
        }

        @Override
        public String getServiceAuthority() {
            return address;
        }

        @Override
        public void start(Listener2 listener) {
            listener.onResult(
                    ResolutionResult.newBuilder().setAddressesOrError(found()).build());
        }

        private StatusOr<List<EquivalentAddressGroup>> found() {
            try {
                return StatusOr.fromValue(List.of(new EquivalentAddressGroup(links.via(address))));
            } catch (IOException noPort) {
                return StatusOr.fromStatus(
                        Status.UNAVAILABLE.withDescription(noPort.getMessage()).withCause(noPort));
            }
        }

        @Override
        public void shutdown() {}
    }

    @Override
    public String getDefaultScheme() {
        return SCHEME;
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        return BEFORE_DNS;
    }
}
