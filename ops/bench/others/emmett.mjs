// Emmett on PostgreSQL, as its guide has it: getPostgreSQLEventStore, a raw SQL projection in batches, and a
// consumer. Speaks the protocol of protocol.py.
//
// A commit is what appendToStream does: one stream. So all events of a command go to one stream, which is less
// than the others do (a coup, its shoe and its command are three), and there is no commit of many coups.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { getPostgreSQLEventStore, postgreSQLEventStoreConsumer, postgreSQLRawBatchSQLProjection } from '@event-driven-io/emmett-postgresql';
import { dumbo, SQL } from '@event-driven-io/dumbo';

const given = JSON.parse(process.argv[2]);
const store = getPostgreSQLEventStore(given.db);
const pool = dumbo({ connectionString: given.db });
const lines = createInterface({ input: createReadStream(given.lines) })[Symbol.asyncIterator]();
const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\n');
let work = null;

const winOf = (totals) => totals.reduce((sum, t) => sum + (t.outcome === 'lost' ? t.stakes : -t.winnings), 0);
const projection = postgreSQLRawBatchSQLProjection({
  name: 'pnl',
  canHandle: ['coup-settled.v1'],
  init: () => SQL`CREATE TABLE IF NOT EXISTS pnl (place TEXT PRIMARY KEY, coups BIGINT, win BIGINT)`,
  evolve: (events) => {
    const sums = new Map();
    for (const { data } of events) {
      const place = `${data.premises}/${data.table}`;
      const [coups, win] = sums.get(place) ?? [0, 0];
      sums.set(place, [coups + 1, win + winOf(data.totals)]);
    }
    return [...sums].map(([place, [coups, win]]) => SQL`INSERT INTO pnl VALUES (${place}, ${coups}, ${win})
      ON CONFLICT (place) DO UPDATE SET coups = pnl.coups + excluded.coups, win = pnl.win + excluded.win`);
  },
});

const next = async (count) => {
  const found = [];
  while (found.length < count) found.push((await lines.next()).value);
  return found;
};
const counted = async () => {
  try {
    const { rows } = await pool.execute.query(SQL`SELECT COALESCE(SUM(coups), 0)::int AS done FROM pnl`);
    return rows[0].done;
  } catch { return 0; }
};
const timed = async (does) => {
  const begun = performance.now();
  const done = await does();
  return { seconds: (performance.now() - begun) / 1000, done: Number(done ?? 0) };
};
// A consumer, until all coups are there or it has taken too long. Its end is not waited for.
const run = async (consumer, coups, seconds) => {
  const until = performance.now() + seconds * 1000;
  let failed = null;
  consumer.start().catch((error) => { failed = error; });
  let done = 0;
  while (done < coups && performance.now() < until && !failed) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    done = await counted();
  }
  if (failed) throw failed;
  return done;
};
const streamOf = (facts) => (facts.find(([stream]) => stream.startsWith('coup/')) ?? facts[0])[0];

const does = {
  ready: async () => ({}),
  read: async ({ lines: count, size }) => {
    if (size > 1) return { cannot: 'appendToStream is one stream, and a transaction is one appendToStream' };
    const saves = (await next(count)).map((line) => JSON.parse(line)).map((facts) =>
      [streamOf(facts), facts.map(([, type, data]) => ({ type, data }))]);
    work = async () => { for (const [stream, events] of saves) await store.appendToStream(stream, events); };
    return {};
  },
  write: () => timed(work),
  project: ({ coups, seconds }) => timed(() => {
    const consumer = postgreSQLEventStoreConsumer({ connectionString: given.db });
    consumer.projector({ projection });
    return run(consumer, coups, seconds);
  }),
  rebuild: ({ coups, seconds }) => timed(async () => {
    await pool.execute.command(SQL`TRUNCATE pnl`);
    const consumer = postgreSQLEventStoreConsumer({ connectionString: given.db });
    // Its rebuild truncates Pongo's collections alone: a raw table is made anew by another processor, from 0.
    consumer.projector({ projection, processorId: `pnl-${Date.now()}`, startFrom: 'BEGINNING' });
    return run(consumer, coups, seconds);
  }),
  replay: ({ streams }) => timed(async () => {
    let events = 0;
    for (const stream of streams) {
      const { currentStreamVersion } = await store.aggregateStream(stream, {
        initialState: () => ({}), evolve: (state, { data }) => Object.assign(state, data) });
      events += Number(currentStreamVersion);
    }
    return events;
  }),
  pnl: async () => {
    const { rows } = await pool.execute.query(SQL`SELECT place, win::text FROM pnl`);
    return { pnl: Object.fromEntries(rows.map(({ place, win }) => [place, Number(win)])) };
  },
};

for await (const said of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(said);
  try { say(await does[asked.do](asked)); } catch (error) { say({ failed: String(error?.stack ?? error) }); }
}
process.exit(0);
