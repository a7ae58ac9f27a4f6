package cleave.deploy.role;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import cleave.deploy.CommandFailure;
import cleave.deploy.inspect.LogLevels;
import cleave.runtime.files.FileProblem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Decides where this process logs to and how much. Call it before anything else logs. */
public final class Logs {
    private static final String PATTERN =
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z',UTC} %-5level %-24.24thread %logger{24} %msg%replace( %kvp{NONE}){' $',''}%n";
    /** The appender of logback.xml. */
    private static final String STDERR = "STDERR";

    private static final int KEPT_FILES = 4;
    private static final long FILE_BYTES = 64L << 20;

    private Logs() {}

    /** The form of the log's lines. */
    public enum Format {
        /** For people. */
        TEXT {
            @Override
            Encoder<ILoggingEvent> encoder() {
                PatternLayoutEncoder encoder = new PatternLayoutEncoder();
                encoder.setPattern(PATTERN);
                return encoder;
            }
        },
        /** For machines: a JSON object a line, with the time in milliseconds since 1970. */
        JSON {
            @Override
            Encoder<ILoggingEvent> encoder() {
                JsonEncoder encoder = new JsonEncoder();
                encoder.setWithSequenceNumber(false);
                encoder.setWithNanoseconds(false);
                encoder.setWithContext(false);
                encoder.setWithMessage(false);
                encoder.setWithArguments(false);
                encoder.setWithFormattedMessage(true);
                return encoder;
            }
        };

        abstract Encoder<ILoggingEvent> encoder();
    }

    /** For a process that serves: logs from INFO up, on standard error. It includes what libraries log by java.util.logging. */
    static void toStandardError(Format format) {
        bridgeJul();
        if (format == Format.TEXT) {
            return; // logback.xml has this form already.
        }
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName(STDERR);
        appender.setTarget("System.err");
        appender.setEncoder(started(context, format));
        appender.start();
        root().detachAppender(STDERR);
        root().addAppender(appender);
    }

    /** For a process that serves: logs from INFO up, to a file that is rolled at 64 MiB and kept four times. */
    public static void toFile(Path file, Format format) {
        bridgeJul();
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(context);
        appender.setName("FILE");
        appender.setFile(file.toString());
        appender.setEncoder(started(context, format));
        roll(context, appender, file);
        appender.start();
        if (!appender.isStarted()) {
            throw CommandFailure.usage("the log cannot be written: " + problem(file));
        }
        root().detachAppender(STDERR);
        root().addAppender(appender);
    }

    /** The library keeps to itself why it did not start. */
    private static String problem(Path file) {
        try {
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                    .close();
            return file + " could not be opened";
        } catch (IOException failed) {
            return FileProblem.text(failed);
        }
    }

    private static Encoder<ILoggingEvent> started(LoggerContext context, Format format) {
        Encoder<ILoggingEvent> encoder = format.encoder();
        encoder.setContext(context);
        encoder.start();
        return encoder;
    }

    /** For a command that a person waits for: logs errors only. */
    public static void onlyErrors() {
        bridgeJul();
        root().setLevel(Level.ERROR);
        for (ch.qos.logback.classic.Logger logger :
                ((LoggerContext) LoggerFactory.getILoggerFactory()).getLoggerList()) {
            Level own = logger.getLevel();
            if (own != null
                    && !own.isGreaterOrEqual(Level.ERROR)
                    && !logger.getName().equals(LogLevels.ACTS)) {
                logger.setLevel(Level.ERROR); // The levels of libraries that logback.xml names count before the root's.
            }
        }
    }

    /** For a command that goes on until it is ended: logs from WARN up. */
    public static void fromWarnings() {
        bridgeJul();
        root().setLevel(Level.WARN);
    }

    /** For a command that breaks things on purpose: logs nothing. */
    public static void nothing() {
        bridgeJul();
        root().setLevel(Level.OFF);
    }

    /** Ends with {@link #close}. */
    public interface Silence extends AutoCloseable {
        /** Restores the level. */
        @Override
        void close();
    }

    /** For a part of a process that breaks things on purpose: logs nothing until it is closed. */
    public static Silence silence() {
        Level before = root().getLevel();
        nothing();
        return () -> root().setLevel(before);
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
