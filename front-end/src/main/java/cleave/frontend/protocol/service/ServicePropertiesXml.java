package cleave.frontend.protocol.service;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.service.ServiceProperties.Logging;
import cleave.frontend.protocol.service.ServiceProperties.Metrics;
import cleave.frontend.protocol.service.ServiceProperties.Retention;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The documents of the service's properties and statistics. */
public final class ServicePropertiesXml {
    private static final int DAYS_MAX = 365;

    private static final String ROOT = "StorageServiceProperties";
    private static final String LOGGING = "Logging";
    private static final String HOUR_METRICS = "HourMetrics";
    private static final String MINUTE_METRICS = "MinuteMetrics";
    private static final String VERSION = "Version";
    private static final String READ = "Read";
    private static final String WRITE = "Write";
    private static final String DELETE = "Delete";
    private static final String ENABLED = "Enabled";
    private static final String INCLUDE_APIS = "IncludeAPIs";
    private static final String RETENTION = "RetentionPolicy";
    private static final String DAYS = "Days";

    private static final String ONLY_VERSION = "1.0";
    private static final Retention NO_RETENTION = new Retention(false, 0);

    private ServicePropertiesXml() {}

    /** Reads a change of the properties: an absent element changes nothing. */
    public static ServiceProperties read(Body body) {
        XmlReader xml = new XmlReader(body, ROOT);
        Logging logging = null;
        Metrics hours = null;
        Metrics minutes = null;
        List<CorsRule> cors = null;
        Set<String> seen = new HashSet<>();
        for (String name = xml.childOnce(seen); name != null; name = xml.childOnce(seen)) {
            switch (name) {
                case LOGGING -> logging = logging(xml);
                case HOUR_METRICS -> hours = metrics(xml);
                case MINUTE_METRICS -> minutes = metrics(xml);
                case CorsXml.NAME -> cors = CorsXml.read(xml);
                default -> throw XmlReader.malformed();
            }
        }
        xml.end();
        if (seen.isEmpty()) {
            throw XmlReader.malformed();
        }
        return new ServiceProperties(logging, hours, minutes, cors);
    }

    private static Logging logging(XmlReader xml) {
        boolean reads = false;
        boolean writes = false;
        boolean deletes = false;
        Retention retention = NO_RETENTION;
        Set<String> seen = new HashSet<>();
        for (String name = xml.childOnce(seen); name != null; name = xml.childOnce(seen)) {
            switch (name) {
                case VERSION -> checkVersion(xml.text());
                case READ -> reads = xml.flag();
                case WRITE -> writes = xml.flag();
                case DELETE -> deletes = xml.flag();
                case RETENTION -> retention = retention(xml);
                default -> throw XmlReader.malformed();
            }
        }
        require(seen, VERSION, READ, WRITE, DELETE, RETENTION);
        return new Logging(reads, writes, deletes, retention);
    }

    private static Metrics metrics(XmlReader xml) {
        boolean enabled = false;
        boolean includesApis = false;
        Retention retention = NO_RETENTION;
        Set<String> seen = new HashSet<>();
        for (String name = xml.childOnce(seen); name != null; name = xml.childOnce(seen)) {
            switch (name) {
                case VERSION -> checkVersion(xml.text());
                case ENABLED -> enabled = xml.flag();
                case INCLUDE_APIS -> includesApis = xml.flag();
                case RETENTION -> retention = retention(xml);
                default -> throw XmlReader.malformed();
            }
        }
        require(seen, VERSION, ENABLED, RETENTION);
        if (enabled) {
            require(seen, INCLUDE_APIS);
        }
        return new Metrics(enabled, enabled && includesApis, retention);
    }

    private static Retention retention(XmlReader xml) {
        boolean enabled = false;
        int days = 0;
        Set<String> seen = new HashSet<>();
        for (String name = xml.childOnce(seen); name != null; name = xml.childOnce(seen)) {
            switch (name) {
                case ENABLED -> enabled = xml.flag();
                case DAYS -> days = XmlReader.number(xml.text());
                default -> throw XmlReader.malformed();
            }
        }
        require(seen, ENABLED);
        if (!enabled) {
            return NO_RETENTION;
        }
        if (days < 1 || days > DAYS_MAX) {
            throw XmlReader.malformed();
        }
        return new Retention(true, days);
    }

    private static void checkVersion(String text) {
        if (!text.strip().equals(ONLY_VERSION)) {
            throw XmlReader.badValue();
        }
    }

    private static void require(Set<String> seen, String... names) {
        if (!seen.containsAll(List.of(names))) {
            throw XmlReader.malformed();
        }
    }

    public static byte[] write(ServiceProperties properties) {
        XmlWriter xml = new XmlWriter().open(ROOT);
        if (properties.logging() != null) {
            write(xml, properties.logging());
        }
        if (properties.hourMetrics() != null) {
            write(xml, HOUR_METRICS, properties.hourMetrics());
        }
        if (properties.minuteMetrics() != null) {
            write(xml, MINUTE_METRICS, properties.minuteMetrics());
        }
        if (properties.cors() != null) {
            CorsXml.write(xml, properties.cors());
        }
        return xml.close(ROOT).bytes();
    }

    private static void write(XmlWriter xml, Logging logging) {
        xml.open(LOGGING)
                .leaf(VERSION, ONLY_VERSION)
                .leaf(READ, Boolean.toString(logging.reads()))
                .leaf(WRITE, Boolean.toString(logging.writes()))
                .leaf(DELETE, Boolean.toString(logging.deletes()));
        write(xml, logging.retention());
        xml.close(LOGGING);
    }

    private static void write(XmlWriter xml, String name, Metrics metrics) {
        xml.open(name).leaf(VERSION, ONLY_VERSION).leaf(ENABLED, Boolean.toString(metrics.enabled()));
        if (metrics.enabled()) {
            xml.leaf(INCLUDE_APIS, Boolean.toString(metrics.includesApis()));
        }
        write(xml, metrics.retention());
        xml.close(name);
    }

    private static void write(XmlWriter xml, Retention retention) {
        xml.open(RETENTION).leaf(ENABLED, Boolean.toString(retention.enabled()));
        if (retention.enabled()) {
            xml.leaf(DAYS, Integer.toString(retention.days()));
        }
        xml.close(RETENTION);
    }

    /** @param lastSync as in RFC 1123 */
    public static byte[] statistics(String lastSync) {
        return new XmlWriter()
                .open("StorageServiceStats")
                .open("GeoReplication")
                .leaf("Status", "live")
                .leaf("LastSyncTime", lastSync)
                .close("GeoReplication")
                .close("StorageServiceStats")
                .bytes();
    }
}
