-- Step 2: events are for ever. Only who owns the table can take these away.
CREATE FUNCTION {schema}.ledger_refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'events are for ever' USING ERRCODE = 'restrict_violation';
END
$body$;

CREATE TRIGGER stored_events_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.stored_events
FOR EACH STATEMENT EXECUTE FUNCTION {schema}.ledger_refuse();

-- Also where a session says that it replicates.
ALTER TABLE {schema}.stored_events ENABLE ALWAYS TRIGGER stored_events_for_ever;
