package cleave.chaos.lab;

import cleave.chaos.picture.Chart;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Keeps what a lab says, draws and claims; there is nothing that the lab could run on. Confined to its thread. */
public final class RecordedRun {
    private final List<String> said = new ArrayList<>();
    private final List<String> drawn = new ArrayList<>();
    private final List<String> claims = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** What the lab reports to. */
    @SuppressWarnings("unchecked")
    public LabRun run() {
        InvocationHandler recording = (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "say" -> said.add((String) arguments[0]);
                case "draw" -> drawn.add(((Chart) arguments[0]).title());
                case "claim" -> claims.add(((boolean) arguments[1] ? "holds " : "FAILS ") + arguments[0]);
                case "table" -> rows.addAll((List<List<String>>) arguments[2]);
                case "isSmall" -> {
                    return true;
                }
                default -> throw new AssertionError(method.getName());
            }
            return null;
        };
        return (LabRun) Proxy.newProxyInstance(LabRun.class.getClassLoader(), new Class<?>[] {LabRun.class}, recording);
    }

    public List<String> said() {
        return said;
    }

    /** Of all tables. */
    public List<List<String>> rows() {
        return rows;
    }

    /** The titles of charts. */
    public List<String> drawn() {
        return drawn;
    }

    /** Such as {@code holds all are served}. */
    public List<String> claims() {
        return claims;
    }
}
