package cleave.deploy.role;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Where this process logs to and how much. To be called before anything else logs. */
public final class Logs {
    private static final String PATTERN =
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z',UTC} %-5level %-24.24thread %logger{24} %msg%n";
    private static final int KEPT_FILES = 4;
    private static final long FILE_BYTES = 64L << 20;

    private Logs() {}

    /** For a process that serves: from INFO up, on standard error. What libraries tell java.util.logging comes along. */
    public static void toStandardError() {
        bridgeJul();
    }

    /** For a process that serves: from INFO up, to a file that is rolled at 64 MiB and kept four times. */
    public static void toFile(Path file) {
        bridgeJul();
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(context);
        appender.setName("FILE");
        appender.setFile(file.toString());
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(PATTERN);
        encoder.start();
        appender.setEncoder(encoder);
        roll(context, appender, file);
        appender.start();
        root().detachAppender("STDERR");
        root().addAppender(appender);
    }

    /** For a command that a person waits for: only what is wrong. */
    public static void onlyErrors() {
        bridgeJul();
        root().setLevel(Level.ERROR);
    }

    /** For a command that breaks things on purpose. */
    public static void nothing() {
        bridgeJul();
        root().setLevel(Level.OFF);
    }

    private static void roll(LoggerContext context, RollingFileAppender<ILoggingEvent> appender, Path file) {
        FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
        window.setContext(context);
        window.setParent(appender);
        window.setFileNamePattern(file + ".%i");
        window.setMinIndex(1);
        window.setMaxIndex(KEPT_FILES - 1);
        window.start();
        appender.setRollingPolicy(window);
        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(context);
        size.setMaxFileSize(new FileSize(FILE_BYTES));
        size.start();
        appender.setTriggeringPolicy(size);
    }

    private static void bridgeJul() {
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
    }

    private static ch.qos.logback.classic.Logger root() {
        return (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    }
}
