-- The database and who may do what in it: run once by a superuser, before the first `baccarat-ledger db upgrade`.
-- Passwords come from the environment. `db upgrade` gives the three groups their rights.
\set ON_ERROR_STOP on
\getenv owner LEDGER_OWNER_PASSWORD
\getenv service LEDGER_SERVICE_PASSWORD
\getenv relay LEDGER_RELAY_PASSWORD
\getenv seal LEDGER_SEAL_PASSWORD
\getenv auditor LEDGER_AUDITOR_PASSWORD
\getenv standby LEDGER_STANDBY_PASSWORD

CREATE ROLE ledger_writer NOLOGIN;
CREATE ROLE ledger_reader NOLOGIN;
CREATE ROLE ledger_keeper NOLOGIN; -- the seal and the relay's positions, and no event
GRANT ledger_keeper TO ledger_writer;

-- Owns the tables; upgrades, and nothing else, are done as this one.
CREATE ROLE ledger_owner LOGIN PASSWORD :'owner';
GRANT ledger_writer, ledger_reader, ledger_keeper TO ledger_owner WITH ADMIN OPTION;

-- Each program as itself. None may change an event, and the service alone may add one.
CREATE ROLE ledger_service LOGIN PASSWORD :'service' IN ROLE ledger_writer;
CREATE ROLE ledger_relay LOGIN PASSWORD :'relay' IN ROLE ledger_keeper;
CREATE ROLE ledger_seal LOGIN PASSWORD :'seal' IN ROLE ledger_keeper;
CREATE ROLE ledger_auditor LOGIN PASSWORD :'auditor' IN ROLE ledger_reader;
-- What a standby follows the primary as, and base backups are taken as.
CREATE ROLE ledger_standby LOGIN REPLICATION PASSWORD :'standby';

CREATE DATABASE ledger OWNER ledger_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE ledger FROM PUBLIC;
GRANT CONNECT ON DATABASE ledger TO ledger_service, ledger_relay, ledger_seal, ledger_auditor;
