package cleave.frontend.protocol.service;

/** The document of the service's statistics. */
public final class ServiceStats {
    private ServiceStats() {}

    /** @param lastSync as in RFC 1123 */
    public static byte[] write(String lastSync) {
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
