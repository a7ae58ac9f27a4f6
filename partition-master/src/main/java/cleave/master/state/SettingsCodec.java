package cleave.master.state;

import cleave.wire.Setting;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Settings to and from the wire, as texts by name. Stateless. */
public final class SettingsCodec {
    private SettingsCodec() {}

    public static List<Setting> toWire(Map<String, String> texts) {
        return new TreeMap<>(texts)
                .entrySet().stream()
                        .map(entry -> Setting.newBuilder()
                                .setName(entry.getKey())
                                .setValue(entry.getValue())
                                .build())
                        .toList();
    }

    /** If a name occurs twice, the last one counts. */
    public static SortedMap<String, String> fromWire(List<Setting> wire) {
        SortedMap<String, String> texts = new TreeMap<>();
        wire.forEach(setting -> texts.put(setting.getName(), setting.getValue()));
        return texts;
    }
}
