package cleave.chaos.lab;

/** Gives labs what they run on. Confined to its thread. */
public interface LabSystems {
    /** The system for a lab of this card; the same for several labs unless the card asks for an own one. */
    LabSystem of(LabCard card);

    /** The lab that got this system has ended. */
    void release(LabSystem system);
}
