-- A record of the first release on PostgreSQL, which knew step 1 alone. {schema} is where it goes.
-- This file never changes: it is what an upgrade may find.
CREATE TABLE {schema}.stored_events (
    sequence BIGINT PRIMARY KEY,
    originator_id TEXT COLLATE "C" NOT NULL,
    originator_version BIGINT NOT NULL,
    topic TEXT COLLATE "C" NOT NULL,
    state BYTEA NOT NULL,
    UNIQUE (originator_id, originator_version)
);

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

CREATE TABLE {schema}.ledger_steps (
    step INTEGER PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
INSERT INTO {schema}.ledger_steps (step, name) VALUES (1, 'postgres-01-record.sql');
INSERT INTO {schema}.stored_events VALUES
    (1, 'coup/main/PB1/S-20/1', 1, 'coup-opened.v1', '{"cause":"c1"}'),
    (2, 'coup/main/PB1/S-20/1', 2, 'coup-settled.v1', '\x00ffc3a9'),
    (3, 'command/c1', 1, 'command-recorded.v1', ''),
    (4, 'coup/main/pb1/É/1', 1, 'coup-opened.v1', '{"cause":"c2"}');
