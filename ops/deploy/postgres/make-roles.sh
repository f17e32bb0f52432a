# In the database's container, once, when the database is made: passwords from a secret, and roles.sql. The entrypoint
# reads this into its own shell, and then becomes the server: what is exported here must end here.
(
    set -a
    . /run/secrets/roles.env
    exec psql --username postgres --dbname postgres --file /ledger/roles.sql
)
