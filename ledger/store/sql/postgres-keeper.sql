-- What a member of ledger_keeper may do: read the record, and keep the seal and the relay's positions, which are
-- this role's own. It adds no event and sees no other table. Repeated by every upgrade.
GRANT USAGE, CREATE ON SCHEMA {schema} TO ledger_keeper;
GRANT SELECT ON {schema}.stored_events, {schema}.ledger_steps, {schema}.ledger_gate TO ledger_keeper;
ALTER DEFAULT PRIVILEGES FOR ROLE ledger_keeper IN SCHEMA {schema} GRANT SELECT ON TABLES TO ledger_reader;

-- What writers have made before there were keepers. Writers are keepers too, or it would be taken from them.
DO $body$
DECLARE
    kept REGCLASS;
BEGIN
    FOR kept IN
        SELECT oid FROM pg_class
        WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'r'
            AND (relname LIKE 'seal\_%' OR relname = 'relay_positions')
            AND relowner <> 'ledger_keeper'::regrole
            AND pg_has_role('ledger_writer', 'ledger_keeper', 'USAGE')
    LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO ledger_keeper', kept);
    END LOOP;
END
$body$;
