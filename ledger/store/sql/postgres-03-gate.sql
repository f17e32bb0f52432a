-- Step 3: the gate of the read tables. Whoever reads several of them at one moment holds it together with
-- others; whoever puts a table in another's place holds it alone. Without it a reader could find, by the old
-- name, a new table whose rows its moment does not have.
CREATE TABLE {schema}.ledger_gate (nothing INTEGER);
