-- What a member of each role may do. Repeated by every upgrade.
--   ledger_writer  adds events through the function; keeps the read tables. No event can it change.
--   ledger_reader  reads.
GRANT USAGE ON SCHEMA {schema} TO ledger_writer, ledger_reader;
GRANT CREATE ON SCHEMA {schema} TO ledger_writer;
GRANT SELECT ON {schema}.stored_events, {schema}.ledger_steps, {schema}.ledger_gate TO ledger_writer, ledger_reader;
GRANT DELETE ON {schema}.ledger_gate TO ledger_writer; -- a right to lock it alone; there is nothing in it
GRANT EXECUTE ON FUNCTION {schema}.ledger_append TO ledger_writer;
ALTER DEFAULT PRIVILEGES FOR ROLE ledger_writer IN SCHEMA {schema} GRANT SELECT ON TABLES TO ledger_reader;
