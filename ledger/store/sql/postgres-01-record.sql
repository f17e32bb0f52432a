-- Step 1: the record, and the one way into it.
-- {schema} is the ledger's schema, quoted.

-- The sequence has no generator: what a save that fails had taken from one would be a hole for ever.
-- Names are compared by code points, whatever the database's collation.
CREATE TABLE {schema}.stored_events (
    sequence BIGINT PRIMARY KEY,
    originator_id TEXT COLLATE "C" NOT NULL,
    originator_version BIGINT NOT NULL,
    topic TEXT COLLATE "C" NOT NULL,
    state BYTEA NOT NULL,
    UNIQUE (originator_id, originator_version)
);

-- Take the writers' lock, check what the decision read, and answer the next sequence. The lock goes with the
-- transaction, after its commit: so the order of the sequence is the order in which readers see saves.
-- It is an advisory lock because a lock of the table would wait for autovacuum, and autovacuum for it.
CREATE FUNCTION {schema}.ledger_next_sequence(
    guarded TEXT[], versions BIGINT[], prefixes TEXT[], lasts TEXT[]
) RETURNS BIGINT LANGUAGE plpgsql AS $body$
DECLARE
    moved RECORD;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a save must see what others have committed: use read committed'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('{schema}.stored_events', 0));
    IF cardinality(guarded) > 0 THEN
        SELECT guard.stream, guard.version, now.version AS found INTO moved
        FROM unnest(guarded, versions) AS guard (stream, version)
        CROSS JOIN LATERAL (
            SELECT COALESCE(MAX(originator_version), 0) FROM {schema}.stored_events
            WHERE originator_id = guard.stream
        ) AS now (version)
        WHERE now.version <> guard.version LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION '% is at version %, not %', moved.stream, moved.found, moved.version
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    END IF;
    IF cardinality(prefixes) > 0 THEN
        SELECT latest.prefix, latest.stream INTO moved
        FROM unnest(prefixes, lasts) AS latest (prefix, stream)
        WHERE latest.stream IS DISTINCT FROM (
            SELECT originator_id FROM {schema}.stored_events
            WHERE originator_id >= latest.prefix AND originator_id < latest.prefix || chr(1114111)
            ORDER BY originator_id DESC LIMIT 1
        ) LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION '% is no longer the last of %', moved.stream, moved.prefix
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    END IF;
    RETURN (SELECT COALESCE(MAX(sequence), 0) + 1 FROM {schema}.stored_events);
END
$body$;

-- Store events in their order, all or none. Answers the sequence of the first.
-- It runs as its owner, so that a writer needs no right on the table itself.
CREATE FUNCTION {schema}.ledger_append(
    streams TEXT[], stream_versions BIGINT[], topics TEXT[], states BYTEA[],
    guarded TEXT[], versions BIGINT[], prefixes TEXT[], lasts TEXT[]
) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $body$
DECLARE
    first BIGINT := {schema}.ledger_next_sequence(guarded, versions, prefixes, lasts);
BEGIN
    IF cardinality(streams) > 0 THEN
        INSERT INTO {schema}.stored_events
        SELECT first - 1 + new.place, new.stream, new.version, new.topic, new.state
        FROM unnest(streams, stream_versions, topics, states)
            WITH ORDINALITY AS new (stream, version, topic, state, place);
        PERFORM pg_notify('ledger_events', '{schema}');
    END IF;
    RETURN first;
END
$body$;

REVOKE ALL ON FUNCTION {schema}.ledger_append FROM PUBLIC;
REVOKE ALL ON FUNCTION {schema}.ledger_next_sequence FROM PUBLIC;
