package cleave.frontend.protocol.service;

/** Values of elements. Refuses what is none of its kind. */
final class XmlValues {
    private XmlValues() {}

    static boolean flag(String text) {
        String value = text.strip();
        if (value.equalsIgnoreCase("true")) {
            return true;
        }
        if (value.equalsIgnoreCase("false")) {
            return false;
        }
        throw XmlReader.badValue();
    }

    /** From 0 up. */
    static int number(String text) {
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Answered below, together with one below 0.
        }
        throw XmlReader.badValue();
    }
}
