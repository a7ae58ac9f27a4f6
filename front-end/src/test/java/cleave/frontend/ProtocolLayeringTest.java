package cleave.frontend;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may know whom in the pure half of the front end. */
@AnalyzeClasses(packages = "cleave.frontend", importOptions = ImportOption.DoNotIncludeTests.class)
class ProtocolLayeringTest {
    @ArchTest
    static final ArchRule odataStandsOnTheModelAndJsonAlone = classes()
            .that()
            .resideInAPackage("cleave.frontend.protocol.odata")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend.protocol.odata",
                    "cleave.model..",
                    "com.fasterxml.jackson.core..",
                    "java.lang..",
                    "java.util",
                    "java.util.function",
                    "java.util.stream",
                    "java.io",
                    "java.nio",
                    "java.nio.charset",
                    "java.time..",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule policyStandsOnOdataAndTheModelAlone = classes()
            .that()
            .resideInAPackage("cleave.frontend.policy")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend.policy",
                    "cleave.frontend.protocol.odata",
                    "cleave.model..",
                    "java.lang..",
                    "java.util",
                    "java.nio",
                    "java.nio.charset",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule batchStandsOnOdataAndPolicy = classes()
            .that()
            .resideInAPackage("cleave.frontend.protocol.batch")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend.protocol.batch",
                    "cleave.frontend.policy",
                    "cleave.frontend.protocol.odata",
                    "cleave.model..",
                    "java.lang..",
                    "java.util",
                    "java.util.stream",
                    "java.util.function",
                    "java.io",
                    "java.nio.charset",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule authStandsOnOdataAlone = noClasses()
            .that()
            .resideInAPackage("cleave.frontend.protocol.auth")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend",
                    "cleave.frontend.protocol.batch",
                    "cleave.frontend.policy",
                    "cleave.frontend.http",
                    "cleave.frontend.loop",
                    "cleave.frontend.metrics",
                    "cleave.frontend.settings",
                    "io..",
                    "java.util.concurrent..");

    @ArchTest
    static final ArchRule serviceStandsOnOdataTheModelAndXmlAlone = classes()
            .that()
            .resideInAPackage("cleave.frontend.protocol.service")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend.protocol.service",
                    "cleave.frontend.protocol.odata",
                    "cleave.model..",
                    "javax.xml.stream",
                    "java.lang..",
                    "java.util",
                    "java.util.function",
                    "java.util.stream",
                    "java.io",
                    "java.nio",
                    "java.nio.charset",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule nothingGoesInCircles = slices().matching("cleave.frontend.(odata|auth|batch|policy|service)")
            .should()
            .beFreeOfCycles();
}
