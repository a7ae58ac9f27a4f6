package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.model.Readiness;
import cleave.runtime.settings.ProcessMemory;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class RoleProcessTest {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final EndSignals signals = new EndSignals();
    private volatile int adminPort;

    /** A role that reports the calls to it. */
    private class Role implements RunningRole {
        @Override
        public String name() {
            return "role";
        }

        @Override
        public ProcessMemory memory() {
            return ProcessMemory.withStores(0);
        }

        @Override
        public void start() {
            seen.add("start");
        }

        @Override
        public Map<String, Executor> loops() {
            return Map.of();
        }

        @Override
        public Readiness readiness() {
            return Readiness.READY;
        }

        @Override
        public String address() {
            return "nowhere";
        }

        @Override
        public void close() {
            seen.add("close");
        }
    }

    private int run(RunningRole role) {
        RoleProcess process = new RoleProcess(
                new ListenAddress("127.0.0.1", 0), new CollectorRegistry(), new RoleProcess.Announcer() {
                    @Override
                    public void ready(int port) {
                        adminPort = port;
                        seen.add("ready");
                        signals.signal();
                    }

                    @Override
                    public void waiting(String missing) {}
                });
        return process.run(() -> role, signals);
    }

    private String readyz() {
        try {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + "/readyz"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body().strip();
        } catch (IOException failed) {
            return failed.toString();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    void aRoleThatLeavesIsUnreadyButServesUntilItHasLeft() {
        int status = run(new Role() {
            @Override
            public void leave(EndSignals ignored) {
                seen.add("leave, readyz " + readyz());
            }
        });

        assertThat(status).isEqualTo(ExitCode.OK);
        assertThat(seen).containsExactly("start", "ready", "leave, readyz 503 it ends", "close");
    }

    @Test
    void aRoleThatNeverWasReadyHasNothingToHandOver() {
        run(new Role() {
            @Override
            public void start() {
                seen.add("start");
                signals.signal();
            }

            @Override
            public Readiness readiness() {
                return Readiness.missing("masters");
            }

            @Override
            public void leave(EndSignals ignored) {
                seen.add("leave");
            }
        });

        assertThat(seen).containsExactly("start", "close");
    }

    @Test
    void aSecondSignalEndsTheLeaving() {
        run(new Role() {
            @Override
            public long leaveNanosMax() {
                return Long.MAX_VALUE;
            }

            @Override
            public void leave(EndSignals given) throws InterruptedException {
                signals.signal();
                seen.add("hurried " + given.awaitHurried(Long.MAX_VALUE));
            }
        });

        assertThat(seen).containsExactly("start", "ready", "hurried true", "close");
    }
}
