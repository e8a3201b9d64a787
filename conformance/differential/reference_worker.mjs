// jsonata 2.2.2 as a process: a line {expression, data?} in, a line with its answer out, as
// outcomes.py describes answers; and `mutated` where the evaluation changed what it read.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const require = createRequire(join(process.env.JSONATA_FOLDER ?? import.meta.dirname, 'package.json'));
const jsonata = require('jsonata');
const { version } = require('jsonata/package.json');
if (version !== '2.2.2') throw new Error(`jsonata ${version} is not the reference`);

function odd(value, depth = 0) {
  if (value === undefined || value === null || typeof value === 'boolean') return null;
  if (typeof value === 'string') return value.isWellFormed() ? null : 'surrogate';
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'nonfinite';
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'unsafe' : null;
  }
  if (typeof value === 'function' || value._jsonata_lambda || value._jsonata_function) return 'function';
  if (depth > 64) return 'deep';
  for (const [name, member] of Object.entries(value)) {
    const found = name.isWellFormed() ? odd(member, depth + 1) : 'surrogate';
    if (found) return found;
  }
  return null;
}

// Grouping an empty list puts `undefined` into it, be it part of the input or of the expression.
let grouped = false;
const push = Array.prototype.push;
Array.prototype.push = function (...items) {
  grouped ||= items.length === 1 && items[0] === undefined && !this.length && !this.sequence;
  return push.apply(this, items);
};

async function answer({ expression, data }) {
  let mutated = false;
  grouped = false;
  try {
    const evaluated = jsonata(expression, { timeout: 5000, stack: 500 });
    const before = JSON.stringify(data);
    let value;
    try {
      value = await evaluated.evaluate(data);
    } finally {
      mutated = grouped || JSON.stringify(data) !== before;
    }
    if (value === undefined) return { undefined: true, mutated };
    const kind = odd(value);
    return kind ? { odd: kind, mutated } : { value, mutated };
  } catch (error) {
    return { error: error.code ?? String(error.message ?? error), mutated };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
