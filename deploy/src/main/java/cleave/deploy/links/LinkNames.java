package cleave.deploy.links;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** The names of gRPC's targets: of a process of this cluster, this process' end of the link to it; of all others, what DNS says. Thread-safe. */
final class LinkNames extends NameResolverProvider {
    private static final String SCHEME = "links";
    private static final String DNS = "dns";
    private static final int BEFORE_DNS = 9;

    private final Links links;

    private LinkNames(Links links) {
        this.links = links;
    }

    /** From now on all channels of this process that are made to a bare {@code host:port} ask here. */
    static void install(Links links) {
        NameResolverRegistry.getDefaultRegistry().register(new LinkNames(links));
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
