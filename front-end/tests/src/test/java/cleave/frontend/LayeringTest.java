package cleave.frontend;

import static cleave.architecture.Layers.isKnownOnlyTo;
import static cleave.architecture.Layers.knowsNone;
import static cleave.architecture.Layers.knowsOnly;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.architecture.Confinement;
import cleave.architecture.Product;
import cleave.architecture.PureCore;
import cleave.frontend.protocol.odata.ContinuationToken;
import cleave.frontend.protocol.odata.Keys;
import cleave.frontend.protocol.odata.PageSink;
import cleave.frontend.protocol.odata.QueryOptions;
import cleave.frontend.protocol.odata.Selection;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.odata.TableName;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Path;

/** Who may know whom in this module: root to adapters to core to handlers to request and routing to tracing and fairness to protocol. */
@AnalyzeClasses(packages = "cleave.frontend", importOptions = Product.class)
class LayeringTest {
    private static final String ROOT = "cleave.frontend";
    private static final String ADAPTERS = "cleave.frontend.[http|rpc|refresh|export]";
    private static final String PROTOCOL = "cleave.frontend.protocol..";
    private static final String REQUEST = "cleave.frontend.request";
    private static final String FAIRNESS = "cleave.frontend.fairness";
    private static final String TRACING = "cleave.frontend.tracing";
    private static final String ROUTING = "cleave.frontend.routing";
    private static final String HANDLERS = "cleave.frontend.handlers";
    private static final String ASSEMBLY = "cleave.frontend.core";
    private static final String SETTINGS = "cleave.frontend.settings";
    private static final String METRICS = "cleave.frontend.metrics";
    private static final String PROTOCOL_ODATA = "cleave.frontend.protocol.odata";
    private static final String[] CORE = {PROTOCOL, TRACING, REQUEST, FAIRNESS, ROUTING, HANDLERS, ASSEMBLY};

    @ArchTest
    static final ArchRule theCoreIsPure = PureCore.of(CORE);

    @ArchTest
    static void whatIsConfinedToALoopChecksIt(JavaClasses classes) throws IOException {
        assertThat(Confinement.unchecked(Path.of("../src/main/java"))).isEmpty();
    }

    @ArchTest
    static final ArchRule theProtocolIsPure = PureCore.ofSilent(PROTOCOL);

    @ArchTest
    static final ArchRule theProtocolKnowsNeitherRoutingNorFutures = knowsNone(
            PROTOCOL,
            ROOT,
            ADAPTERS,
            REQUEST,
            FAIRNESS,
            ROUTING,
            HANDLERS,
            ASSEMBLY,
            METRICS,
            "cleave.route..",
            "cleave.wire",
            "cleave.runtime..",
            "java.util.concurrent..");

    @ArchTest
    static final ArchRule requestsKnowNothingOfRouting = knowsNone(
            REQUEST, ROOT, ADAPTERS, FAIRNESS, ROUTING, HANDLERS, ASSEMBLY, METRICS, "cleave.route..", "cleave.wire");

    @ArchTest
    static final ArchRule routingKnowsNoRequestsAndNoHandlers = knowsNone(
            ROUTING, ROOT, ADAPTERS, REQUEST, HANDLERS, ASSEMBLY, METRICS, "cleave.frontend.protocol.[batch|service]");

    /** The errors that clients get, the names of tables and keys, what a query asks for: no JSON, no headers, no bodies. */
    @ArchTest
    static final ArchRule routingKnowsTheProtocolOnlyWhereItMust = noClasses()
            .that()
            .resideInAPackage(ROUTING)
            .should()
            .dependOnClassesThat(resideInAPackage(PROTOCOL_ODATA)
                    .and(not(belongToAnyOf(
                            ServiceError.class,
                            ServiceCode.class,
                            TableName.class,
                            Keys.class,
                            PageSink.class,
                            QueryOptions.class,
                            Selection.class,
                            ContinuationToken.class))));

    @ArchTest
    static final ArchRule fairnessKnowsNeitherRequestsNorRouting =
            knowsNone(FAIRNESS, ROOT, ADAPTERS, REQUEST, ROUTING, HANDLERS, ASSEMBLY, METRICS, "cleave.route..");

