package cleave.frontend;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

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
    static final ArchRule batchStandsOnOdataAlone = classes()
            .that()
            .resideInAPackage("cleave.frontend.protocol.batch")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend.protocol.batch",
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
                    "cleave.frontend.protocol.service",
                    "cleave.frontend.settings",
                    "io..");

    @ArchTest
    static final ArchRule serviceStandsOnOdataTheModelAndXmlAlone = classes()
            .that()
            .resideInAPackage("cleave.frontend.protocol.service")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend.protocol.service",
                    "cleave.frontend.protocol.odata",
                    "cleave.frontend.protocol.xml",
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
    static final ArchRule atomStandsOnOdataTheModelAndXmlAlone = classes()
            .that()
            .resideInAPackage("cleave.frontend.protocol.atom")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend.protocol.atom",
                    "cleave.frontend.protocol.odata",
                    "cleave.frontend.protocol.xml",
                    "cleave.model..",
                    "com.fasterxml.jackson.core.io",
                    "javax.xml",
                    "javax.xml.stream",
                    "java.lang..",
                    "java.util",
                    "java.io",
                    "java.nio.charset",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule xmlStandsOnOdataAlone = classes()
            .that()
            .resideInAPackage("cleave.frontend.protocol.xml")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.frontend.protocol.xml",
                    "cleave.frontend.protocol.odata",
                    "javax.xml.stream",
                    "java.lang..",
                    "java.io",
                    "java.nio",
                    "java.nio.charset",
                    "org.jspecify..");
}
