package cleave.chaos.ycsb;

/** The ways to insert a record. */
enum Insertion {
    /** By an insert, which fails if the record exists. */
    INSERT,
    /** By an insert or replace, which replaces the record if it exists. */
    UPSERT
}