    @ArchTest
    static final ArchRule handlersKnowNotWhoCallsThem = knowsNone(HANDLERS, ROOT, ADAPTERS, ASSEMBLY, METRICS);

    @ArchTest
    static final ArchRule theCoreKnowsNoAdapter = knowsNone(ASSEMBLY, ROOT, ADAPTERS);

    @ArchTest
    static final ArchRule nothingGoesInCircles =
            slices().matching("cleave.frontend.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule adaptersDoNotKnowEachOther = slices().matching("cleave.frontend.(http|rpc|refresh|export)")
            .should()
            .notDependOnEachOther();

    @ArchTest
    static final ArchRule adaptersDoNotKnowTheRoot = knowsNone(ADAPTERS, ROOT);

    @ArchTest
    static final ArchRule httpKnowsNothingOfRangesAndMasters = knowsNone(
            "cleave.frontend.http", "cleave.route..", "cleave.runtime.rpc..", "cleave.wire..", "cleave.frontend.rpc");

    @ArchTest
    static final ArchRule onlyTheMetricsKnowTheirLibrary = isKnownOnlyTo("io.prometheus..", METRICS);

    @ArchTest
    static final ArchRule tracesKnowOnlyWhatTheyTellOf =
            knowsNone(TRACING, ROOT, ADAPTERS, REQUEST, FAIRNESS, ROUTING, HANDLERS, ASSEMBLY, METRICS);

    @ArchTest
    static final ArchRule onlyTheExportKnowsOpenTelemetry =
            isKnownOnlyTo("io.opentelemetry..", "cleave.frontend.export");

    @ArchTest
    static final ArchRule onlyHttpAndTheRootKnowVertx = isKnownOnlyTo("io.vertx..", ROOT, "cleave.frontend.http");

    @ArchTest
    static final ArchRule settingsKnowNoPartOfTheRoleButItsAccounts = knowsOnly(
            SETTINGS,
            SETTINGS,
            "cleave.frontend.protocol.auth",
            "cleave.runtime.rpc", // What an address looks like.
            "cleave.runtime.settings",
            "java..",
            "org.jspecify..");

    @ArchTest
    static final ArchRule noOtherRoleIsKnown =
            knowsNone("cleave.frontend..", "cleave.master..", "cleave.server..", "cleave.dfs..", "cleave.deploy..");

    // Within the protocol, the pure half.

    @ArchTest
    static final ArchRule odataStandsOnTheModelAndJsonAlone = standsOn(
            "odata",
            "cleave.model.. com.fasterxml.jackson.core.. java.util.function java.util.stream java.nio java.time..");

    @ArchTest
    static final ArchRule batchStandsOnOdataAlone =
            standsOn("batch", PROTOCOL_ODATA + " cleave.model.. java.util.stream java.util.function");

    @ArchTest
    static final ArchRule authStandsOnOdataAlone = knowsNone(
            "cleave.frontend.protocol.auth", ROOT, "cleave.frontend.protocol.[batch|service]", SETTINGS, "io..");

    @ArchTest
    static final ArchRule serviceStandsOnOdataTheModelAndXmlAlone = standsOn(
            "service",
            PROTOCOL_ODATA + " cleave.frontend.protocol.xml cleave.model.. javax.xml.stream java.util.function"
                    + " java.util.stream java.nio");

    @ArchTest
    static final ArchRule atomStandsOnOdataTheModelAndXmlAlone = standsOn(
            "atom",
            PROTOCOL_ODATA + " cleave.frontend.protocol.xml cleave.model.. com.fasterxml.jackson.core.io javax.xml"
                    + " javax.xml.stream");

    @ArchTest
    static final ArchRule xmlStandsOnOdataAlone = standsOn("xml", PROTOCOL_ODATA + " javax.xml.stream java.nio");

    /** @param whom packages parted by blanks, beside the package itself and what all of them may know of the JDK */
    private static ArchRule standsOn(String who, String whom) {
        String itself = "cleave.frontend.protocol." + who;
        String all = itself + " java.lang.. java.util java.io java.nio.charset org.jspecify.. " + whom;
        return knowsOnly(itself, all.split(" "));
    }
}
