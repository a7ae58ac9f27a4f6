package cleave.deploy.role;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * SIGTERM, SIGINT and SIGHUP: the first asks the process to end in order, the second to hurry. Thread-safe.
 *
 * <p>The JVM itself begins its shutdown at the first signal and ignores the second, so its handlers are replaced.
 */
public final class EndSignals {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch hurried = new CountDownLatch(1);

    /** The signals that this process gets from now on. */
    public static EndSignals ofThisProcess() {
        EndSignals signals = new EndSignals();
        try {
            // By reflection, because javac warns of sun.misc in a way that nothing silences; jdk.unsupported keeps this
            // class.
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object handling = Proxy.newProxyInstance(
                    EndSignals.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        signals.signal();
                        return null;
                    });
            for (String name : new String[] {"TERM", "INT", "HUP"}) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), handling);
            }
        } catch (ReflectiveOperationException refused) {
            throw new IllegalStateException(
                    "this JVM gives SIGTERM, SIGINT and SIGHUP to nobody; start it without -Xrs, and with jdk.unsupported",
                    refused);
        }
        return signals;
    }

    /** One signal has come. */
    public void signal() {
        if (asked.getCount() > 0) {
            asked.countDown();
        } else {
            hurried.countDown();
        }
    }

    /** Waits for the first signal; false if none came within the time. */
    public boolean awaitAsked(long nanos) throws InterruptedException {
        return asked.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Waits for the second signal; false if none came within the time. */
    public boolean awaitHurried(long nanos) throws InterruptedException {
        return hurried.await(nanos, TimeUnit.NANOSECONDS);
    }

    public boolean isHurried() {
        return hurried.getCount() == 0;
    }
}
