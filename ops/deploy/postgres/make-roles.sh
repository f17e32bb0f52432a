# In the database's container, once, when the database is made: passwords from a secret, and roles.sql.
set -a
. /run/secrets/roles.env
set +a
psql --username postgres --dbname postgres --file /ledger/roles.sql
