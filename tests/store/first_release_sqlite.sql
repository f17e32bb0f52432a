-- A record of the first release on SQLite, as `.dump` gives it.
-- This file never changes: it is what an upgrade may find.
PRAGMA journal_mode=wal;
PRAGMA application_id=1111573315;
PRAGMA user_version=1;
BEGIN TRANSACTION;
CREATE TABLE stored_events (sequence INTEGER PRIMARY KEY, originator_id TEXT NOT NULL, originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL, UNIQUE (originator_id, originator_version));
INSERT INTO "stored_events" VALUES(1,'coup/main/PB1/S-20/1',1,'coup-opened.v1',X'7B226361757365223A226331227D');
INSERT INTO "stored_events" VALUES(2,'coup/main/PB1/S-20/1',2,'coup-settled.v1',X'00FFC3A9');
INSERT INTO "stored_events" VALUES(3,'command/c1',1,'command-recorded.v1',X'');
INSERT INTO "stored_events" VALUES(4,'coup/main/pb1/É/1',1,'coup-opened.v1',X'7B226361757365223A226332227D');
CREATE TRIGGER stored_events_no_update BEFORE update ON stored_events BEGIN SELECT RAISE(ABORT, 'events are for ever'); END;
CREATE TRIGGER stored_events_no_delete BEFORE delete ON stored_events BEGIN SELECT RAISE(ABORT, 'events are for ever'); END;
COMMIT;
