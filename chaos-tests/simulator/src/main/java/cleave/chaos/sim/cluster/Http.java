package cleave.chaos.sim.cluster;

import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.SharedKey;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.AdmittedRequest;
import cleave.model.Ticks;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** HTTP without sockets: carries a client's request to a front end's core and the answer back, or loses it. */
public final class Http {
    private static final long LOOK_NANOS = 300_000_000;
    private static final SharedKey KEY = new SharedKey(Endpoint.DEVELOPMENT_ACCOUNT, Endpoint.DEVELOPMENT_KEY);

    private final World world;
    private final SimCluster cluster;

    Http(SimCluster cluster) {
        this.world = cluster.world();
        this.cluster = cluster;
    }

    /** The outcome of a request. */
    public interface Ending {
        /** The answer; null if there is none. {@code sent} is false if the request has certainly not left. */
        void ended(@Nullable Answer answer, boolean sent);
    }

    void exchange(SimProcess client, String frontEnd, Request request, long patienceNanos, Ending ending) {
        Request signed = request.signed(KEY, Ticks.toInstant(client.clock().ticks()));
        SimRoles.RunningFrontEnd to = cluster.roles().frontEnd(frontEnd);
        if (to == null || world.network().isBlocked(client.node(), frontEnd)) {
            world.after(500_000, () -> ending.ended(null, false));
            return;
        }
        Exchange exchange = new Exchange(client, to, ending, world.now() + patienceNanos);
        long sent = world.now();
        world.after(world.network().delay(client.node(), frontEnd), () -> {
            world.arrived(sent, () -> Message.request(client.node(), frontEnd, signed.method(), ""));
            to.process().run(() -> to.loop().submit(() -> exchange.serve(signed)));
        });
        exchange.look();
    }

    private final class Exchange {
        private final SimProcess client;
        private final SimRoles.RunningFrontEnd to;
        private final Ending ending;
        private final long deadline;
        private boolean ended;

        Exchange(SimProcess client, SimRoles.RunningFrontEnd to, Ending ending, long deadline) {
            this.client = client;
            this.to = to;
            this.ending = ending;
            this.deadline = deadline;
        }

        void serve(Request signed) {
            var head = cleave.frontend.request.Request.of(
                    to.core().requestId(), signed.method(), signed.target(), "http", "10.0.0.1", headers(signed));
            AdmittedRequest admission;
            try {
                admission = to.core().admit(head);
            } catch (ServiceError refusal) {
                answer(to.core().refuse(head, refusal));
                return;
            }
            Consumer<cleave.frontend.request.Answer> answering = this::answer;
            to.core().answer(admission, Body.of(signed.body())).thenAccept(answering);
        }

        private void answer(cleave.frontend.request.Answer answer) {
            Map<String, String> headers = new TreeMap<>();
            answer.headers().forEach(header -> headers.put(header.name().toLowerCase(Locale.ROOT), header.value()));
            Answer copy = new Answer(answer.status(), headers, answer.body().clone());
            String from = to.process().node();
            long sent = world.now();
            world.after(world.network().delay(from, client.node()), () -> {
                if (!world.network().isBlocked(from, client.node())
                        && !world.network().isLost()) {
                    world.arrived(sent, () -> Message.answer(from, client.node(), String.valueOf(copy.status()), ""));
                    end(copy);
                }
            });
        }

        /** A client gets no answer if its connection broke or its time limit passed. */
        void look() {
            if (to.process().isDead() || world.now() >= deadline) {
                end(null);
            } else if (!ended) {
                world.after(LOOK_NANOS, this::look);
            }
        }

        private void end(@Nullable Answer answer) {
            if (!ended) {
                ended = true;
                ending.ended(answer, true);
            }
        }
    }

    private static Headers headers(Request request) {
        Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        fields.put("Host", List.of("127.0.0.1:10002"));
        for (String line : request.headers()) {
            int colon = line.indexOf(':');
            fields.computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
                    .add(line.substring(colon + 1).trim());
        }
        return name -> fields.getOrDefault(name, List.of());
    }
}
