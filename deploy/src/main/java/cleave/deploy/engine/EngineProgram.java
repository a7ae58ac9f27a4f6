package cleave.deploy.engine;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;

/** The programs of ZooKeeper and BookKeeper, by their names. Stateless. */
enum EngineProgram {
    ZOOKEEPER("org.apache.zookeeper.server.quorum.QuorumPeerMain"),
    BOOKIE("org.apache.bookkeeper.server.Main"),
    AUTORECOVERY("org.apache.bookkeeper.replication.AutoRecoveryMain");

    private static final String LEDGERS_ROOT = "cleave.dfs.bookkeeper.LedgersRoot";

    private final String mainClass;

    EngineProgram(String mainClass) {
        this.mainClass = mainClass;
    }

    /** CommandFailure if it is not on the class path, so that a start fails before anything is done. */
    EngineProgram require() {
        find(mainClass);
        return this;
    }

    /** Returns, if ever, when the program has ended. */
    void run(String... arguments) throws IOException {
        call(mainClass, "main", String[].class, arguments);
    }

    /** Makes the node of BookKeeper's metadata in ZooKeeper; false if it was there. */
    static boolean makeLedgersRoot(String metadataServiceUri) throws IOException {
        return Boolean.TRUE.equals(call(LEDGERS_ROOT, "make", String.class, metadataServiceUri));
    }

    static boolean hasLedgersRoot(String metadataServiceUri) throws IOException {
        return Boolean.TRUE.equals(call(LEDGERS_ROOT, "exists", String.class, metadataServiceUri));
    }

    private static Object call(String className, String methodName, Class<?> type, Object argument) throws IOException {
        try {
            Method method = find(className).getMethod(methodName, type);
            Object answer = method.invoke(null, argument);
            return Objects.requireNonNullElse(answer, true);
        } catch (InvocationTargetException failed) {
            throw new IOException(className + " failed: " + failed.getCause(), failed.getCause());
        } catch (ReflectiveOperationException other) {
            throw new LinkageError(className + " is not what it was built with", other);
        }
    }

    private static Class<?> find(String className) {
        try {
            return Class.forName(className);
        } catch (ClassNotFoundException missing) {
            throw CommandFailure.failed(
                    "the libraries of BookKeeper and ZooKeeper are not on the class path of this cleave (" + className
                            + " is missing); images have them, and so has './cleave' in a folder of Cleave's sources");
        }
    }
}
