package cleave.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The things that a core may not touch, in one place for all modules: clocks, chance without a seed, threads, locks, blocking waits, files,
 * sockets, the environment, and the libraries that stand for them. They reach a core by its arguments and by the interfaces of its outside.
 * So a core does the same whenever its input is the same, and the simulator relies on that.
 */
public final class PureCore {
    /** Besides futures, which carry answers, and atomic numbers, which other threads look at. */
    private static final String CONCURRENT =
            "java\\.util\\.concurrent\\.(?!CompletableFuture|CompletionException|CompletionStage|TimeUnit|atomic\\.).*";

    private static final Pattern CLASSES = anyOf(
            CONCURRENT,
            "java\\.lang\\.(Thread(?!Local).*|Process.*|Runtime|ThreadLocal.*)",
            "java\\.util\\.(Timer.*|Scanner)",
            "java\\.security\\.SecureRandom",
            "java\\.time\\.(Clock|InstantSource)",
            "java\\.io\\.(File|FileInputStream|FileOutputStream|FileReader|FileWriter|RandomAccessFile|Console)",
            "java\\.nio\\.(file|channels)\\..*",
            "javax?\\.net\\..*",
            "io\\.netty\\.(?!util\\.collection\\.).*",
            "(io\\.grpc|io\\.vertx|org\\.rocksdb|org\\.apache\\.ratis)\\..*",
            "io\\.prometheus\\.(?!client\\.(Counter|Gauge|Histogram)).*",
            "cleave\\.(runtime\\.(rpc|files|tls)|route\\.rpc)\\..*");

    /** Logging and metrics. */
    private static final Pattern TELLING = anyOf("(org\\.slf4j|java\\.util\\.logging|io\\.prometheus)\\..*");

    private static final Pattern CALLS = anyOf(
            "java\\.lang\\.System\\.(nanoTime|currentTimeMillis|getenv|getProperty|exit|identityHashCode)\\(.*",
            "java\\.lang\\.Object\\.(wait|notify|notifyAll)\\(.*",
            "java\\.lang\\.Math\\.random\\(.*",
            "java\\.util\\.Random\\.<init>\\(\\)",
            "java\\.util\\.UUID\\.randomUUID\\(\\)",
            "java\\.util\\.Collections\\.shuffle\\(java\\.util\\.List\\)",
            "java\\.time\\.\\w+\\.now\\(.*",
            "java\\.util\\.concurrent\\.CompletableFuture\\.(get|join)\\(.*",
            "java\\.util\\.concurrent\\.CompletableFuture\\.(\\w+Async|orTimeout|completeOnTimeout)\\(.*",
            "java\\.util\\.stream\\.\\w+\\.parallel\\(\\)",
            "java\\.util\\.Collection\\.parallelStream\\(\\)");

    private PureCore() {}

    private static Pattern anyOf(String... patterns) {
        return Pattern.compile(String.join("|", patterns));
    }

    /** Event handlers and the parts that they drive: pure, but they log and count. */
    public static ArchRule of(String... packages) {
        return classes().that().resideInAnyPackage(packages).should(new Pure(false));
    }

    /** Values, policies and codecs: pure, and silent. */
    public static ArchRule ofSilent(String... packages) {
        return classes().that().resideInAnyPackage(packages).should(new Pure(true));
    }

    private static final class Pure extends ArchCondition<JavaClass> {
        private final boolean isSilent;

        Pure(boolean isSilent) {
            super(isSilent ? "be pure and silent" : "be pure");
            this.isSilent = isSilent;
        }

        @Override
        public void check(JavaClass item, ConditionEvents events) {
            impurities(item, isSilent).forEach(what -> events.add(SimpleConditionEvent.violated(item, what)));
        }
    }

    /** The impure parts of a class, in words. */
    static List<String> impurities(JavaClass item, boolean isSilent) {
        List<String> found = new ArrayList<>();
        for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
            String target = dependency.getTargetClass().getBaseComponentType().getName();
            if (CLASSES.matcher(target).matches()
                    || (isSilent && TELLING.matcher(target).matches())) {
                found.add("A core may not use " + target + ": " + dependency.getDescription());
            }
        }
        for (JavaAccess<?> access : item.getAccessesFromSelf()) {
            String target = access.getTarget().getFullName();
            if (CALLS.matcher(target).matches()) {
                found.add("A core may not call " + target + ": " + access.getDescription());
            }
        }
        for (JavaMethod method : item.getMethods()) {
            if (method.getModifiers().contains(JavaModifier.SYNCHRONIZED)) {
                found.add("A core may not lock: " + method.getDescription());
            }
        }
        return found;
    }
}
